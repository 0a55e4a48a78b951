#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <numeric>

#include <fmt/format.h>

#include "mantissa/errors.hpp"
#include "mantissa/host/flow.hpp"
#include "problems/random.hpp"

namespace mantissa {

namespace {

constexpr double kTurn = 2 * std::numbers::pi, kUnit = 0x1p-53;

Point2 drive_at(BubbleDrive drive, double x, double y) {
    if (drive == BubbleDrive::rise) return {0, 1};
    return {std::sin(kTurn * x) * std::cos(kTurn * y), 1 - std::cos(kTurn * x) * std::sin(kTurn * y)};
}

/// A round cloud, 1 in its middle.
double cloud(double x, double y) {
    const double dx = x - 0.5, dy = y - 0.35;
    return std::exp(-(dx * dx + dy * dy) / (2 * 0.12 * 0.12));
}

} // namespace

void FlowOptions::validate() const {
    const auto need = [](bool holds, const std::string& what) {
        if (!holds) throw InvalidInput(what);
    };
    constexpr std::uint32_t kMostCells = 4096, kMostUnknowns = 16384;
    need(columns >= 1 && rows >= 1 && columns <= kMostCells && rows <= kMostCells,
         fmt::format("{}x{} cells: give 1x1 to {}x{}", columns, rows, kMostCells, kMostCells));
    need(bubbles >= 1, "0 bubbles in a cell: give 1 or more");
    need(unknowns <= kMostUnknowns && unknowns % bubbles == 0 && unknowns / bubbles >= 3,
         fmt::format("{} unknowns for {} bubbles: give a multiple of the bubbles, 3 times them or more, to {}",
                     unknowns, bubbles, kMostUnknowns));
    need(fraction > 0 && fraction < 1, fmt::format("a share of {} bubbles: give a number between 0 and 1", fraction));
    need(contrast >= 0 && std::isfinite(contrast), fmt::format("contrast {}: give 0 or more", contrast));
    need(refreshed > 0 && refreshed <= 1,
         fmt::format("{} of the cells solved in a step: give a share above 0, at most 1", refreshed));
    need(courant > 0 && courant <= 0.5, fmt::format("Courant number {}: give a number above 0, at most 0.5", courant));
    if (arrangement == BubbleArrangement::square) static_cast<void>(square_centres(bubbles));
}

std::size_t FlowOptions::batch() const {
    const double cells = static_cast<double>(columns) * rows;
    return std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(refreshed * cells)));
}

BubblyFlow::BubblyFlow(const FlowOptions& options, CellSolver& solver) : options_(options), solver_(solver) {
    options_.validate();
    const std::size_t cells = static_cast<std::size_t>(options_.columns) * options_.rows;
    problems::SplitMix seeds(options_.seed);
    std::vector<double> shape(cells);
    for (std::size_t i = 0; i < cells; ++i) {
        const std::uint64_t seed = seeds.next();
        centres_.push_back(options_.arrangement == BubbleArrangement::square ? square_centres(options_.bubbles)
                                                                             : bubble_centres(options_.bubbles, seed));
        shape[i] = 1 + options_.contrast * cloud((static_cast<double>(i % options_.columns) + 0.5) / options_.columns,
                                                 (static_cast<double>(i / options_.columns) + 0.5) / options_.rows);
    }
    const double mean = std::accumulate(shape.begin(), shape.end(), 0.0) / static_cast<double>(cells);
    for (const double s : shape) n_.push_back(options_.fraction * s / mean);
    solved_ = n_;
    rounding_bound_ = 4 * kUnit * options_.fraction; // of two compensated sums
    u_.assign(cells, Point2{0, 0});
    std::vector<std::size_t> all(cells);
    std::iota(all.begin(), all.end(), std::size_t{0});
    for (std::size_t first = 0; first < cells; first += options_.batch())
        solve(std::span(all).subspan(first, std::min(options_.batch(), cells - first)));
}

