// The document as tables for people.
#include <algorithm>

#include <fmt/format.h>

#include "join.hpp"
#include "text/counted.hpp"

namespace mantissa::compare {

namespace {

/// Figures that are modelled carry a star.
std::string seconds_of(results::Json& row) {
    return findings::time_text(row["seconds"].get<double>()) + (row["seconds_kind"] == "modelled" ? "*" : "");
}

std::string mhz_of(results::Json& row) {
    return fmt::format("{:.1f}{}", row["clock_hz"].get<double>() / 1e6, row["clock_kind"] == "modelled" ? "*" : "");
}

std::string area_of(results::Json& row) {
    const results::Json& modelled = row["modelled"];
    const bool star = std::find(modelled.begin(), modelled.end(), results::Json("area_share")) != modelled.end();
    return fmt::format("{:.1f}%{}", 100 * row["area_share"].get<double>(), star ? "*" : "");
}

/// A design or row by its specification, and whether its vectors stay on the chip or its recurrence is another.
std::string name_of(const results::Json& item) {
    const auto it = item.find("resident");
    const bool sparse = item.value("sparse", false);
    const bool resident = it != item.end() && !it->is_null() && *it != false;
    return item.at("spec").get<std::string>() + (resident                         ? ", resident"
                                                 : sparse                         ? ", sparse"
                                                 : item.value("chebyshev", false) ? ", chebyshev"
                                                                                  : "");
}

/// Sparse cores, with the times beside them behind those of their problem.
std::string sparse_text(const results::Json& rows) {
    std::string out, problem;
    const auto figure = [](const results::Json& value, double scale, int digits) {
        return value.is_null() ? std::string("-") : fmt::format("{:.{}f}", value.get<double>() * scale, digits);
    };
    for (const results::Json& row : rows) {
        if (row.at("problem") != problem) {
            problem = row.at("problem");
            out += fmt::format("\nSparse cores on {}\n  {:<72}{:>9}{:>8}{:>10}{:>9}{:>10}{:>7}{:>12}{:>11}{:>12}\n",
                               problem, "cores", "channels", "MHz", "us a pass", "GB/s", "Gop/s", "W", "Gop/s/W",
                               "iterations", "time");
        }
        const bool ours = row.contains("clock_hz");
        const std::string name =
            ours ? fmt::format("{}, {} of {} ({})", row.at("device").get<std::string>(),
                               row.at("label").get<std::string>(), row.at("spec").get<std::string>(),
                               row.at("multiplier").get<std::string>())
                 : fmt::format("{} ({})", row.at("label").get<std::string>(), row.at("kind").get<std::string>());
        out += fmt::format(
            "  {:<72}{:>9}{:>8}{:>10}{:>9}{:>10}{:>7}{:>12}{:>11}{:>12}\n", name,
            ours ? std::to_string(row.at("channels").get<std::uint64_t>()) : "-",
            ours ? figure(row.at("clock_hz"), 1e-6, 1) : "-",
            figure(row.at("seconds_per_iteration"), 1e6, 2) + (ours ? "*" : ""),
            figure(row.at("bytes_per_second"), 1e-9, 1), figure(row.at("operations_per_second"), 1e-9, 1),
            figure(row.at("watts"), 1, 0), figure(row.at("operations_per_joule"), 1e-9, 3),
            row.at("iterations").is_null() ? "-" : std::to_string(row.at("iterations").get<std::uint64_t>()),
            row.at("seconds").is_null() ? row.at("status").is_null() ? "-" : row.at("status").get<std::string>()
                                        : findings::time_text(row.at("seconds").get<double>()) + (ours ? "*" : ""));
    }
    if (!out.empty()) out += "  (* modelled, from simulated clocks; watts are the greatest power)\n";
    return out;
}

/// The fastest row of each problem and device.
results::Json best_of_cg(const results::Json& document) {
    results::Json best = results::Json::array();
    for (const results::Json& row : document.at("rows")) {
        results::Json* known = nullptr;
        for (results::Json& other : best)
            if (other.at("problem") == row.at("problem") && other.at("device") == row.at("device")) known = &other;
        if (known == nullptr) best.push_back(row);
        else if (row.at("seconds") < known->at("seconds")) *known = row;
    }
    return best;
}

} // namespace

std::string comparison_text(results::Json d) {
    std::string out =
        fmt::format("{}: {}, {} per step, to {:.0e}\n", d["name"].get<std::string>(), d["scheme"].get<std::string>(),
                    text::counted(d["inner"].get<std::uint64_t>(), "inner iteration"), d["tolerance"].get<double>());
    std::string problem;
    for (results::Json& x : d["designs"]) {
        if (x["problem"] != problem) {
            problem = x["problem"];
            out += fmt::format("\n{}, {} unknowns\n  {:<62}{:>11}{:>8}{:>17}{:>15}\n", problem,
                               x["unknowns"].get<std::uint64_t>(), "design", "iterations", "outer", "clocks per pass",
                               "B per element");
        }
        out += fmt::format(
            "  {:<62}{:>11}{:>8}{:>17}{:>15}\n", name_of(x),
            x["status"] == "converged" ? std::to_string(x["inner_iterations"].get<std::uint64_t>())
                                       : x["status"].get<std::string>(),
            x["outer_iterations"].get<std::uint64_t>(),
            x["cycles_per_iteration"].is_null() ? "-" : fmt::format("{:.1f}", x["cycles_per_iteration"].get<double>()),
            fmt::format("{:.4g}", x["bytes_per_element"].get<double>()));
    }
    for (results::Json& device : d["devices"]) {
        std::string last;
        for (results::Json& row : d["rows"]) {
            if (row["device"] != device["id"] || !row["pareto"].get<bool>()) continue;
            if (row["problem"] != last) {
                last = row["problem"];
                out += fmt::format(
                    "\nFront of area against time on {}, {}\n  {:<62}{:<8}{:>6}{:>7}{:>7}{:>9}{:>10}{:>12}  {}\n",
                    device["name"].get<std::string>(), last, "design", "mults", "cores", "lanes", "inner", "MHz",
                    "area", "time", "bound by");
            }
            out += fmt::format("  {:<62}{:<8}{:>6}{:>7}{:>7}{:>9}{:>10}{:>12}  {}\n", name_of(row),
                               row["multiplier"].get<std::string>(), row["cores"].get<std::uint64_t>(),
                               row["lanes"].get<std::uint64_t>(), row["inner"].get<std::uint64_t>(), mhz_of(row),
                               area_of(row), seconds_of(row), row["bound"].get<std::string>());
        }
    }
    if (!d["rows"].empty()) out += "  (* modelled; slices, and so area, are estimates)\n";
    if (d.contains("sparse")) out += sparse_text(d["sparse"]);
    if (d.contains("cycle_cores")) out += cycle_cores_text(d["cycle_cores"], best_of_cg(d));
    if (!d["peers"].empty()) {
        out += fmt::format("\nBeside it\n  {:<22}{:<60}{:>11}{:>12}{:>12}\n", "problem", "run", "iterations", "time",
                           "residual");
        for (results::Json& p : d["peers"])
            out += fmt::format(
                "  {:<22}{:<60}{:>11}{:>12}{:>12}\n", p["problem"].get<std::string>(), p["label"].get<std::string>(),
                p["iterations"].get<std::uint64_t>(), findings::time_text(p["seconds"].get<double>()),
                p["true_residual"].is_null() ? "-" : fmt::format("{:.1e}", p["true_residual"].get<double>()));
    }
    if (!d["findings"].empty()) out += "\nFindings\n";
    for (const results::Json& f : d["findings"]) out += fmt::format("  - {}\n", f.get<std::string>());
    if (!d["gaps"].empty()) out += "\nGaps\n";
    for (results::Json& g : d["gaps"])
        out += fmt::format("  - {}: {}; {}\n", g["what"].get<std::string>(), g["why"].get<std::string>(),
                           g["mend"].get<std::string>());
    return out;
}

} // namespace mantissa::compare
