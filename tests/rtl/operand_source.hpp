// Random operands of a format that crowd the corners: classes, exponents near each other and near both ends of the
// range, fractions of all zeros and all ones, and patterns that the flush policy reads as zeros.
#pragma once

#include <cstdint>
#include <random>

#include "mantissa/format.hpp"

namespace mantissa::test {

class OperandSource {
public:
    OperandSource(const Format& f, std::uint64_t seed) : format_(f), random_(seed) {}

    /// A bit pattern; `near` is the exponent field of the other operand, which it is often close to.
    std::uint64_t operator()(std::uint64_t near) {
        const std::uint64_t r = random_();
        const int m = format_.fraction_bits;
        const std::uint64_t ones = (std::uint64_t{1} << format_.exponent_bits) - 1;
        std::uint64_t exponent = random_() & ones;
        switch (r & 15) {
        case 0:
            exponent = 0;
            break;
        case 1:
            exponent = (r >> 4) % 8 == 0 ? ones : ones - 1 - ((r >> 8) & 1);
            break;
        case 2:
            exponent = 1 + ((r >> 8) & 1);
            break;
        case 3:
        case 4:
        case 5:
            exponent = near;
            break;
        case 6:
        case 7:
            exponent = near ^ 1;
            break;
        case 8:
        case 9:
        case 10:
            exponent = near + ((r >> 8) % (static_cast<unsigned>(m) + 6));
            break;
        case 11:
            exponent = near - ((r >> 8) % (static_cast<unsigned>(m) + 6));
            break;
        default:
            break;
        }
        const std::uint64_t all = (std::uint64_t{1} << m) - 1;
        std::uint64_t fraction = random_() & all;
        switch ((r >> 24) & 15) {
        case 0:
            fraction = 0;
            break;
        case 1:
            fraction = all;
            break;
        case 2:
            fraction = all << ((r >> 32) % static_cast<unsigned>(m));
            break;
        case 3:
            fraction = all >> ((r >> 32) % static_cast<unsigned>(m));
            break;
        case 4:
            fraction = std::uint64_t{1} << ((r >> 32) % static_cast<unsigned>(m));
            break;
        case 5:
            last_fraction_ ^= (r >> 40) & 3;
            fraction = last_fraction_;
            break;
        default:
            break;
        }
        last_fraction_ = fraction & all;
        return ((r >> 63) << (m + format_.exponent_bits)) | ((exponent & ones) << m) | (fraction & all);
    }
    std::uint64_t exponent_of(std::uint64_t word) const {
        return (word >> format_.fraction_bits) & ((std::uint64_t{1} << format_.exponent_bits) - 1);
    }

private:
    Format format_;
    std::mt19937_64 random_;
    std::uint64_t last_fraction_ = 0;
};

} // namespace mantissa::test
