// Numbers as a reader sees them; the full values go beside them. Internal to host/.
#pragma once

#include <cstdint>
#include <string>

namespace mantissa::report {

/// Digits in groups of three, parted by narrow spaces, from five digits on: "12 345".
std::string grouped(std::uint64_t value);
/// At most `digits` significant digits, in powers of ten outside 1e-3..1e6; "-" for NaN.
std::string significant(double value, int digits = 3);
/// A fixed number of decimals, so that a column aligns.
std::string fixed(double value, int decimals);
/// "3.2 ms": a duration in the unit that suits it.
std::string duration(double seconds);

} // namespace mantissa::report
