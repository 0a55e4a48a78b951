// How a run of passes ends: one enumeration for every engine.
//
// The numbers are a contract. The RTL core reports them in STATUS[6:4], and the HLS kernel, which is C++ that takes
// nothing from here, has them in mantissa_hls::PassEnd. Neither is cast: run_end_of() takes a number, and whoever has a
// twin of this enumeration compares the two when it is compiled.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace mantissa {

enum class RunEnd : std::uint8_t {
    passes = 0,          ///< the passes asked for were run
    rho_reached = 1,     ///< rho fell below the threshold
    exact = 2,           ///< rho is zero
    indefinite = 3,      ///< p.q is not above zero: below it, or zero (vanished, underflowed); see Scalars::pq
    not_finite = 4,      ///< overflow or NaN
    window_overflow = 5, ///< a fixed-point dot product left its window
    fault = 6,           ///< the engine's hardware reported an error; see Session::fault()
    breakdown = 8,       ///< a scalar that must be divided by is zero; no hardware has it, STATUS has three bits
};

/// The end that hardware's number stands for; nothing for one that stands for none.
[[nodiscard]] constexpr std::optional<RunEnd> run_end_of(std::uint32_t number) {
    if (number > static_cast<std::uint32_t>(RunEnd::fault)) return std::nullopt;
    return static_cast<RunEnd>(number);
}

/// "passes", "rho reached", "exact", "indefinite", "not finite", "window overflow", "fault", "breakdown".
std::string to_string(RunEnd end);

} // namespace mantissa
