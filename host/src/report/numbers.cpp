#include "numbers.hpp"

#include <cmath>

#include <fmt/format.h>

namespace mantissa::report {

namespace {
constexpr const char* kNarrowSpace = "\xE2\x80\xAF";
}

std::string grouped(std::uint64_t value) {
    const std::string digits = std::to_string(value);
    if (digits.size() < 5) return digits;
    std::string out;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i != 0 && (digits.size() - i) % 3 == 0) out += kNarrowSpace;
        out += digits[i];
    }
    return out;
}

std::string significant(double value, int digits) {
    if (std::isnan(value)) return "-";
    if (std::isinf(value)) return value < 0 ? "-infinity" : "infinity";
    if (value == 0) return "0";
    const double size = std::abs(value);
    if (size < 1e-3 || size >= 1e6) return fmt::format("{:.{}e}", value, digits - 1);
    const int before = static_cast<int>(std::floor(std::log10(size))) + 1;
    if (before >= digits && value > 0) return grouped(static_cast<std::uint64_t>(std::llround(value)));
    return fmt::format("{:.{}f}", value, std::max(0, digits - before));
}

std::string fixed(double value, int decimals) {
    if (!std::isfinite(value)) return significant(value);
    return fmt::format("{:.{}f}", value, decimals);
}

std::string duration(double seconds) {
    if (!std::isfinite(seconds)) return significant(seconds);
    const double size = std::abs(seconds);
    if (size == 0) return "0 s";
    if (size < 1e-6) return significant(seconds * 1e9) + " ns";
    if (size < 1e-3) return significant(seconds * 1e6) + " µs";
    if (size < 1) return significant(seconds * 1e3) + " ms";
    return significant(seconds) + " s";
}

} // namespace mantissa::report
