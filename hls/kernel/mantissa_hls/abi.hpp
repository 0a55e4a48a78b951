// How a compiled kernel presents itself to the host program: plain data and function pointers, so that kernels built
// into the library and kernels compiled for a new datapath on first use look the same.
#pragma once

#include <cstdint>

#include "mantissa_hls/line_buffer.hpp"
#include "mantissa_hls/scalar_unit.hpp"

namespace mantissa_hls {

/// Grows with every change of the structures below; a cached kernel with another number is compiled again.
inline constexpr std::uint32_t kAbi = 4;

/// The vectors and bands in memory: words of their formats, padded with zeros to whole beats of `beat_lanes`.
struct Memory {
    void* u = nullptr;
    void* r = nullptr;
    void* p = nullptr;
    void* q = nullptr;
    const void* band[9]{}; ///< the shape's streams of coefficients, in their order
};

/// alpha and beta of the coming pass, as words of the scalar format (given: of the operand format), and the test after
/// it.
struct PassRequest {
    std::uint64_t alpha = 0, beta = 0, rho_stop = 0;
    std::uint32_t test_rho = 0;
};

/// A whole pass, untimed. The state is `state_bytes` of memory that the host owns; begin() makes it.
struct PassTable {
    std::uint32_t beat_lanes; ///< words that move together in this build of the kernel; the bits do not depend on it
    std::uint64_t state_bytes;
    void (*begin)(void* state, const Shape* shape);
    void (*pass)(void* state, const Memory* memory, const PassRequest* request, ScalarResult* result);
};

/// The stages one beat at a time, for timed simulation. Beats are byte images of the kernel's own types.
struct StepTable {
    std::uint32_t lanes; ///< the datapath's
    std::uint64_t state_bytes;
    std::uint64_t u_beat, r_beat, p_beat, q_beat, bands, window; ///< bytes
    void (*begin)(void* state, const Shape* shape);
    void (*begin_pass)(void* state, const PassRequest* request);
    void (*update)(void* state, std::uint64_t beat, const void* u, const void* r, const void* p, const void* q,
                   void* u_new, void* r_new, void* p_new);
    bool (*line)(void* state, const void* p, void* window, void* centre);
    void (*row)(void* state, const void* window, const void* bands, void* q); ///< bands null: a stencil
    void (*dot_rr)(void* state, std::uint64_t beat, const void* r);
    void (*dot_pq)(void* state, std::uint64_t beat, const void* p, const void* q);
    void (*dot_qq)(void* state, std::uint64_t beat, const void* q);
    void (*scalars)(void* state, const PassRequest* request, ScalarResult* result);
};

/// What a pass of the sparse core runs over; set by the host once.
struct SparseShape {
    std::uint64_t size = 0;     ///< elements of the core's own
    std::int32_t row_shift = 0; ///< an exact row sum times 2^-row_shift is in units of q
};

/// The sparse core's memories: vectors by position, padded with zeros to whole beats, and the matrix's stream.
struct SparseMemory {
    void* u = nullptr;
    void* r = nullptr;
    void* p = nullptr; ///< other cores' elements that are read here may follow the core's own
    void* q = nullptr;
    const std::uint32_t* column = nullptr;      ///< positions, `lanes` a beat
    const void* coefficient = nullptr;          ///< two's complement words, `lanes` a beat
    const std::uint64_t* slice_begin = nullptr; ///< beats of slice s: slice_begin[s] .. slice_begin[s + 1] - 1
};

/// The sparse core, part by part. A pass: begin_pass, update of all addresses, rows of all slices, scalars.
struct SparseTable {
    std::uint32_t lanes; ///< the datapath's; 0 in kernels of grids
    std::uint64_t state_bytes;
    void (*begin)(void* state, const SparseShape* shape);
    void (*begin_pass)(void* state, const PassRequest* request);
    void (*update)(void* state, const SparseMemory* memory, std::uint64_t first, std::uint64_t end);
    void (*rows)(void* state, const SparseMemory* memory, std::uint64_t first, std::uint64_t end);
    /// The same, p' read as by two ports of each bank.
    void (*rows_by_ports)(void* state, const SparseMemory* memory, std::uint64_t first, std::uint64_t end);
    void (*merge)(void* state, void* other); ///< adds another core's totals of this pass
    void (*scalars)(void* state, const PassRequest* request, ScalarResult* result);
};

struct Kernel {
    std::uint32_t abi;
    const char* name;                                               ///< see mantissa::hls::kernel_name()
    std::uint32_t u_word, r_word, p_word, q_word, coefficient_word; ///< bytes, 4 or 8
    PassTable pass;
    StepTable step;
    SparseTable sparse; ///< of kernels of sparse rows, which have no other; else empty
};

} // namespace mantissa_hls
