// The narrow formats that have names.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "mantissa/narrow/narrow_format.hpp"

namespace mantissa::narrow {

struct Named {
    std::string_view name;
    NarrowFormat format;
};

/// An IEEE-like or OCP format, rounding to nearest-even.
constexpr NarrowFormat ocp(int m, int e, int min_exponent, double max, bool infinity, bool nan) {
    NarrowFormat f;
    f.fraction_bits = m;
    f.exponent_bits = e;
    f.min_exponent = min_exponent;
    f.max = max;
    f.has_infinity = infinity;
    f.has_nan = nan;
    f.beyond = infinity ? Beyond::infinity : Beyond::saturate;
    return f;
}
/// The same with NaN for -0 and no infinity.
constexpr NarrowFormat fnuz(int m, int e, int min_exponent, double max) {
    NarrowFormat f = ocp(m, e, min_exponent, max, false, true);
    f.coding = Coding::p3109;
    return f;
}
constexpr NarrowFormat powers_of_two() {
    NarrowFormat f = ocp(0, 8, -127, 0x1p127, false, true);
    f.gradual = false;
    f.beyond = Beyond::nan;
    f.direction = Direction::nearest_away;
    f.coding = Coding::p3109;
    f.is_signed = f.has_zero = false;
    return f;
}

inline constexpr std::array<Named, 9> kNamed = {{{"fp8_e4m3", ocp(3, 4, -6, 448, false, true)},
                                                 {"fp8_e5m2", ocp(2, 5, -14, 57344, true, true)},
                                                 {"fp8_e4m3fnuz", fnuz(3, 4, -7, 240)},
                                                 {"fp8_e5m2fnuz", fnuz(2, 5, -15, 57344)},
                                                 {"fp8_e4m3b11fnuz", fnuz(3, 4, -10, 30)},
                                                 {"fp6_e3m2", ocp(2, 3, -2, 28, false, false)},
                                                 {"fp6_e2m3", ocp(3, 2, 0, 7.5, false, false)},
                                                 {"fp4_e2m1", ocp(1, 2, 0, 6, false, false)},
                                                 {"e8m0", powers_of_two()}}};

struct Alias {
    std::string_view name, text;
};
/// Names of other libraries, ml_dtypes's above all; with the rounding that its casts have.
inline constexpr std::array<Alias, 14> kAliases = {{{"float8_e4m3fn", "fp8_e4m3:nan"},
                                                    {"float8_e5m2", "fp8_e5m2"},
                                                    {"float8_e4m3fnuz", "fp8_e4m3fnuz:nan"},
                                                    {"float8_e5m2fnuz", "fp8_e5m2fnuz:nan"},
                                                    {"float8_e4m3b11fnuz", "fp8_e4m3b11fnuz:nan"},
                                                    {"float8_e8m0fnu", "e8m0"},
                                                    {"float6_e3m2fn", "fp6_e3m2"},
                                                    {"float6_e2m3fn", "fp6_e2m3"},
                                                    {"float4_e2m1fn", "fp4_e2m1"},
                                                    {"float4_e2m1fn_x2", "fp4_e2m1"},
                                                    {"e4m3", "fp8_e4m3"},
                                                    {"e5m2", "fp8_e5m2"},
                                                    {"e2m1", "fp4_e2m1"},
                                                    {"fp8_e8m0", "e8m0"}}};

/// IEEE P3109's format of K bits and precision P. The smallest normal number is 2^(1 - bias), the bias 2^(K - P - 1)
/// with a sign and 2^(K - P) without one.
NarrowFormat p3109(int bits, int precision, bool is_signed, bool extended);

/// The P3109 format that a text such as binary8p3se names, in whatever case; none where it is no such name. Throws
/// InvalidInput where K or P is out of range.
std::optional<NarrowFormat> parse_p3109(std::string_view head);

} // namespace mantissa::narrow
