// Figures 8 to 11 from stored runs of `mantissa bench`.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "cnc.hpp"
#include "command/command.hpp"
#include "command/stored/stored_runs.hpp"
#include "mantissa/format.hpp"
#include "report/paper_tables.hpp"
#include "text/json_text.hpp"
#include "text/tables/table.hpp"

namespace mantissa::cli {

namespace {

using stored::is_kind;
using stored::paper_values;
using stored::PaperRatio;
using StoredRun = stored::Run;

std::optional<StoredRun> find_latest(const CncFlags& flags, const std::function<bool(const CncJson&)>& wanted) {
    return stored::find_latest({flags.results, flags.data}, wanted);
}
StoredRun latest(const CncFlags& flags, const std::function<bool(const CncJson&)>& wanted, const std::string& what,
                 const std::string& mend) {
    return stored::latest({flags.results, flags.data}, wanted, flags.figure, what, mend);
}

double geometric_mean(const std::vector<double>& ratios) {
    double sum = 0;
    for (const double r : ratios) sum += std::log(r);
    return ratios.empty() ? NAN : std::exp(sum / static_cast<double>(ratios.size()));
}

std::string ratio_text(const std::vector<double>& ratios) {
    return ratios.empty() ? "-" : fmt::format("{:.2f}", geometric_mean(ratios));
}

void print_origin(std::string& out, const StoredRun& run) {
    out += stored::origin(run);
}
void print_ratio(std::string& out, const std::string& what, const std::string& ours, const std::string& paper) {
    out += stored::ratio_line(what, ours, paper);
}

// ---- Figure 8

std::string figure8(const CncFlags& flags, const std::vector<PaperRatio>& paper) {
    std::string out;
    const StoredRun run = latest(
        flags, [](const CncJson& j) { return is_kind(j, "blas1"); }, "level-1 operations over sizes",
        "mantissa bench gpu --blas1 --output FILE.json");
    if (flags.json) {
        return json_text(run.json.at("runs")) + "\n";
    }
    print_origin(out, run);
    std::string columns = "{n:>10}";
    for (const char* operation : {"axpy", "dot", "nrm2"})
        columns += fmt::format("{{{}:>10.1f}}{{cuBLAS:>9.1f}}{{CPU:>10.2f}}{{of copy:>8.2f}}", operation);
    const text::Table table(columns);
    out += "Figure 8: GFlop/s in single precision against the length of the vectors\n" + table.head();
    std::map<std::uint64_t, std::map<std::string, const CncJson*>> sizes;
    for (const CncJson& r : run.json.at("runs"))
        if (r.at("arithmetic") == "float") sizes[r.at("n")][r.at("operation")] = &r;
    std::map<std::string, double> best_gpu, best_cpu;
    for (const auto& [n, operations] : sizes) {
        std::vector<text::Cell> row = {n};
        for (const char* operation : {"axpy", "dot", "nrm2"}) {
            const auto it = operations.find(operation);
            if (it == operations.end()) {
                row.insert(row.end(), {"", "", "", "-"});
                continue;
            }
            const CncJson& r = *it->second;
            const double work = 1e-9 * r.at("operations").get<double>();
            const double gpu = work / r.at("seconds").get<double>();
            const double cublas = work / r.at("cublas_seconds").get<double>();
            const double cpu = work / r.at("processor_seconds").get<double>();
            best_gpu[operation] = std::max(best_gpu[operation], gpu);
            best_cpu[operation] = std::max(best_cpu[operation], cpu);
            row.insert(row.end(), {gpu, cublas, cpu, r.at("share_of_copy")});
        }
        out += table.row(row);
    }
    out += fmt::format("\n");
    for (const std::string operation : {"axpy", "nrm2"}) {
        print_ratio(out, operation + ", GFlop/s at best, GPU", fmt::format("{:.0f}", best_gpu[operation]),
                    paper_values(paper, operation + " GFlop/s"));
        print_ratio(out, operation + ", GFlop/s at best, CPU", fmt::format("{:.1f}", best_cpu[operation]), "above");
        print_ratio(out, operation + ", GPU over CPU", fmt::format("{:.1f}", best_gpu[operation] / best_cpu[operation]),
                    paper_values(paper, operation + " GPU over CPU"));
    }
    out += fmt::format(
        "The CPU's column is Mantissa's own, with all threads of that machine; the paper's is the MKL on two cores.\n");
    return out;
}

// ---- Figure 9

std::optional<double> listed_seconds(const CncJson& list, std::string_view name) {
    for (const CncJson& f : list)
        if (f.at("name") == name) return f.at("seconds").get<double>();
    return std::nullopt;
}

struct Figure9Ratios {
    std::vector<double> bcrs2, bcrs4, rivals, product, pcg;
};

const text::Table kFigure9("{matrix:<34}{rows:>9}{nonzeros:>10}{CRS:>9.1f}{BCRS2:>9.1f}{BCRS4:>9.1f}{best:>9.1f}"
                           "{cuSPARSE:>10.1f}{PCG:>9.1f}");

/// One matrix's row; its ratios join `ratios`.
void print_figure9_row(std::string& out, const CncJson& m, Figure9Ratios& ratios) {
    const double nonzeros = m.at("nonzeros").get<double>(), rows = m.at("rows").get<double>();
    const auto rate = [&](const std::optional<double>& seconds) {
        return seconds ? std::optional(2e-9 * nonzeros / *seconds) : std::nullopt;
    };
    for (const CncJson& p : m.at("products")) {
        if (p.at("arithmetic") != "float") continue;
        const CncJson& formats = p.at("formats");
        const auto crs = listed_seconds(formats, "CRS"), two = listed_seconds(formats, "BCRS 2x2"),
                   four = listed_seconds(formats, "BCRS 4x4");
        std::optional<double> best, rival;
        for (const CncJson& f : formats) best = std::min(best.value_or(HUGE_VAL), f.at("seconds").get<double>());
        for (const CncJson& f : p.at("cusparse"))
            rival = std::min(rival.value_or(HUGE_VAL), f.at("seconds").get<double>());
        if (crs && two) ratios.bcrs2.push_back(*crs / *two);
        if (two && four) ratios.bcrs4.push_back(*two / *four);
        if (best && rival) ratios.rivals.push_back(*rival / *best);
        std::optional<double> processor;
        if (p.contains("processor_seconds") && p["processor_seconds"].is_number())
            processor = p["processor_seconds"].get<double>();
        if (processor && best) ratios.product.push_back(*processor / *best);
        // A step of CG: a product, two dot products, a norm, three updates, a product with the diagonal.
        std::optional<double> pcg;
        for (const CncJson& c : m.value("jacobi_cg", CncJson::array())) {
            const double iterations = c.at("iterations").get<double>();
            if (iterations > 0) pcg = std::min(pcg.value_or(HUGE_VAL), c.at("seconds").get<double>() / iterations);
        }
        if (const auto it = m.find("jacobi_cg_processor"); it != m.end() && it->is_object() && pcg) {
            const double iterations = it->at("iterations").get<double>();
            if (iterations > 0) ratios.pcg.push_back(it->at("seconds").get<double>() / iterations / *pcg);
        }
        out +=
            kFigure9.row({m.at("name"), m.at("rows"), m.at("nonzeros"), rate(crs), rate(two), rate(four), rate(best),
                          rate(rival), pcg ? std::optional(1e-9 * (2 * nonzeros + 12 * rows) / *pcg) : std::nullopt});
    }
}

/// Steps of textbook Jacobi CG in double, on the GPU beside the processor, from another stored run.
void print_steps(std::string& out, const StoredRun& run, std::vector<double>& ratios) {
    print_origin(out, run);
    const text::Table table("{system:<34}{rows:>9}{nonzeros:>10}{GPU, us:>12.2f}{GFlop/s:>10.1f}{processor, us:>14.1f}"
                            "{ratio:>8.2f}");
    out += "Steps of Jacobi CG in double, (2 nonzeros + 12 rows) / time\n" + table.head();
    for (const CncJson& system : run.json.at("systems")) {
        const double rows = system.at("rows").get<double>(), nonzeros = system.at("nonzeros").get<double>();
        std::optional<double> gpu, processor;
        for (const CncJson& r : system.at("runs"))
            if (r.at("arithmetic") == "double")
                for (const CncJson& solve : r.at("solves"))
                    if (solve.at("method") == "textbook")
                        gpu = std::min(gpu.value_or(HUGE_VAL), solve.at("us_per_iteration").get<double>());
        for (const CncJson& p : system.at("processor"))
            processor = std::min(processor.value_or(HUGE_VAL),
                                 1e6 * p.at("wall_seconds").get<double>() / p.at("iterations").get<double>());
        if (!gpu || !processor) continue;
        ratios.push_back(*processor / *gpu);
        out += table.row({system.at("name"), system.at("rows"), system.at("nonzeros"), *gpu,
                          1e-3 * (2 * nonzeros + 12 * rows) / *gpu, *processor, ratios.back()});
    }
}

std::string figure9(const CncFlags& flags, const std::vector<PaperRatio>& paper) {
    std::string out;
    const auto of_mesh = [](const CncJson& m) {
        const std::string name = m.value("name", "");
        return name.find("lscm") != std::string::npos || name.find("dsi") != std::string::npos;
    };
    const auto holds = [](const CncJson& j, const auto& wanted) {
        const auto it = j.find("matrices");
        return it != j.end() && it->is_array() && std::any_of(it->begin(), it->end(), [&](const CncJson& m) {
                   return m.contains("products") && wanted(m);
               });
    };
    const StoredRun run = latest(
        flags, [&](const CncJson& j) { return holds(j, of_mesh); }, "products with matrices of meshes (lscm, dsi)",
        "mantissa bench gpu with matrices of meshes");
    if (flags.json) {
        return json_text(run.json.at("matrices")) + "\n";
    }
    print_origin(out, run);
    out += "Figure 9: GFlop/s of products in single precision, 2 nonzeros / time, and of a step of Jacobi CG\n" +
           kFigure9.head();
    Figure9Ratios ratios;
    for (const CncJson& m : run.json.at("matrices"))
        if (m.contains("products") && of_mesh(m)) print_figure9_row(out, m, ratios);
    if (const auto steps = find_latest(flags, [](const CncJson& j) { return is_kind(j, "textbook_cg"); })) {
        out += "\n";
        print_steps(out, *steps, ratios.pcg);
    }
    out += fmt::format("\ngeometric means\n");
    print_ratio(out, "BCRS 2x2 over CRS", ratio_text(ratios.bcrs2), paper_values(paper, "BCRS 2x2 over CRS"));
    print_ratio(out, "BCRS 4x4 over BCRS 2x2", ratio_text(ratios.bcrs4), paper_values(paper, "BCRS 4x4 over BCRS 2x2"));
    print_ratio(out, "best format over cuSPARSE's best", ratio_text(ratios.rivals), "-");
    print_ratio(out, "product, GPU over CPU", ratio_text(ratios.product), paper_values(paper, "product GPU over CPU"));
    print_ratio(out, "step of Jacobi CG, GPU over CPU", ratio_text(ratios.pcg),
                paper_values(paper, "PCG GPU over CPU"));
    if (ratios.product.empty() || ratios.pcg.empty())
        out += fmt::format("-: the stored run has no times of {} on the processor\n",
                           ratios.product.empty() && ratios.pcg.empty() ? "products and of CG"
                           : ratios.product.empty()                     ? "products"
                                                                        : "CG");
    return out;
}

// ---- Figure 10

std::string figure10(const CncFlags& flags, const std::vector<PaperRatio>& paper) {
    std::string out;
    const StoredRun run = latest(
        flags, [](const CncJson& j) { return is_kind(j, "blas1") && j.contains("peaks"); },
        "level-1 operations with the device's peaks", "mantissa bench gpu --blas1 --output FILE.json");
    const CncJson& peaks = run.json.at("peaks");
    const double bytes_peak = peaks.at("bytes_per_second").get<double>();
    constexpr std::uint64_t kSmall = std::uint64_t{1} << 20;
    struct Bar {
        std::string name;
        double operations, bytes;
    };
    std::vector<Bar> rows;
    const auto add = [&](const std::string& name, const CncJson& r) {
        const double seconds = r.at("seconds").get<double>();
        rows.push_back(
            {name,
             100 * r.at("operations").get<double>() / seconds /
                 peaks
                     .at(r.at("arithmetic") == "float" ? "float_operations_per_second" : "double_operations_per_second")
                     .get<double>(),
             100 * r.at("bytes").get<double>() / seconds / bytes_peak});
    };
    std::uint64_t most = 0;
    for (const CncJson& r : run.json.at("runs")) most = std::max(most, r.at("n").get<std::uint64_t>());
    for (const char* operation : {"axpy", "dot", "nrm2"})
        for (const std::uint64_t n : {kSmall, most})
            for (const CncJson& r : run.json.at("runs"))
                if (r.at("operation") == operation && r.at("arithmetic") == "float" && r.at("n") == n)
                    add(fmt::format("{}, 2^{}", operation, static_cast<int>(std::log2(static_cast<double>(n)))), r);
    for (const CncJson& r : run.json.at("others"))
        if (r.at("arithmetic") == "float")
            add(r.at("operation") == "spmv"
                    ? fmt::format("product, {} ({})", r.at("matrix").get<std::string>(),
                                  r.at("format").get<std::string>())
                    : fmt::format("{}, {} x {} (cuBLAS)", r.at("operation").get<std::string>(),
                                  r.at("n").get<std::uint64_t>(), r.at("n").get<std::uint64_t>()),
                r);
    if (flags.json) {
        CncJson list = CncJson::array();
        for (const Bar& r : rows)
            list.push_back(
                {{"operation", r.name}, {"percent_of_operations", r.operations}, {"percent_of_bytes", r.bytes}});
        return json_text(list) + "\n";
    }
    print_origin(out, run);
    const text::Table table("{:<44}{% operations:>14.2f}{% bandwidth:>14.1f}");
    out +=
        fmt::format("Figure 10: shares of the device's peaks in single precision, {:.1f} TFlop/s and {:.2f} TB/s\n{}",
                    1e-12 * peaks.at("float_operations_per_second").get<double>(), 1e-12 * bytes_peak, table.head());
    for (const Bar& r : rows) out += table.row({r.name, r.operations, r.bytes});
    out += fmt::format("2^20 elements are the paper's size: today a launch costs as much as they do.\n\n");
    for (const char* what : {"axpy % of bandwidth", "dot % of bandwidth", "axpy % of operations",
                             "gemm % of operations", "gemm % of bandwidth"})
        out += fmt::format("paper, {:<24}{}\n", what, paper_values(paper, what));
    return out;
}

// ---- Figure 11

std::string figure11(const CncFlags& flags, const std::vector<PaperRatio>& paper) {
    std::string out;
    const StoredRun run = latest(
        flags, [](const CncJson& j) { return is_kind(j, "residual_curves"); }, "residuals against iterations",
        "mantissa bench residuals --output FILE.json");
    if (flags.json) {
        return json_text(run.json.at("systems")) + "\n";
    }
    print_origin(out, run);
    out += fmt::format(
        "Figure 11: the recurrence's residual and the true one, relative to the first; pipelined CG without a "
        "restart\n");
    std::size_t compared = 0; // curves that more than one engine ran
    bool alike = true;
    const text::Table table("{datapath:<38}{they part at iteration:>22}{lowest true:>16.1e}{last recursive:>16.1e}"
                            "{iterations:>12}   {engines}");
    for (const CncJson& system : run.json.at("systems")) {
        out += fmt::format("\n{} ({} unknowns)\n{}", system.at("problem").get<std::string>(),
                           system.at("unknowns").get<std::uint64_t>(), table.head());
        for (const CncJson& c : system.at("curves")) {
            const auto number = [](const CncJson& v) { return v.is_number() ? v.get<double>() : NAN; };
            double lowest = HUGE_VAL;
            std::string parted = "never";
            const CncJson &at = c.at("iteration"), &recursive = c.at("recursive"), &truth = c.at("true");
            for (std::size_t i = 0; i < at.size(); ++i) {
                const double t = number(truth.at(i)), r = number(recursive.at(i));
                if (std::isfinite(t)) lowest = std::min(lowest, t);
                if (parted == "never" && !(t < 2 * r && r < 2 * t))
                    parted = fmt::format("{}", at[i].get<std::uint64_t>());
            }
            if (c.at("engines").size() > 1) {
                ++compared;
                alike &= c.at("same_bits").get<bool>();
            }
            std::string engines;
            for (const CncJson& e : c.at("engines")) engines += (engines.empty() ? "" : ", ") + e.get<std::string>();
            if (c.at("engines").size() > 1)
                engines += c.at("same_bits").get<bool>() ? ": the same bits" : ": OTHER BITS";
            out += table.row({c.at("spec"), parted, lowest, recursive.empty() ? NAN : number(recursive.back()),
                              at.empty() ? 0 : at.back().get<std::uint64_t>(), engines});
        }
    }
    out += fmt::format("\n");
    print_ratio(out, "CPU and GPU alike until iteration",
                compared == 0 ? "-"
                : alike       ? "the last"
                              : "not",
                paper_values(paper, "iterations until float is exhausted"));
    out += fmt::format("(\"part\": the true residual is twice the recurrence's, or half of it)\n");
    return out;
}

} // namespace

int cnc_stored_figure(const CncFlags& flags) {
    const std::vector<PaperRatio> paper = stored::read_paper_ratios(report::paper_folder(flags.data), "cnc_ratios.csv");
    std::string out; // printed whole or not at all
    try {
        switch (flags.figure) {
        case 8:
            out = figure8(flags, paper);
            break;
        case 9:
            out = figure9(flags, paper);
            break;
        case 10:
            out = figure10(flags, paper);
            break;
        default:
            out = figure11(flags, paper);
        }
    } catch (const CncJson::exception& fault) {
        throw InvalidInput(
            fmt::format("Figure {}: a stored run has another shape than this program's ({}); make it anew "
                        "with mantissa bench",
                        flags.figure, fault.what()));
    }
    fmt::print("{}", out);
    return kDone;
}

} // namespace mantissa::cli
