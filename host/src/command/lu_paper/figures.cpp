// Figures 5 to 14 from a stored run of `mantissa bench gpu --lu-figures`.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "command/stored/stored_runs.hpp"
#include "lu_paper.hpp"
#include "mantissa/format.hpp"
#include "report/paper_tables.hpp"
#include "text/json_text.hpp"
#include "text/tables/table.hpp"

namespace mantissa::cli {

namespace {

using stored::Json;
using Ratios = std::vector<stored::PaperRatio>;
using text::Table;

std::optional<double> number(const Json& run, const char* key) {
    const auto it = run.find(key);
    return it == run.end() || it->is_null() ? std::nullopt : std::optional(it->get<double>());
}

/// "-" for what was not measured.
std::string digits_of(std::optional<double> value, int digits) {
    return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}
std::optional<double> ratio(std::optional<double> a, std::optional<double> b) {
    return a && b ? std::optional(*a / *b) : std::nullopt;
}

const Json* run_of(const Json& runs, std::uint64_t n) {
    for (const Json& r : runs)
        if (r.at("n") == n) return &r;
    return nullptr;
}

std::string processor(const Json& all) {
    const Json& p = all.at("processor");
    const std::string library = p.at("library").get<std::string>();
    return library.empty() ? "no LAPACK was there"
                           : fmt::format("{}, {} threads", library, p.at("threads").get<std::uint64_t>());
}

/// A pivoting of the paper's algorithm beside LAPACK's on the processor.
struct Beside {
    const char *ours, *peer, *title, *peer_name;
};

std::string beside_lapack(const Json& all, const Beside& what) {
    const Table table("{n:>8}{ours, ms:>14.3f*1e3}{peer, ms:>14.3f*1e3}{peer / ours:>14.2f}{n^x:>12.2f}");
    std::string out = fmt::format("{}\npeer: {} ({})\n{}", what.title, what.peer_name, processor(all), table.head());
    double last_n = 0, last_seconds = 0;
    for (const Json& r : all.at("runs")) {
        const auto n = r.at("n").get<double>();
        const auto ours = number(r, what.ours), peer = number(r, what.peer);
        std::optional<double> power;
        if (last_n > 0 && ours) power = std::log(*ours / last_seconds) / std::log(n / last_n);
        out += table.row({r.at("n"), ours, peer, ratio(peer, ours), power});
        last_n = n;
        last_seconds = ours.value_or(0);
    }
    return out + "n^x: how the time grows from the size before\n\n";
}

std::string figure5(const Json& all, const Ratios& paper) {
    std::string out = beside_lapack(
        all, {"none_seconds", "processor_getrf_seconds", "Figure 5: LU without pivoting, single precision", "sgetrf"});
    std::string from = "none";
    for (const Json& r : all.at("runs")) {
        const auto faster = ratio(number(r, "processor_getrf_seconds"), number(r, "none_seconds"));
        if (!faster) continue;
        if (*faster < 1) from = "none";
        else if (from == "none") from = fmt::format("{}", r.at("n").get<std::uint64_t>());
    }
    return out + stored::ratio_line("size from which it is as fast as getrf", from,
                                    stored::paper_values(paper, "size from which no pivoting is as fast as getrf"));
}

std::string figure6(const Json& all, const Ratios& paper) {
    std::string out = beside_lapack(all, {"partial_seconds", "processor_getrf_seconds",
                                          "Figure 6: LU with partial pivoting, single precision", "sgetrf"});
    const Json* const r = run_of(all.at("runs"), 3500);
    const auto at =
        r == nullptr ? std::nullopt : ratio(number(*r, "processor_getrf_seconds"), number(*r, "partial_seconds"));
    return out + stored::ratio_line("getrf over ours at n = 3500", digits_of(at, 2),
                                    stored::paper_values(paper, "getrf over partial pivoting at n = 3500"));
}

std::string figure7(const Json& all, const Ratios& paper) {
    std::string out = beside_lapack(all, {"full_seconds", "processor_getc2_seconds",
                                          "Figure 7: LU with full pivoting, single precision", "sgetc2"});
    std::optional<double> most;
    for (const Json& r : all.at("runs"))
        if (const auto x = ratio(number(r, "processor_getc2_seconds"), number(r, "full_seconds")))
            most = std::max(*x, most.value_or(0));
    out += stored::ratio_line("getc2 over ours, at best", digits_of(most, 1),
                              stored::paper_values(paper, "getc2 over full pivoting"));
    const Table table("{n:>8}{:>10}{ms:>14.3f*1e3}{TF/s:>12.2f}{bound / ours:>16.2f}{}");
    out +=
        "\ntoday's full pivoting, beside the time to read and write each update at the rate of a copy\n" + table.head();
    for (const Json& r : all.at("full"))
        out += table.row({r.at("n"), r.at("arithmetic"), r.at("seconds"), r.at("teraflops"), r.at("bound_over_seconds"),
                          r.at("resident").get<bool>() ? "  on the chip" : ""});
    return out;
}

std::string figure8(const Json& all, const Ratios& paper) {
    const Table table("{n:>8}{none, ms:>12.3f*1e3}{partial:>12.3f*1e3}{full:>12.3f*1e3}{partial / none:>16.2f}"
                      "{full / none:>14.2f}");
    std::string out = "Figure 8: what pivoting costs, single precision\n" + table.head();
    double partial = 0, full = 0;
    for (const Json& r : all.at("runs")) {
        const double none = number(r, "none_seconds").value(), p = number(r, "partial_seconds").value(),
                     f = number(r, "full_seconds").value();
        out += table.row({r.at("n"), none, p, f, p / none, f / none});
        partial = std::max(partial, p / none);
        full = std::max(full, f / none);
    }
    out += "\n" + stored::ratio_line("partial over none, at most", fmt::format("{:.2f}", partial),
                                     stored::paper_values(paper, "partial over none at most"));
    return out + stored::ratio_line("full over none, at most", fmt::format("{:.2f}", full),
                                    stored::paper_values(paper, "full over none at most"));
}

std::string figure9(const Json& all) {
    const Table table("{n:>8}{multiprocessors:>18}{ms:>12.3f*1e3}{speed:>10.2f}{speed / linear:>16.2f}");
    std::string out = fmt::format("Figure 9: LU without pivoting on some of the {} multiprocessors\n{}",
                                  all.at("multiprocessors").get<int>(), table.head());
    std::map<std::uint64_t, std::pair<double, double>> least; // by n: multiprocessors and seconds
    for (const Json& r : all.at("by_multiprocessors")) {
        const auto n = r.at("n").get<std::uint64_t>();
        const double m = r.at("multiprocessors").get<double>(), s = r.at("seconds").get<double>();
        const auto& first = least.try_emplace(n, m, s).first->second;
        const double speed = first.second / s;
        out += table.row({n, r.at("multiprocessors"), s, speed, speed / (m / first.first)});
    }
    return out + "\npaper: \"almost linearly\" from 4 to 16 pipelines. One multiprocessor here reads faster than its\n"
                 "share of the memory's rate, so the last ones add little.\n";
}

std::string figure11(const Json& all, const Ratios& paper) {
    const double copy = all.at("copy_bytes_per_second").get<double>();
    const Table table("{n:>8}{by Table 1:>18.1f*1e-9}{in memory:>20.1f*1e-9}{of a copy:>14.2f}");
    std::string out = fmt::format("Figure 11: GB/s of LU without pivoting, single precision; a copy has {:.0f}\n{}",
                                  1e-9 * copy, table.head());
    double most = 0;
    for (const Json& r : all.at("runs")) {
        const double s = number(r, "none_seconds").value(), memory = r.at("memory_bytes").get<double>() / s;
        out += table.row({r.at("n"), r.at("table_bytes").get<double>() / s, memory, memory / copy});
        most = std::max(most, memory);
    }
    out +=
        "by Table 1: 16 bytes per update, caches left aside. In memory: the update read and written, 8 bytes; below\n"
        "some thousand it is the cache that has them.\n\n";
    out += stored::ratio_line("GB/s at most", fmt::format("{:.0f}", 1e-9 * most),
                              stored::paper_values(paper, "GB/s at most"));
    return out + stored::ratio_line("share of a copy's rate", fmt::format("{:.2f}", most / copy),
                                    stored::paper_values(paper, "share of the memory's peak"));
}

std::string figure12(const Json& all) {
    const Table table("{n:>8}{ms:>12.3f*1e3}{twin, ms:>12.3f*1e3}{share:>12.2f}");
    std::string out =
        "Figure 12: the time of a twin whose fetches always hit the nearest cache, over the time\n" + table.head();
    for (const Json& r : all.at("runs")) {
        const double s = number(r, "none_seconds").value(), twin = number(r, "one_texel_seconds").value();
        out += table.row({r.at("n"), s, twin, twin / s});
    }
    return out + "paper: \"cache-efficient\", without a number\n";
}

std::string figure13(const Json& all, const Ratios& paper) {
    const Json* const r = run_of(all.at("runs"), 2048);
    if (r == nullptr) throw InvalidInput("Figure 13: the stored run has no n = 2048; make it anew");
    const auto ours = number(*r, "none_seconds"), peer = number(*r, "processor_getrf_seconds");
    std::string out = fmt::format(
        "Figure 13: the dense system of a cell of the bubbly flow, n = 2048, single precision, factors alone\n"
        "the paper's algorithm without pivoting {} ms, sgetrf {} ms ({})\n\n",
        digits_of(1e3 * ours.value(), 3), digits_of(peer ? std::optional(1e3 * *peer) : peer, 3), processor(all));
    out += stored::ratio_line("getrf over ours at n = 2048", digits_of(ratio(peer, ours), 2),
                              stored::paper_values(paper, "getrf over no pivoting at n = 2048"));
    return out + "The whole flow, many cells at a time: docs/flow.md.\n";
}

std::string figure14(const Json& all, const Ratios& paper) {
    const Table table("{n:>8}{LU, ms:>14.3f*1e3}{transfer, ms:>16.3f*1e3}{share:>10.2f}");
    std::string out =
        "Figure 14: transfer of a matrix to the device and back, beside LU without pivoting\n" + table.head();
    std::string below = "none";
    for (const Json& r : all.at("runs")) {
        const double s = number(r, "none_seconds").value(), t = number(r, "transfer_seconds").value();
        out += table.row({r.at("n"), s, t, t / (s + t)});
        if (t > 0.1 * (s + t)) below = fmt::format("{}", r.at("n").get<std::uint64_t>());
    }
    return out + "\n" +
           stored::ratio_line("largest size with a tenth in transfers", below,
                              stored::paper_values(paper, "size below which transfers count"));
}

} // namespace

std::string lu_paper_figure(const LuPaperFlags& flags) {
    const Ratios paper = stored::read_paper_ratios(report::paper_folder(flags.data), "lu_ratios.csv");
    const stored::Run run = stored::latest(
        {flags.results, flags.data}, [](const Json& j) { return stored::is_kind(j, "lu_figures"); }, flags.figure,
        "the paper's LU over sizes", "mantissa bench gpu --lu-figures --output FILE.json");
    try {
        if (flags.json) return json_text(run.json.at(flags.figure == 9 ? "by_multiprocessors" : "runs")) + "\n";
        const Json& all = run.json;
        const std::string from = stored::origin(run);
        switch (flags.figure) {
        case 5:
            return from + figure5(all, paper);
        case 6:
            return from + figure6(all, paper);
        case 7:
            return from + figure7(all, paper);
        case 8:
            return from + figure8(all, paper);
        case 9:
            return from + figure9(all);
        case 11:
            return from + figure11(all, paper);
        case 12:
            return from + figure12(all);
        case 13:
            return from + figure13(all, paper);
        default:
            return from + figure14(all, paper);
        }
    } catch (const Json::exception& fault) {
        throw InvalidInput(fmt::format("Figure {}: a stored run has another shape than this program's ({}); make it "
                                       "anew with mantissa bench gpu --lu-figures",
                                       flags.figure, fault.what()));
    } catch (const std::bad_optional_access&) {
        throw InvalidInput(
            fmt::format("Figure {}: the stored run {} lacks a time; make it anew with mantissa bench gpu "
                        "--lu-figures",
                        flags.figure, run.path));
    }
}

} // namespace mantissa::cli
