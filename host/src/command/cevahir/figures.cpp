// Figures 4 and 5 from stored runs of `mantissa bench gpu`.
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "cevahir.hpp"
#include "command/stored/stored_runs.hpp"
#include "mantissa/format.hpp"
#include "report/paper_tables.hpp"

namespace mantissa::cli {

namespace {

using stored::Json;
using Ratios = std::vector<stored::PaperRatio>;

double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double v : values) sum += v;
    return sum / static_cast<double>(values.size());
}
std::string mean_text(const std::vector<double>& values, int digits) {
    return values.empty() ? "-" : fmt::format("{:.{}f}", mean(values), digits);
}

// ---- Figure 4

/// The implementations of the figure, by the names that a stored run has for them.
struct Series {
    const char *stored, *title;
};
constexpr Series kSeries[] = {{"CRS", "CSR"}, {"JDS", "JDS"}, {"JDS by rows", "JDS by rows"}};

std::optional<double> seconds_of(const Json& product, std::string_view name) {
    for (const Json& f : product.at("formats"))
        if (f.at("name") == name) return f.at("seconds").get<double>();
    return std::nullopt;
}
std::optional<std::pair<std::string, double>> fastest(const Json& product) {
    std::optional<std::pair<std::string, double>> best;
    for (const Json& f : product.at("formats"))
        if (const double s = f.at("seconds").get<double>(); !best || s < best->second)
            best = {f.at("name").get<std::string>(), s};
    return best;
}

/// Matrices of a file, not of meshes and not made for one question: the paper's kind.
bool is_collection(const Json& m) {
    const std::string name = m.value("name", "");
    return m.contains("products") && name.find(':') == std::string::npos;
}
bool holds_products(const Json& run) {
    const auto it = run.find("matrices");
    return it != run.end() && it->is_array() && std::any_of(it->begin(), it->end(), is_collection);
}

std::string figure4(const stored::Run& run, const Ratios& paper) {
    std::vector<const Json*> matrices;
    for (const Json& m : run.json.at("matrices"))
        if (is_collection(m)) matrices.push_back(&m);
    std::sort(matrices.begin(), matrices.end(), [](const Json* a, const Json* b) {
        return a->at("nonzeros").get<double>() < b->at("nonzeros").get<double>();
    });
    std::string out = stored::origin(run);
    out += fmt::format("Figure 4: GFlop/s of products in single precision, 2 nonzeros / time, by nonzeros\n{:<20}{:>9}"
                       "{:>11}{:>9}{:>9}{:>9}{:>13}{:>9}   {}\n",
                       "matrix", "rows", "nonzeros", "CPU", "CSR", "JDS", "JDS by rows", "today", "which");
    std::vector<double> cpu, jds, proposed, gflops, bytes, shares, today;
    const double copy = run.json.value("copy_bytes_per_second", 0.0);
    for (const Json* const m : matrices)
        for (const Json& p : m->at("products")) {
            if (p.at("arithmetic") != "float") continue;
            const double nonzeros = m->at("nonzeros").get<double>();
            const auto rate = [nonzeros](std::optional<double> s) {
                return s ? fmt::format("{:.1f}", 2e-9 * nonzeros / *s) : std::string("-");
            };
            std::optional<double> time[3], processor;
            for (int k = 0; k < 3; ++k) time[k] = seconds_of(p, kSeries[k].stored);
            if (p.contains("processor_seconds") && p["processor_seconds"].is_number())
                processor = p["processor_seconds"].get<double>();
            const auto best = fastest(p);
            if (processor && time[0]) cpu.push_back(*time[0] / *processor);
            if (time[0] && time[1]) jds.push_back(*time[0] / *time[1]);
            if (time[0] && time[2]) {
                proposed.push_back(*time[0] / *time[2]);
                gflops.push_back(2e-9 * nonzeros / *time[2]);
                if (copy > 0) shares.push_back(12 * nonzeros / *time[2] / copy);
                for (const Json& f : p.at("formats"))
                    if (f.at("name") == "JDS by rows") bytes.push_back(f.at("traffic").get<double>() / nonzeros);
                if (best) today.push_back(*time[2] / best->second);
            }
            out += fmt::format("{:<20}{:>9}{:>11}{:>9}{:>9}{:>9}{:>13}{:>9}   {}\n", m->at("name").get<std::string>(),
                               m->at("rows").get<std::uint64_t>(), m->at("nonzeros").get<std::uint64_t>(),
                               rate(processor), rate(time[0]), rate(time[1]), rate(time[2]),
                               best ? rate(best->second) : "-", best ? best->first : "");
        }
    out += fmt::format("\nmeans over {} matrices\n", gflops.size());
    const auto line = [&](const char* what, const std::string& ours, const char* theirs) {
        out += stored::ratio_line(what, ours, stored::paper_values(paper, theirs));
    };
    line("GFlop/s of JDS by rows", mean_text(gflops, 1), "mean GFlop/s of JDS by rows");
    line("CPU over CSR", mean_text(cpu, 3), "CPU over GPU-CSR");
    line("JDS over CSR", mean_text(jds, 2), "JDS over CSR");
    line("JDS by rows over CSR", mean_text(proposed, 2), "JDS by rows over CSR");
    line("bytes an entry that must move, JDS by rows", mean_text(bytes, 1), "bytes an entry");
    line("12 bytes an entry, of a copy's rate", mean_text(shares, 2), "share of the memory's rate");
    out += stored::ratio_line("today's fastest over JDS by rows", mean_text(today, 2), "-");
    out += "The paper's CSR has one thread a row; ours has two or more, chosen by the rows' length. The paper counts\n"
           "x anew for each entry (12 bytes); caches keep it now, so less must move. \"-\": not in the stored run.\n";
    return out;
}

} // namespace

std::string cevahir_figure(const CevahirFlags& flags) {
    const Ratios paper = stored::read_paper_ratios(report::paper_folder(flags.data), "cevahir_ratios.csv");
    const stored::Places places{flags.results, flags.data};
    try {
        if (flags.figure == 5)
            throw InvalidInput("Figure 5: no stored run has CG over several GPUs; make one with mantissa bench gpu "
                               "--gpus 1,2 --output FILE.json, and name it by --results");
        const stored::Run run = stored::latest(places, holds_products, 4, "products with a collection's matrices",
                                               "mantissa bench gpu --matrices FOLDER --output FILE.json");
        if (flags.json) return run.json.at("matrices").dump(2) + "\n";
        return figure4(run, paper);
    } catch (const Json::exception& fault) {
        throw InvalidInput(fmt::format("Figure {}: a stored run has another shape than this program's ({}); make it "
                                       "anew with mantissa bench gpu",
                                       flags.figure, fault.what()));
    }
}

} // namespace mantissa::cli