BubbleCell BubblyFlow::cell(std::size_t index) const {
    BubbleCell c;
    c.centres = centres_[index];
    c.points = options_.unknowns / options_.bubbles;
    c.radius = bubble_radius(c.centres.size(), n_[index]);
    c.drive = drive_at(options_.drive, (static_cast<double>(index % options_.columns) + 0.5) / options_.columns,
                       (static_cast<double>(index / options_.columns) + 0.5) / options_.rows);
    if (!(c.radius <= greatest_radius(c.centres)))
        throw InvalidInput(
            fmt::format("the bubbles of cell {} would touch: their share has grown to {:.4g} at step {}; "
                        "give a smaller --fraction or --contrast",
                        index, n_[index], steps_));
    return c;
}

void BubblyFlow::solve(std::span<const std::size_t> cells) {
    std::vector<BubbleCell> batch;
    for (const std::size_t i : cells) batch.push_back(cell(i));
    const std::vector<Point2> flows = solver_.solve(batch);
    for (std::size_t i = 0; i < cells.size(); ++i) {
        u_[cells[i]] = flows[i];
        solved_[cells[i]] = n_[cells[i]];
    }
}

std::vector<std::size_t> BubblyFlow::most_changed() const {
    std::vector<double> change(n_.size());
    for (std::size_t i = 0; i < n_.size(); ++i) change[i] = std::fabs(n_[i] - solved_[i]) / solved_[i];
    std::vector<std::size_t> order(n_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(options_.batch(), n_.size()));
    std::partial_sort(order.begin(), end, order.end(), [&](std::size_t a, std::size_t b) {
        return change[a] != change[b] ? change[a] > change[b] : a < b;
    });
    order.erase(end, order.end());
    std::sort(order.begin(), order.end());
    return order;
}

/// A face's flux is formed once and leaves one cell for the other, so the sum of n changes by the roundings of the new
/// values alone: each n' = n + ((w - e) + (s - n)) has an error of at most 3 u times the magnitudes that meet there.
void BubblyFlow::advect() {
    const std::size_t k = options_.columns, l = options_.rows;
    const double dx = 1.0 / static_cast<double>(k), dy = 1.0 / static_cast<double>(l);
    double fastest = 0;
    for (const Point2& u : u_) fastest = std::max(fastest, std::fabs(u[0]) / dx + std::fabs(u[1]) / dy);
    if (!(fastest > 0 && std::isfinite(fastest)))
        throw InvalidInput(fmt::format("no flow at step {}: the greatest velocity is {}", steps_, fastest));
    const double dt = options_.courant / fastest;
    // What leaves cell i through its east and its north face, in units of n.
    std::vector<double> east(n_.size()), north(n_.size());
    const auto flux = [&](std::size_t from, std::size_t to, std::size_t axis, double step) {
        const double speed = (u_[from][axis] + u_[to][axis]) / 2;
        return dt / step * speed * (speed > 0 ? n_[from] : n_[to]);
    };
    for (std::size_t j = 0; j < l; ++j)
        for (std::size_t i = 0; i < k; ++i) {
            const std::size_t here = j * k + i;
            east[here] = flux(here, j * k + (i + 1) % k, 0, dx);
            north[here] = flux(here, (j + 1) % l * k + i, 1, dy);
        }
    double magnitudes = 0;
    std::vector<double> next(n_.size());
    for (std::size_t j = 0; j < l; ++j)
        for (std::size_t i = 0; i < k; ++i) {
            const std::size_t here = j * k + i;
            const double w = east[j * k + (i + k - 1) % k], s = north[(j + l - 1) % l * k + i];
            next[here] = n_[here] + ((w - east[here]) + (s - north[here]));
            magnitudes +=
                std::fabs(n_[here]) + std::fabs(w) + std::fabs(east[here]) + std::fabs(s) + std::fabs(north[here]);
        }
    n_ = std::move(next);
    // A tenth more for this sum's own roundings.
    rounding_bound_ += 1.1 * 3 * kUnit * magnitudes / static_cast<double>(n_.size());
    time_ += dt;
}

void BubblyFlow::step() {
    const auto start = std::chrono::steady_clock::now();
    advect();
    ++steps_;
    const std::vector<std::size_t> cells = most_changed();
    advection_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    solve(cells);
}

double BubblyFlow::mean_density() const {
    double sum = 0, lost = 0;
    for (const double n : n_) {
        const double term = n - lost, next = sum + term;
        lost = (next - sum) - term;
        sum = next;
    }
    return sum / static_cast<double>(n_.size());
}

} // namespace mantissa
