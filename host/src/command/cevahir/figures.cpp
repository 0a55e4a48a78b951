// Figures 4 and 5 from stored runs of `mantissa bench gpu`.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "cevahir.hpp"
#include "command/stored/stored_runs.hpp"
#include "mantissa/format.hpp"
#include "report/paper_tables.hpp"
#include "text/json_text.hpp"
#include "text/tables/table.hpp"

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
    const text::Table table("{matrix:<20}{rows:>9}{nonzeros:>11}{CPU:>9.1f}{CSR:>9.1f}{JDS:>9.1f}{JDS by rows:>13.1f}"
                            "{today:>9.1f}   {which}");
    out += "Figure 4: GFlop/s of products in single precision, 2 nonzeros / time, by nonzeros\n" + table.head();
    std::vector<double> cpu, jds, proposed, gflops, bytes, shares, today;
    const double copy = run.json.value("copy_bytes_per_second", 0.0);
    for (const Json* const m : matrices)
        for (const Json& p : m->at("products")) {
            if (p.at("arithmetic") != "float") continue;
            const double nonzeros = m->at("nonzeros").get<double>();
            const auto rate = [nonzeros](std::optional<double> s) {
                return s ? std::optional(2e-9 * nonzeros / *s) : std::nullopt;
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
            out += table.row({m->at("name"), m->at("rows"), m->at("nonzeros"), rate(processor), rate(time[0]),
                              rate(time[1]), rate(time[2]), best ? rate(best->second) : std::nullopt,
                              best ? best->first : ""});
        }
    out += fmt::format("\nmeans over {} matrices\n", gflops.size());
    const auto line = [&](const char* what, const std::string& ours, const char* theirs) {
        out += stored::ratio_line(what, ours, stored::paper_values(paper, theirs));
    };
    line("GFlop/s of JDS by rows", mean_text(gflops, 1), "mean GFlop/s of JDS by rows");
    line("CPU over CSR", mean_text(cpu, 3), "CPU over GPU-CSR");
    line("JDS over CSR", mean_text(jds, 2), "JDS over CSR");
    line("JDS by rows over CSR", mean_text(proposed, 2), "JDS by rows over CSR");
    line("bytes per entry that must move, JDS by rows", mean_text(bytes, 1), "bytes an entry");
    line("12 bytes per entry, of a copy's rate", mean_text(shares, 2), "share of the memory's rate");
    out += stored::ratio_line("today's fastest over JDS by rows", mean_text(today, 2), "-");
    out += "The paper's CSR has one thread a row; ours has two or more, chosen by the rows' length. The paper counts\n"
           "x anew for each entry (12 bytes); caches keep it now, so less must move. \"-\": not in the stored run.\n";
    return out;
}

// ---- Figure 5

bool holds_gpus(const Json& run) {
    return stored::is_kind(run, "gpus") && run.contains("sparse");
}

/// The speed-ups and rates of one arithmetic and number of GPUs, over the matrices.
struct Means {
    std::vector<double> speed_up, gflops, rival;
};

const text::Table kFigure5("{matrix:<34}{rows:>9}{nonzeros:>11}{:>8}{GPUs:>6}{us:>9.1f*1e6}{GFlop/s:>9.1f}"
                           "{speed-up:>10.2f}{library:>9.2f}");

/// A line for each number of GPUs on which CG ran on a matrix, its figures added to the means.
std::string matrix_lines(const Json& m, std::map<std::pair<std::string, int>, Means>& means) {
    std::string out;
    const double operations = 2 * m.at("nonzeros").get<double>() + 12 * m.at("rows").get<double>();
    for (const Json& p : m.at("precisions"))
        for (const Json& r : p.at("runs")) {
            const double seconds = r.at("seconds").get<double>(), speed_up = r.at("speed_up").get<double>();
            const auto arithmetic = p.at("arithmetic").get<std::string>();
            const int gpus = r.at("gpus").get<int>();
            Means& mean_of = means[{arithmetic, gpus}];
            mean_of.speed_up.push_back(speed_up);
            mean_of.gflops.push_back(1e-9 * operations / seconds);
            std::optional<double> rival;
            if (r.contains("rival") && r["rival"].contains("ratio"))
                mean_of.rival.push_back(*(rival = r["rival"]["ratio"].get<double>()));
            out += kFigure5.row({m.at("name"), m.at("rows"), m.at("nonzeros"), arithmetic, gpus, seconds,
                                 mean_of.gflops.back(), speed_up, rival});
        }
    return out;
}

