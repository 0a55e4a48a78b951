// The numerics alone: a format as a type, and a format that is refused.
#include <cstdio>
#include <cstring>

#include <mantissa/float.hpp>

using namespace mantissa::literals;

int main() {
    using Short = mantissa::Float<"s17e8"_fmt>;
    Short sum(0.0);
    for (int i = 1; i <= 1000; ++i) sum += Short(1.0) / Short(i);
    std::printf("sum of 1/i to 1000 in s17e8: %.6f\n", static_cast<double>(sum));
    try {
        (void)mantissa::parse_format("s99e8");
    } catch (const mantissa::InvalidInput& fault) {
        std::printf("%s\n", fault.what());
        return std::strstr(fault.what(), "s99e8") != nullptr ? 0 : 1;
    }
    return 1;
}
