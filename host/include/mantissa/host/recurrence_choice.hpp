// Which recurrence a solve iterates: one value, written "bicgstab" or "gmres(30)".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mantissa {

/// Steps of a cycle of GMRES where none are given.
inline constexpr std::uint64_t kUsualRestart = 30;

/// A recurrence by its name.
struct RecurrenceChoice {
    enum Name : std::uint8_t {
        pipelined,
        cg,
        chronopoulos_gear,
        ghysels_vanroose,
        flexible,
        chebyshev,
        bicgstab,
        gmres,
    };
    Name name = pipelined;
    std::uint64_t restart = 0; ///< steps of a cycle of GMRES; 0 of others

    constexpr RecurrenceChoice(Name chosen) : name(chosen), restart(chosen == gmres ? kUsualRestart : 0) {}
    constexpr RecurrenceChoice(Name chosen, std::uint64_t steps) : name(chosen), restart(steps) {}
    friend constexpr bool operator==(const RecurrenceChoice&, const RecurrenceChoice&) = default;
};

/// "pipelined", "cg", "gmres(30)".
std::string to_string(const RecurrenceChoice& choice);
/// What to_string() wrote; "gmres" alone has kUsualRestart. Throws InvalidInput, one line with the names.
RecurrenceChoice parse_recurrence_choice(std::string_view text);
/// Does it solve systems whose matrix is not symmetric?
bool takes_any_matrix(const RecurrenceChoice& choice);

} // namespace mantissa
