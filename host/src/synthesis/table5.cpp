#include "table5.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>

#include "mantissa/base/files.hpp"
#include "mantissa/format.hpp"
#include "text/key_values.hpp"

namespace mantissa::synthesis {

std::vector<Table5Row> read_table5(const std::string& folder) {
    const std::string path = (std::filesystem::path(folder) / "table5_area.csv").string();
    std::istringstream lines{std::string(base::read_file(path).view())};
    std::vector<Table5Row> rows;
    int number = 0;
    bool header = false;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        if (line.empty() || line.front() == '#') continue;
        if (!header) {
            if (line != "multiplier,format,slices,mul18x18,iobs,mhz")
                throw InvalidInput(
                    fmt::format("{}:{}: the header must be multiplier,format,slices,mul18x18,iobs,mhz", path, number));
            header = true;
            continue;
        }
        std::vector<std::string> fields;
        std::istringstream parts(line);
        for (std::string field; std::getline(parts, field, ',');) fields.push_back(field);
        Table5Row row;
        const auto format = fields.size() == 6 ? try_parse_format(fields[1]) : std::nullopt;
        if (!format || !text::read_number(fields[2], row.slices) || !text::read_number(fields[3], row.multipliers) ||
            !text::read_number(fields[4], row.io_bits) || !text::read_number(fields[5], row.mhz))
            throw InvalidInput(
                fmt::format("{}:{}: not six fields of multiplier, format and four numbers", path, number));
        row.multiplier = fields[0];
        row.format = fields[1];
        row.fraction_bits = format->fraction_bits;
        rows.push_back(row);
    }
    return rows;
}

double Fit::at(double x) const {
    double y = 0;
    for (std::size_t k = coefficients.size(); k-- > 0;) y = y * x + coefficients[k];
    return y;
}

Fit fit_polynomial(const std::vector<double>& x, const std::vector<double>& y, int degree) {
    // Normal equations; three unknowns at most, and widths of two digits.
    const auto n = static_cast<std::size_t>(degree) + 1;
    std::vector<std::vector<double>> a(n, std::vector<double>(n + 1, 0.0));
    for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t r = 0; r < n; ++r) {
            for (std::size_t c = 0; c < n; ++c) a[r][c] += std::pow(x[i], static_cast<double>(r + c));
            a[r][n] += y[i] * std::pow(x[i], static_cast<double>(r));
        }
    for (std::size_t p = 0; p < n; ++p) {
        std::size_t best = p;
        for (std::size_t r = p; r < n; ++r)
            if (std::abs(a[r][p]) > std::abs(a[best][p])) best = r;
        std::swap(a[p], a[best]);
        for (std::size_t r = 0; r < n; ++r) {
            if (r == p) continue;
            const double factor = a[r][p] / a[p][p];
            for (std::size_t c = p; c <= n; ++c) a[r][c] -= factor * a[p][c];
        }
    }
    Fit fit;
    for (std::size_t r = 0; r < n; ++r) fit.coefficients.push_back(a[r][n] / a[r][r]);
    double mean = 0, rest = 0, all = 0;
    for (const double v : y) mean += v / static_cast<double>(y.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        rest += (y[i] - fit.at(x[i])) * (y[i] - fit.at(x[i]));
        all += (y[i] - mean) * (y[i] - mean);
    }
    fit.r2 = all > 0 ? 1 - rest / all : 1;
    return fit;
}

namespace {

struct Series {
    const char* colour;
    std::string name;
    std::vector<double> x, y;
};

/// One panel of points with a fitted line each.
std::string panel(const std::vector<Series>& all, double top, const std::string& title, int degree) {
    constexpr double kLeft = 80, kWidth = 520, kHeight = 220, kFirst = 14, kLast = 55;
    double highest = 1;
    for (const Series& s : all)
        for (const double y : s.y) highest = std::max(highest, y);
    highest *= 1.1;
    const auto px = [&](double x) { return kLeft + (x - kFirst) / (kLast - kFirst) * kWidth; };
    const auto py = [&](double y) { return top + kHeight - y / highest * kHeight; };
    std::string svg = fmt::format("<rect x='{}' y='{}' width='{}' height='{}' fill='none' stroke='#888'/>\n"
                                  "<text x='{}' y='{}'>{}</text>\n",
                                  kLeft, top, kWidth, kHeight, kLeft, top - 8, title);
    for (int tick = 0; tick <= 4; ++tick)
        svg += fmt::format("<text x='{}' y='{:.0f}' text-anchor='end'>{:.0f}</text>\n", kLeft - 6,
                           py(highest * tick / 4) + 4, highest * tick / 4);
    for (const int m : {17, 20, 23, 28, 36, 44, 52})
        svg += fmt::format("<text x='{:.1f}' y='{}' text-anchor='middle'>{}</text>\n", px(m), top + kHeight + 16, m);
    double legend = top + 18;
    for (const Series& s : all) {
        for (std::size_t i = 0; i < s.x.size(); ++i)
            svg += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='4' fill='{}'/>\n", px(s.x[i]), py(s.y[i]), s.colour);
        if (s.x.size() > static_cast<std::size_t>(degree) + 1) {
            const Fit fit = fit_polynomial(s.x, s.y, degree);
            svg += fmt::format("<polyline fill='none' stroke='{}' points='", s.colour);
            for (double m = 17; m <= 52; m += 1) svg += fmt::format("{:.1f},{:.1f} ", px(m), py(fit.at(m)));
            svg += "'/>\n";
        }
        svg += fmt::format("<text x='{}' y='{}' fill='{}'>{}</text>\n", kLeft + 10, legend, s.colour, s.name);
        legend += 16;
    }
    return svg;
}

} // namespace

std::string table5_svg(const std::vector<Table5Row>& rows, const std::string& multiplier) {
    Series paper{"#c33", "paper (ISE 7.1)", {}, {}}, ours{"#36c", "ours (yosys, slices estimated)", {}, {}};
    Series paper_io = paper, ours_io{"#36c", "ours", {}, {}};
    for (const Table5Row& row : rows) {
        if (row.multiplier != multiplier) continue;
        const double m = row.fraction_bits;
        paper.x.push_back(m);
        paper.y.push_back(row.slices);
        paper_io.x.push_back(m);
        paper_io.y.push_back(row.io_bits);
        if (!row.ours) continue;
        ours.x.push_back(m);
        ours.y.push_back(static_cast<double>(row.ours->slices("xc2v")));
        ours_io.x.push_back(m);
        ours_io.y.push_back(static_cast<double>(row.ours->io_bits));
    }
    const bool logic = multiplier == "logic";
    return "<svg xmlns='http://www.w3.org/2000/svg' width='640' height='580' font-family='sans-serif' font-size='12'>\n"
           "<rect width='640' height='580' fill='white'/>\n" +
           panel({paper, ours}, 40, fmt::format("Slices over fraction bits, {} multipliers", logic ? "logic" : "hard"),
                 logic ? 2 : 1) +
           panel({paper_io, ours_io}, 320, "I/O bits over fraction bits", 1) + "</svg>\n";
}

} // namespace mantissa::synthesis
