// Kernels by datapath: which specs the HLS datapath takes, and the compiled kernel of one. The timed simulation uses
// them too.
#pragma once

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

/// The kernel of a spec that refusal() passed: built in, cached, or compiled now. Lives as long as the program. Throws
/// ToolFailure when it would have to be compiled and the compiler is missing or fails.
const mantissa_hls::Kernel& kernel_for(const DatapathSpec& spec);

/// C++ text that defines the kernel of `spec` and exports it as `symbol`.
std::string kernel_source(const DatapathSpec& spec, const std::string& symbol);

/// The specs compiled with the library, in their text form.
std::vector<std::string> builtin_specs();

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

mantissa_hls::Shape shape_of(const System& system, const DatapathSpec& spec);
/// The words of the scalar unit as values of the spec's scalar format.
Scalars scalars_of(const DatapathSpec& spec, const mantissa_hls::ScalarWords& words);
RunEnd run_end(mantissa_hls::PassEnd end);

} // namespace mantissa::hls
