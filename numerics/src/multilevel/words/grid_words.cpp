// Constant stencils that bilinear interpolation reproduces, as integers.
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "mantissa/fitted.hpp"
#include "mantissa/multilevel/word_rows.hpp"

namespace mantissa::multilevel {

namespace {

constexpr int kMostCoefficient = 1 << 10;
/// Eigenvalues of what the coarser level cannot show are at least this part of the largest, or smoothing is not worth
/// its work (strong anisotropy).
constexpr double kLeastHigh = 0.25;

/// The stencil as integers and the factor, or nothing.
std::optional<GridWords> integers(const Stencil& given) {
    const auto fit = fitted(System(given), parse_spec("fx40.20,coef=fx25.0"));
    const Stencil& stencil = fit ? std::get<Stencil>(fit->system.matrix()) : given;
    std::array<std::int64_t, kBands> word{};
    std::uint64_t all = 0;
    for (std::size_t b = 0; b < kBands; ++b) {
        const double c = stencil.coefficients()[b];
        if (c != std::nearbyint(c) || std::abs(c) > 0x1p40) return std::nullopt;
        word[b] = static_cast<std::int64_t>(c);
        all |= static_cast<std::uint64_t>(word[b] < 0 ? -word[b] : word[b]);
    }
    if (all == 0) return std::nullopt;
    const int zeros = std::countr_zero(all);
    for (std::int64_t& w : word) w /= std::int64_t{1} << zeros;
    for (const std::int64_t w : word)
        if (w > kMostCoefficient || w < -kMostCoefficient) return std::nullopt;
    const bool symmetric =
        word[0] == word[8] && word[0] == word[2] && word[0] == word[6] && word[1] == word[7] && word[3] == word[5];
    if (!symmetric) return std::nullopt;
    GridWords grid{given.row_length(), static_cast<int>(word[4]), static_cast<int>(word[5]), static_cast<int>(word[7]),
                   static_cast<int>(word[8])};
    grid.factor = std::ldexp(fit ? fit->scale : 1.0, -zeros);
    return grid;
}

int coefficient(const GridWords& grid, int east, int north) {
    if (std::abs(east) > 1 || std::abs(north) > 1) return 0;
    if (east != 0 && north != 0) return grid.corner;
    return east != 0 ? grid.east : north != 0 ? grid.north : grid.centre;
}
int interpolation(int east, int north) {
    if (std::abs(east) > 1 || std::abs(north) > 1) return 0;
    return (2 - std::abs(east)) * (2 - std::abs(north));
}

/// Is P^T A P, with words 4, 2, 1, sixteen times the stencil?
bool reproduced(const GridWords& grid) {
    for (int ce = 0; ce <= 1; ++ce)
        for (int cn = 0; cn <= 1; ++cn) {
            int sum = 0;
            for (int xe = -1; xe <= 1; ++xe)
                for (int xn = -1; xn <= 1; ++xn)
                    for (int ye = 2 * ce - 1; ye <= 2 * ce + 1; ++ye)
                        for (int yn = 2 * cn - 1; yn <= 2 * cn + 1; ++yn)
                            sum += interpolation(xe, xn) * coefficient(grid, ye - xe, yn - xn) *
                                   interpolation(ye - 2 * ce, yn - 2 * cn);
            if (sum != 16 * coefficient(grid, ce, cn)) return false;
        }
    return true;
}

/// The largest eigenvalue. The symbol centre + 2 east x + 2 north y + 4 corner x y, x and y cosines, is linear in each:
/// it is largest, and smallest, at corners.
double largest_eigenvalue(const GridWords& grid) {
    double largest = 0;
    for (const int x : {-1, 1})
        for (const int y : {-1, 1})
            largest = std::max(largest, static_cast<double>(grid.centre + 2 * grid.east * x + 2 * grid.north * y +
                                                            4 * grid.corner * x * y));
    return largest;
}

} // namespace

std::size_t GridWords::levels() const {
    return static_cast<std::size_t>(std::countr_zero(row_length - 1));
}

std::optional<GridWords> grid_words(const System& system) {
    const auto* const stencil = std::get_if<Stencil>(&system.matrix());
    if (stencil == nullptr || stencil->row_length() != stencil->rows() || !std::has_single_bit(stencil->rows() - 1))
        return std::nullopt;
    std::optional<GridWords> grid = integers(*stencil);
    if (!grid || grid->centre <= 0 || !reproduced(*grid)) return std::nullopt;
    grid->largest = largest_eigenvalue(*grid);
    const double high = grid->centre + 2 * std::min(grid->east, grid->north);
    if (high < kLeastHigh * grid->largest) return std::nullopt;
    return grid;
}

int grid_row_sum(const GridWords& grid) {
    return grid.centre + 2 * std::abs(grid.east) + 2 * std::abs(grid.north) + 4 * std::abs(grid.corner);
}

LevelWords grid_level_words(const GridWords& grid, const CycleSpec& spec, std::size_t level) {
    constexpr int kSumBits = 32;
    LevelWords words =
        level_words(spec, level, grid.largest / 2, grid.largest, ceil_log2(grid_row_sum(grid)), kSumBits);
    words.pc = words.pl = 2;
    return words;
}

namespace {

void append(WordRows& rows, std::size_t column, int word) {
    rows.column.push_back(static_cast<std::uint32_t>(column));
    rows.word.push_back(word);
}

/// make(east, north) appends the row of a node; edge nodes have none.
template <class Make> void for_each_node(WordRows& rows, std::size_t n, const Make& make) {
    rows.rows = n * n;
    rows.begin.assign(1, 0);
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t i = 0; i < n; ++i) {
            if (i > 0 && j > 0 && i + 1 < n && j + 1 < n) make(i, j);
            rows.begin.push_back(static_cast<std::uint32_t>(rows.word.size()));
        }
}

WordRows stencil_rows(const GridWords& grid, std::size_t n) {
    WordRows a;
    for_each_node(a, n, [&](std::size_t i, std::size_t j) {
        for (int y = -1; y <= 1; ++y)
            for (int x = -1; x <= 1; ++x)
                append(a, (j + static_cast<std::size_t>(y + 1) - 1) * n + i + static_cast<std::size_t>(x + 1) - 1,
                       coefficient(grid, x, y));
    });
    return a;
}

/// From the grid of (n + 1) / 2 nodes a side.
WordRows interpolation_rows(std::size_t n) {
    const std::size_t coarse = (n + 1) / 2;
    WordRows p;
    p.point = 2;
    for_each_node(p, n, [&](std::size_t i, std::size_t j) {
        for (std::size_t y = j / 2; y <= (j + 1) / 2; ++y)
            for (std::size_t x = i / 2; x <= (i + 1) / 2; ++x)
                if (x > 0 && y > 0 && x + 1 < coarse && y + 1 < coarse)
                    append(p, y * coarse + x, (i % 2 == 0 ? 2 : 1) * (j % 2 == 0 ? 2 : 1));
    });
    return p;
}

} // namespace

WordHierarchy word_hierarchy(const GridWords& grid, const CycleSpec& spec) {
    WordHierarchy h;
    h.factor = grid.factor;
    for (std::size_t l = 0, n = grid.row_length; l < grid.levels(); ++l, n = (n + 1) / 2) {
        WordLevel& level = h.level.emplace_back();
        level.a = stencil_rows(grid, n);
        level.words = grid_level_words(grid, spec, l);
        if (n == 3) break;
        level.prolongation = interpolation_rows(n);
        level.restriction = transposed(level.prolongation, ((n + 1) / 2) * ((n + 1) / 2));
    }
    std::vector<double> inverse(81, 0.0);
    inverse[4 * 9 + 4] = 1.0 / grid.centre;
    h.coarsest = inverse_words(inverse, h.coarsest_point);
    return h;
}

} // namespace mantissa::multilevel
