#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "mantissa/host/flow.hpp"
#include "pictures/image.hpp"
#include "text/counted.hpp"

namespace mantissa {

namespace {

using pictures::Colour;

constexpr std::size_t kSide = 256; // of a panel, about

Colour between(const Colour& a, const Colour& b, double part) {
    Colour c{};
    for (std::size_t k = 0; k < c.size(); ++k) c[k] = a[k] + std::clamp(part, 0.0, 1.0) * (b[k] - a[k]);
    return c;
}

/// White over blue to dark, `part` from 0 to 1.
Colour density_colour(double part) {
    constexpr Colour kMiddle{0.35, 0.60, 0.85}, kDense{0.04, 0.10, 0.30};
    return part < 0.5 ? between(pictures::kPaper, kMiddle, 2 * part) : between(kMiddle, kDense, 2 * part - 1);
}

/// Red below zero, blue above, `part` from -1 to 1.
Colour potential_colour(double part) {
    constexpr Colour kLow{0.75, 0.20, 0.15}, kHigh{0.10, 0.30, 0.70};
    return between(pictures::kPaper, part < 0 ? kLow : kHigh, std::fabs(part));
}

pictures::Image density_image(const FlowOptions& o, const FlowFrame& frame, double most) {
    const std::size_t times = std::max<std::size_t>(1, kSide / std::max(o.columns, o.rows));
    pictures::Image image(times * o.columns, times * o.rows);
    for (std::size_t y = 0; y < image.height; ++y)
        for (std::size_t x = 0; x < image.width; ++x) {
            const std::size_t row = o.rows - 1 - y / times; // the picture's rows begin at the top
            image.set(x, y, density_colour(frame.density[row * o.columns + x / times] / most));
        }
    return image;
}

/// The potential that the bubbles make, with lines where it is equal, and the bubbles themselves.
pictures::Image cell_image(const BubbleCell& cell, std::span<const double> q) {
    constexpr Colour kBubble{0.85, 0.85, 0.82};
    constexpr double kLines = 12;
    constexpr double kRim = 1.25; // so near a bubble the rule of summation shows: no lines there
    std::vector<double> value(kSide * kSide, 0.0);
    std::vector<bool> inside(kSide * kSide, false), rim(kSide * kSide, false);
    const double most = cell.radius * std::hypot(cell.drive[0], cell.drive[1]); // one bubble's greatest
    for (std::size_t y = 0; y < kSide; ++y)
        for (std::size_t x = 0; x < kSide; ++x) {
            const Point2 at{(static_cast<double>(x) + 0.5) / kSide, 1 - (static_cast<double>(y) + 0.5) / kSide};
            const std::size_t i = y * kSide + x;
            for (const Point2& c : cell.centres) {
                const double distance = std::hypot(at[0] - c[0], at[1] - c[1]);
                inside[i] = inside[i] || distance <= cell.radius;
                rim[i] = rim[i] || distance <= kRim * cell.radius;
            }
            if (!inside[i]) value[i] = bubble_potential(cell, q, at);
        }
    pictures::Image image(kSide, kSide);
    for (std::size_t i = 0; i < value.size(); ++i) {
        const double part = most > 0 ? value[i] / most : 0;
        const double band = std::floor(part * kLines);
        const std::size_t right = (i + 1) % kSide == 0 ? i : i + 1, below = i + kSide < value.size() ? i + kSide : i;
        const bool line =
            !rim[i] && most > 0 &&
            (std::floor(value[right] / most * kLines) != band || std::floor(value[below] / most * kLines) != band);
        const Colour ground = potential_colour(part);
        image.set(i % kSide, i / kSide, inside[i] ? kBubble : line ? between(ground, {0, 0, 0}, 0.35) : ground);
    }
    return image;
}

} // namespace

std::string flow_picture(const FlowOptions& options, std::span<const FlowFrame> frames, const BubbleCell& cell,
                         std::span<const double> q) {
    double most = 0;
    for (const FlowFrame& f : frames)
        for (const double n : f.density) most = std::max(most, n);
    std::vector<pictures::Panel> panels;
    for (const FlowFrame& f : frames) {
        const auto [low, high] = std::minmax_element(f.density.begin(), f.density.end());
        panels.push_back({density_image(options, f, most),
                          {fmt::format("step {}, time {:.3g}", f.step, f.time),
                           fmt::format("share of bubbles {:.4f} to {:.4f}", *low, *high)}});
    }
    panels.push_back({cell_image(cell, q),
                      {fmt::format("inside one cell: {}, {} unknowns", text::counted(cell.centres.size(), "bubble"),
                                   cell.unknowns()),
                       "potential of the fluid, and lines where it is equal"}});
    return pictures::drawing_of(panels, 3, fmt::format("Bubbly flow on {} x {} cells", options.columns, options.rows));
}

} // namespace mantissa
