#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "curves.hpp"

namespace mantissa::residuals {

namespace {

constexpr double kWidth = 420, kHeight = 300, kLeft = 56, kTop = 34, kBottom = 44, kGap = 24;
constexpr std::array<const char*, 8> kColours = {"#1f4e79", "#c0392b", "#2e8b57", "#b8860b",
                                                 "#6a3d9a", "#e67e22", "#17808a", "#555555"};

/// One system's plot: iterations to the right, the power of ten of a residual upwards.
struct Frame {
    double left, last;
    int low; ///< the lowest power of ten shown
    [[nodiscard]] double x(double iteration) const { return left + kWidth * iteration / last; }
    [[nodiscard]] double y(double value) const {
        return kTop + kHeight * std::clamp((1 - std::log10(value)) / (1 - low), 0.0, 1.0);
    }
};

Frame frame_of(const SystemCurves& system, double left) {
    Frame frame{left, 1, -1};
    for (const Curve& c : system.curves) {
        if (!c.iteration.empty()) frame.last = std::max(frame.last, static_cast<double>(c.iteration.back()));
        for (const double value : c.true_residual)
            if (value > 0 && std::isfinite(value))
                frame.low = std::min(frame.low, static_cast<int>(std::floor(std::log10(value))));
        // What the recurrence believes may fall for ever: four powers below the true ones tell enough.
    }
    frame.low = std::max(frame.low - 2, -18);
    return frame;
}

/// 1, 2 or 5 times a power of ten, for some five steps to `last`.
double tick_step(double last) {
    const double power = std::pow(10, std::floor(std::log10(last / 4)));
    for (const double m : {1.0, 2.0, 5.0})
        if (last / (m * power) <= 6) return m * power;
    return 10 * power;
}

std::string axes(const Frame& f, const std::string& title) {
    std::string out = fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" fill=\"none\" "
                                  "stroke=\"#888\"/>\n<text x=\"{:.1f}\" y=\"{:.1f}\" font-weight=\"bold\">{}</text>\n",
                                  f.left, kTop, kWidth, kHeight, f.left, kTop - 12, title);
    for (int power = f.low; power <= 1; ++power) {
        const double y = f.y(std::pow(10, power));
        if ((1 - f.low) > 10 && power % 2 != 0) continue;
        out += fmt::format("<path d=\"M{0:.1f} {1:.1f}h{2}\" stroke=\"#e4e4e4\"/>\n<text x=\"{3:.1f}\" y=\"{4:.1f}\" "
                           "text-anchor=\"end\">10<tspan dy=\"-5\" font-size=\"9\">{5}</tspan></text>\n",
                           f.left, y, kWidth, f.left - 6, y + 4, power);
    }
    const double step = tick_step(f.last);
    for (double k = 0; k <= f.last; k += step)
        out += fmt::format("<path d=\"M{0:.1f} {1:.1f}v5\" stroke=\"#888\"/>\n<text x=\"{0:.1f}\" y=\"{2:.1f}\" "
                           "text-anchor=\"middle\">{3:.0f}</text>\n",
                           f.x(k), kTop + kHeight, kTop + kHeight + 18, k);
    return out + fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">iterations</text>\n",
                             f.left + kWidth / 2, kTop + kHeight + 36);
}

std::string line(const Frame& f, const Curve& c, const std::vector<double>& values, const char* colour, bool dashed) {
    std::string path;
    bool drawn = false; // a gap where there is no number, nothing left, or less than is shown
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool there = std::isfinite(values[i]) && values[i] > 0;
        if (there && (drawn || values[i] >= std::pow(10, f.low)))
            path += fmt::format("{}{:.1f} {:.1f}", drawn ? "L" : "M", f.x(static_cast<double>(c.iteration[i])),
                                f.y(values[i]));
        drawn = there && values[i] >= std::pow(10, f.low);
    }
    return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"{}/>\n", path, colour,
                       dashed ? 1 : 1.8, dashed ? " stroke-dasharray=\"5 3\"" : "");
}

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '&') out += "&amp;";
        else if (c == '<') out += "&lt;";
        else out += c;
    }
    return out;
}

/// The problem's kind, the file's name and its options, without folders.
std::string title_of(const SystemCurves& system) {
    const std::size_t colon = system.problem.find(':');
    std::string rest = colon == std::string::npos ? system.problem : system.problem.substr(colon + 1);
    if (const std::size_t slash = rest.rfind('/'); slash != std::string::npos) rest.erase(0, slash + 1);
    const std::string kind = colon == std::string::npos ? "" : system.problem.substr(0, colon) + ": ";
    return escaped(fmt::format("{}{} ({} unknowns)", kind, rest, system.unknowns));
}

} // namespace

std::string picture_of_curves(const std::vector<SystemCurves>& systems) {
    std::vector<std::string> specs; // in the order of their first curve: each keeps its colour
    for (const SystemCurves& system : systems)
        for (const Curve& c : system.curves)
            if (std::ranges::find(specs, c.spec) == specs.end()) specs.push_back(c.spec);
    const auto colour = [&](const std::string& spec) {
        return kColours[static_cast<std::size_t>(std::ranges::find(specs, spec) - specs.begin()) % kColours.size()];
    };
    // Two plots a row.
    const std::size_t columns = std::min<std::size_t>(2, std::max<std::size_t>(1, systems.size()));
    const std::size_t rows = (systems.size() + columns - 1) / columns;
    const double each = kLeft + kWidth + kGap, tall = kTop + kHeight + kBottom;
    const double width = static_cast<double>(columns) * each, plots = static_cast<double>(rows) * tall;
    const double height = plots + 18 * static_cast<double>(specs.size() + 1) + 16;
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" font-family=\"sans-serif\" font-size=\"12\"><rect width=\"100%\" height=\"100%\" "
        "fill=\"white\"/>\n",
        width, height);
    for (std::size_t i = 0; i < systems.size(); ++i) {
        const Frame f = frame_of(systems[i], kLeft + static_cast<double>(i % columns) * each);
        out += fmt::format("<g transform=\"translate(0 {:.0f})\">\n", static_cast<double>(i / columns) * tall);
        out += axes(f, title_of(systems[i]));
        for (const Curve& c : systems[i].curves) {
            out += line(f, c, c.recursive, colour(c.spec), true);
            out += line(f, c, c.true_residual, colour(c.spec), false);
        }
        out += "</g>\n";
    }
    double y = plots + 14;
    out += fmt::format("<text x=\"{0}\" y=\"{1:.0f}\">Full lines: the true residual, ||b - A x|| / ||b|| in double "
                       "precision. Dashed: what the recurrence believes.</text>\n",
                       kLeft, y);
    for (const std::string& spec : specs) {
        y += 18;
        out += fmt::format("<path d=\"M{0} {1:.1f}h28\" stroke=\"{2}\" stroke-width=\"2\"/>\n<text x=\"{3}\" "
                           "y=\"{4:.1f}\">{5}</text>\n",
                           kLeft, y - 4, colour(spec), kLeft + 36, y, escaped(spec));
    }
    return out + "</svg>\n";
}

} // namespace mantissa::residuals
