#include "spy.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace mantissa::pictures {

Image spy_image(const CompressedRows& matrix, std::size_t size) {
    const std::size_t rows = matrix.rows(), side = std::max<std::size_t>(1, std::min(size, rows));
    std::vector<double> taken(side * side);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::uint64_t k = matrix.row_begin()[i]; k < matrix.row_begin()[i + 1]; ++k)
            taken[i * side / rows * side + matrix.column()[k] * side / rows] += 1;
    const double most = *std::max_element(taken.begin(), taken.end());
    // Small matrices: a square of the picture is drawn as several.
    const std::size_t times = std::max<std::size_t>(1, size / side);
    constexpr Colour kFew{0.62, 0.74, 0.90}, kMany{0.04, 0.12, 0.35};
    constexpr double kFrame = 0.75;
    Image image(times * side + 2, times * side + 2, {kFrame, kFrame, kFrame});
    for (std::size_t y = 0; y < times * side; ++y)
        for (std::size_t x = 0; x < times * side; ++x) {
            const double count = taken[y / times * side + x / times];
            const double part = most > 1 ? std::log(std::max(count, 1.0)) / std::log(most) : 1;
            Colour colour = kPaper;
            if (count > 0)
                for (std::size_t k = 0; k < 3; ++k) colour[k] = kFew[k] + part * (kMany[k] - kFew[k]);
            image.set(x + 1, y + 1, colour);
        }
    return image;
}

} // namespace mantissa::pictures
