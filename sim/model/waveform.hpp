// How a model that runs by itself begins a waveform. Compiled with each model; with MANTISSA_TRACE it has one.
#pragma once

#include <cstdint>
#include <memory>

#include <verilated.h>
#ifdef MANTISSA_TRACE
#include <verilated_fst_c.h>
#endif

/// Of the clocks `first` to `last`, into `path`. Returns 1, and does nothing, in a model without.
template <class State>
int begin_waveform([[maybe_unused]] State* s, [[maybe_unused]] const char* path, [[maybe_unused]] std::uint64_t first,
                   [[maybe_unused]] std::uint64_t last) {
#ifdef MANTISSA_TRACE
    s->trace = std::make_unique<VerilatedFstC>();
    s->top->trace(s->trace.get(), 99);
    s->trace_path = path;
    s->trace_first = first;
    s->trace_last = last;
    return 0;
#else
    return 1;
#endif
}