/// Each matrix of the latest run that has it.
std::map<std::string, const Json*> latest_matrices(const std::vector<stored::Run>& runs) {
    std::map<std::string, const Json*> matrices;
    for (const stored::Run& run : runs) // by date
        for (const Json& m : run.json.at("sparse").at("matrices")) matrices[m.at("name").get<std::string>()] = &m;
    return matrices;
}

std::string figure5(const std::vector<stored::Run>& runs, const Ratios& paper) {
    std::string out;
    for (const stored::Run& run : runs) out += stored::origin(run);
    out +=
        "Figure 5: CG on one GPU and on several; us per iteration, GFlop/s by 2 nonzeros + 12 rows\n" + kFigure5.head();
    std::map<std::pair<std::string, int>, Means> means;
    const auto matrices = latest_matrices(runs);
    for (const auto& [name, m] : matrices) out += matrix_lines(*m, means);
    out += fmt::format("\nmeans over {} matrices\n", matrices.size());
    const auto theirs = [&paper](const std::string& what, const std::string& arithmetic, int gpus) -> std::string {
        if (arithmetic != "float") return "-";
        for (const stored::PaperRatio& r : paper)
            if (r.figure == "5" && r.what == what && r.device == fmt::format("{} GPU{}", gpus, gpus == 1 ? "" : "s"))
                return fmt::format("{}", r.value);
        return "-";
    };
    int most = 0;
    for (const auto& [key, of] : means) {
        const auto& [arithmetic, gpus] = key;
        most = std::max(most, gpus);
        const std::size_t seen = of.gflops.size();
        const std::string where = fmt::format(" of {} on {}{}", arithmetic, gpus,
                                              seen == matrices.size() ? "" : fmt::format(" ({} of them)", seen));
        out += stored::ratio_line("GFlop/s" + where, mean_text(of.gflops, 0),
                                  theirs("mean GFlop/s of CG", arithmetic, gpus));
        if (gpus > 1)
            out +=
                stored::ratio_line("speed-up" + where, mean_text(of.speed_up, 2), theirs("speed-up", arithmetic, gpus));
        out += stored::ratio_line("library over ours" + where, mean_text(of.rival, 2), "-");
    }
    out += fmt::format(
        "Run on {} GPU{} at most; the paper went to 4 (speed-up {}). Library: cuSPARSE and cuBLAS, between\n"
        "GPUs NCCL, on the same partition. The matrices are made like the paper's of more than five\n"
        "million nonzeros. \"-\": not in the stored run, or not in the paper.\n",
        most, most == 1 ? "" : "s", theirs("speed-up", "float", 4));
    return out;
}

} // namespace

std::string cevahir_figure(const CevahirFlags& flags) {
    const Ratios paper = stored::read_paper_ratios(report::paper_folder(flags.data), "cevahir_ratios.csv");
    const stored::Places places{flags.results, flags.data};
    try {
        if (flags.figure == 5) {
            const std::vector<stored::Run> runs = stored::find_all(places, holds_gpus);
            if (runs.empty())
                throw InvalidInput("Figure 5: no stored run has CG over several GPUs; make one with mantissa bench gpu "
                                   "--gpus 1,2 --output FILE.json, and name it by --results");
            if (!flags.json) return figure5(runs, paper);
            Json list = Json::array();
            for (const auto& [name, m] : latest_matrices(runs)) list.push_back(*m);
            return json_text(list) + "\n";
        }
        const stored::Run run = stored::latest(places, holds_products, 4, "products with a collection's matrices",
                                               "mantissa bench gpu --matrices FOLDER --output FILE.json");
        if (flags.json) return json_text(run.json.at("matrices")) + "\n";
        return figure4(run, paper);
    } catch (const Json::exception& fault) {
        throw InvalidInput(fmt::format("Figure {}: a stored run has another shape than this program's ({}); make it "
                                       "anew with mantissa bench gpu",
                                       flags.figure, fault.what()));
    }
}

} // namespace mantissa::cli
