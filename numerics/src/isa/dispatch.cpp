#include "certain.hpp"
#include "cycle_rows.hpp"
#include "fixed_kernels.hpp"
#include "fixed_pass.hpp"
#include "isa.hpp"
#include "pass.hpp"
#include "word_rows.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "mantissa/format.hpp"

namespace mantissa::detail {

namespace {

Isa processor_isa() {
    Isa best = Isa::baseline;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        best = Isa::avx2;
    if (best == Isa::avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
        best = Isa::avx512;
#endif
    return best;
}

Isa choose() {
    const Isa best = processor_isa();
    const char* text = std::getenv("MANTISSA_ISA");
    if (text == nullptr || *text == '\0') return best;
    const std::string_view wanted = text;
    for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512})
        if (wanted == isa_name(isa)) {
            if (isa <= best) return isa;
            throw InvalidInput("MANTISSA_ISA=" + std::string(wanted) + ": this processor has no more than " +
                               isa_name(best) + "; name that or less, or leave the variable out");
        }
    std::string shown(wanted.substr(0, 40));
    std::replace_if(
        shown.begin(), shown.end(), [](char c) { return c < ' '; }, '?');
    throw InvalidInput("MANTISSA_ISA=" + shown +
                       ": no such instruction set; write baseline, avx2 or avx512, or leave the variable out");
}

} // namespace

Isa best_isa() {
    static const Isa isa = choose();
    return isa;
}

const char* isa_name(Isa isa) {
    return isa == Isa::avx512 ? "avx512" : isa == Isa::avx2 ? "avx2" : "baseline";
}

const KernelTable& best_kernel_table() {
#if defined(__x86_64__)
    if (best_isa() == Isa::avx512) return avx512::kernel_table();
    if (best_isa() == Isa::avx2) return avx2::kernel_table();
#endif
    return baseline::kernel_table();
}

const FixedTable& best_fixed_table() {
#if defined(__x86_64__)
    if (best_isa() == Isa::avx512) return avx512::fixed_table();
    if (best_isa() == Isa::avx2) return avx2::fixed_table();
#endif
    return baseline::fixed_table();
}

template <class T> const PassTable<T>& best_pass_table() {
#if defined(__x86_64__)
    if (best_isa() == Isa::avx512) return avx512::pass_table(T{});
    if (best_isa() == Isa::avx2) return avx2::pass_table(T{});
#endif
    return baseline::pass_table(T{});
}
template const PassTable<float>& best_pass_table<float>();
template const PassTable<double>& best_pass_table<double>();

const FixedPassKernels& best_fixed_pass_kernels() {
#if defined(__x86_64__)
    if (best_isa() == Isa::avx512) return avx512::fixed_pass_kernels();
    if (best_isa() == Isa::avx2) return avx2::fixed_pass_kernels();
#endif
    return baseline::fixed_pass_kernels();
}

const CertainKernels& best_certain_kernels() {
#if defined(__x86_64__)
    if (best_isa() == Isa::avx512) return avx512::certain_kernels();
    if (best_isa() == Isa::avx2) return avx2::certain_kernels();
#endif
    return baseline::certain_kernels();
}

const WordRowKernels& best_word_row_kernels() {
#if defined(__x86_64__)
    if (best_isa() == Isa::avx512) return avx512::word_row_kernels();
    if (best_isa() == Isa::avx2) return avx2::word_row_kernels();
#endif
    return baseline::word_row_kernels();
}

template <> const CycleRowKernels<std::int32_t>& best_cycle_rows<std::int32_t>() {
#if defined(__x86_64__)
    if (best_isa() == Isa::avx512) return avx512::cycle_rows_32();
    if (best_isa() == Isa::avx2) return avx2::cycle_rows_32();
#endif
    return baseline::cycle_rows_32();
}

template <> const CycleRowKernels<std::int64_t>& best_cycle_rows<std::int64_t>() {
#if defined(__x86_64__)
    if (best_isa() == Isa::avx512) return avx512::cycle_rows_64();
    if (best_isa() == Isa::avx2) return avx2::cycle_rows_64();
#endif
    return baseline::cycle_rows_64();
}

} // namespace mantissa::detail
