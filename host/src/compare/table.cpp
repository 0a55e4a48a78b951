// The document as tables for people.
#include <algorithm>

#include <fmt/format.h>

#include "join.hpp"
#include "text/counted.hpp"
#include "text/tables/table.hpp"

namespace mantissa::compare {

namespace {

using results::Json;
using text::Table;

/// Seconds in the unit that suits them; modelled ones carry a star.
std::string time_of(const Json& seconds, bool modelled) {
    return findings::time_text(seconds.get<double>()) + (modelled ? "*" : "");
}

/// A design or row by its specification, and whether its vectors stay on the chip or its recurrence is another.
std::string name_of(const Json& item) {
    const auto it = item.find("resident");
    const bool sparse = item.value("sparse", false);
    const bool resident = it != item.end() && !it->is_null() && *it != false;
    return item.at("spec").get<std::string>() + (resident                         ? ", resident"
                                                 : sparse                         ? ", sparse"
                                                 : item.value("chebyshev", false) ? ", chebyshev"
                                                                                  : "");
}

/// Sparse cores, with the times beside them behind those of their problem.
std::string sparse_text(const Json& rows) {
    const Table table(
        "  {cores=name:<72}{channels:>9}{MHz=clock_hz:>8.1f*1e-6}{us a pass=seconds_per_iteration:>10.2f*1e6}"
        "{GB/s=bytes_per_second:>9.1f*1e-9}{Gop/s=operations_per_second:>10.1f*1e-9}{W=watts:>7.0f}"
        "{Gop/s/W=operations_per_joule:>12.3f*1e-9}{iterations:>11}{time:>12}");
    std::string out, problem;
    for (Json row : rows) {
        if (row["problem"] != problem) {
            problem = row["problem"];
            out += fmt::format("\nSparse cores on {}\n{}", problem, table.head());
        }
        const auto word = [&row](const char* key) { return row.at(key).get<std::string>(); };
        const bool ours = row.contains("clock_hz");
        row["name"] =
            ours ? fmt::format("{}, {} of {} ({})", word("device"), word("label"), word("spec"), word("multiplier"))
                 : fmt::format("{} ({})", word("label"), word("kind"));
        row["time"] = row.at("seconds").is_null() ? row.at("status") : Json(time_of(row.at("seconds"), ours));
        out += table.rows(Json::array({row}));
    }
    if (!out.empty()) out += "  (* modelled, from simulated clocks; watts are the greatest power)\n";
    return out;
}

/// The fastest row of each problem and device.
Json best_of_cg(const Json& document) {
    Json best = Json::array();
    for (const Json& row : document.at("rows")) {
        Json* known = nullptr;
        for (Json& other : best)
            if (other.at("problem") == row.at("problem") && other.at("device") == row.at("device")) known = &other;
        if (known == nullptr) best.push_back(row);
        else if (row.at("seconds") < known->at("seconds")) *known = row;
    }
    return best;
}

} // namespace

std::string comparison_text(Json d) {
    std::string out =
        fmt::format("{}: {}, {} per step, to {:.0e}\n", d["name"].get<std::string>(), d["scheme"].get<std::string>(),
                    text::counted(d["inner"].get<std::uint64_t>(), "inner iteration"), d["tolerance"].get<double>());
    std::string problem;
    const Table designs("  {design=name:<62}{iterations:>11}{outer=outer_iterations:>8}"
                        "{clocks per pass=cycles_per_iteration:>17.1f}{B per element=bytes_per_element:>15.4g}");
    for (Json& x : d["designs"]) {
        if (x["problem"] != problem) {
            problem = x["problem"];
            out += fmt::format("\n{}, {} unknowns\n{}", problem, x["unknowns"].get<std::uint64_t>(), designs.head());
        }
        x["name"] = name_of(x);
        x["iterations"] = Json(x.at(x["status"] == "converged" ? "inner_iterations" : "status"));
        out += designs.rows(Json::array({x}));
    }
    const Table front("  {design=name:<62}{mults=multiplier:<8}{cores:>6}{lanes:>7}{inner:>7}{MHz=clock_hz:>9.1f*1e-6}"
                      "{area=area_share:>10.1f%*100}{time:>12}  {bound by=bound}");
    for (const Json& device : d["devices"]) {
        std::string last;
        for (Json& row : d["rows"]) {
            if (row["device"] != device["id"] || !row["pareto"].get<bool>()) continue;
            if (row["problem"] != last) {
                last = row["problem"];
                out += fmt::format("\nFront of area against time on {}, {}\n{}", device["name"].get<std::string>(),
                                   last, front.head());
            }
            row["name"] = name_of(row);
            row["time"] = time_of(row["seconds"], row["seconds_kind"] == "modelled");
            if (row["clock_kind"] == "modelled") row["modelled"].push_back("clock_hz");
            out += front.rows(Json::array({row}));
        }
    }
    if (!d["rows"].empty()) out += "  (* modelled; slices, and so area, are estimates)\n";
    if (d.contains("sparse")) out += sparse_text(d["sparse"]);
    if (d.contains("cycle_cores")) out += cycle_cores_text(d["cycle_cores"], best_of_cg(d));
    if (!d["peers"].empty()) {
        const Table table("  {problem:<22}{run=label:<60}{iterations:>11}{time:>12}{residual=true_residual:>12.1e}");
        for (Json& p : d["peers"]) p["time"] = time_of(p["seconds"], false);
        out += "\nBeside it\n" + table.head() + table.rows(d["peers"]);
    }
    if (!d["findings"].empty()) out += "\nFindings\n";
    for (const Json& f : d["findings"]) out += fmt::format("  - {}\n", f.get<std::string>());
    if (!d["gaps"].empty()) out += "\nGaps\n";
    for (Json& g : d["gaps"])
        out += fmt::format("  - {}: {}; {}\n", g["what"].get<std::string>(), g["why"].get<std::string>(),
                           g["mend"].get<std::string>());
    return out;
}

} // namespace mantissa::compare
