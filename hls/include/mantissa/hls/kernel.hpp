// Kernels by datapath: which specs the HLS datapath takes, and the compiled kernel of one. The timed simulation uses
// them too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mantissa/engine.hpp"
#include "mantissa_hls/abi.hpp"

namespace mantissa::hls {

/// Why the HLS datapath does not run this, in one line; empty when it does. `engine` begins the line.
std::string refusal(const std::string& engine, const DatapathSpec& spec, const System& system,
                    const SessionOptions& options);

/// What a kernel is known by: the spec's text and, of fixed-point words, whose rows have a form for each, the matrix:
/// "fx18.16 stencil", "fx18.16 streamed". Rows of words have one form whatever the spec's order. A kernel of the
/// Chebyshev recurrence has its name after that: "fx18.16 stencil chebyshev".
std::string kernel_name(const DatapathSpec& spec, System::Kind kind, Recurrence recurrence = Recurrence::pipelined);

/// The kernel of a spec and a kind of matrix that refusal() passed: built in, cached, or compiled now. Lives as long as
/// the program. Throws ToolFailure when it would have to be compiled and the compiler is missing or fails.
const mantissa_hls::Kernel& kernel_for(const DatapathSpec& spec, System::Kind kind = System::Kind::stencil,
                                       Recurrence recurrence = Recurrence::pipelined);

/// C++ text that defines the kernel and exports it as `symbol`.
std::string kernel_source(const DatapathSpec& spec, System::Kind kind, Recurrence recurrence,
                          const std::string& symbol);

/// The names of the kernels compiled with the library.
std::vector<std::string> builtin_kernels();

/// The spec, the kind and the recurrence that a kernel's name stands for.
struct KernelName {
    DatapathSpec spec;
    System::Kind kind = System::Kind::stencil;
    Recurrence recurrence = Recurrence::pipelined;
};
KernelName parse_kernel_name(const std::string& name);

/// The format's own bits of a value of the format; the format flushes subnormals.
std::uint64_t to_word(const Format& f, double value);
double from_word(const Format& f, std::uint64_t word);

/// A vector's words as they lie in memory, little-endian, `word_bytes` (1..8) each.
inline std::uint64_t load_word(const std::byte* at, std::size_t word_bytes) {
    std::uint64_t word = 0;
    __builtin_memcpy(&word, at, word_bytes);
    return word;
}
inline void store_word(std::byte* at, std::size_t word_bytes, std::uint64_t word) {
    __builtin_memcpy(at, &word, word_bytes);
}

/// A vector element as its format's memory word, and whether a fixed-point one did not fit (it is the nearest word
/// then).
struct StoredWord {
    std::uint64_t word = 0;
    bool overflow = false;
};
StoredWord stored_word(const Format& f, double value);
double stored_value(const Format& f, std::uint64_t word);

/// A system as the kernel takes it: the shape, and the words of each of its streams of coefficients.
struct LoadedMatrix {
    mantissa_hls::Shape shape;
    std::array<std::vector<std::uint64_t>, kBands> stream;
    int longest = 0; ///< bits of the longest streamed word, of fixed-point ones
};
LoadedMatrix load_matrix(const System& system, const DatapathSpec& spec);

/// The words of the scalar unit as values of the spec's scalar format.
Scalars scalars_of(const DatapathSpec& spec, const mantissa_hls::ScalarWords& words);
RunEnd run_end(mantissa_hls::PassEnd end);
/// A pass that ended with window_overflow.
inline mantissa_hls::ScalarResult overflowed() {
    mantissa_hls::ScalarResult result;
    result.end = mantissa_hls::PassEnd::window_overflow;
    return result;
}
/// The longest words of a pass.
WordUse word_use(const DatapathSpec& spec, const mantissa_hls::ScalarResult& result);

} // namespace mantissa::hls
