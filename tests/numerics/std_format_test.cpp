// Float and Fixed in std::format, for compilers whose standard library has it (GCC 12 has not): numerics.std_format
// compiles this with the first one it finds.
#include <cstdio>
#include <format>
#include <string>

#include "mantissa/fixed_io.hpp"
#include "mantissa/float_io.hpp"

using namespace mantissa::literals;

int main() {
    using Short = mantissa::Float<"s17e8"_fmt>;
    using Half = mantissa::Float<mantissa::formats::kHalf>;
    int wrong = 0;
    const auto expect = [&wrong](const std::string& got, const char* want) {
        if (got == want) return;
        ++wrong;
        std::printf("\"%s\", expected \"%s\"\n", got.c_str(), want);
    };
    expect(std::format("{} {}", Short(0.5), Half(2)), "0.5 2");
    expect(std::format("{:.3e}|{:+10.2f}|{:<8}|", Short(0.5), Half(-1.5), Short(3)), "5.000e-01|     -1.50|3       |");
    expect(std::format("{:.{}f} {:a}", Short(0.1), 9, Short(0.375)), "0.099999905 1.8p-2");
    expect(std::format("{}", -std::numeric_limits<Half>::infinity()), "-inf");
    std::wstring wide = std::format(L"{:.1f}", Short(2));
    expect(std::string(wide.begin(), wide.end()), "2.0");
    using Word = mantissa::Fixed<"fx18.16"_fmt>;
    using Long = mantissa::Fixed<"fx64.62"_fmt>;
    const Word half = 0.5, negative = -1.5; // constants: conversions that may overflow want the library
    const Long quarter = -0.25;
    expect(std::format("{} {:+.2f} {:.16f}", half, negative, Word::from_word(6554)), "0.5 -1.50 0.1000061035156250");
    expect(std::format("{}", quarter), "-0.25");
    return wrong == 0 ? 0 : 1;
}
