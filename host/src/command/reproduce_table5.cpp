// mantissa reproduce table5: the core's area beside the paper's Table 5.
#include "reproduce_table5.hpp"

#include <algorithm>
#include <exception>

#include <fmt/format.h>

#include "command.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/base/jobs.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/provenance.hpp"
#include "report/paper_tables.hpp"
#include "running/progress.hpp"
#include "store/database.hpp"
#include "store/result_json.hpp"
#include "synthesis/core_clock.hpp"
#include "synthesis/synthesis.hpp"
#include "synthesis/table5.hpp"
#include "text/json_text.hpp"
#include "text/tables/table.hpp"

namespace mantissa::cli {

namespace {

using results::Json;
using synthesis::SynthesisFigures;
using synthesis::Table5Row;

/// Rows of two kinds side by side would need gigabytes; `jobs` at a time. Each row is stored as it is done.
std::exception_ptr synthesize_rows(std::vector<Table5Row>& rows, synthesis::Synthesizer& synthesizer, int jobs,
                                   bool stored) {
    double work = 0;
    const auto work_of = [](const Table5Row& row) { return double(row.fraction_bits * row.fraction_bits); };
    for (const Table5Row& row : rows) work += work_of(row);
    running::ItemProgress line("cores", rows.size(), work);
    std::vector<std::exception_ptr> faults(rows.size());
    base::run_jobs(rows.size(), jobs, [&](std::size_t i) {
        Table5Row& row = rows[i];
        try {
            const synthesis::SynthesisRequest request{parse_spec(row.format), "xc2v",
                                                      row.multiplier == "logic" ? "logic" : "block", "core", false};
            row.ours = stored ? synthesizer.stored(request) : synthesizer.figures(request);
        } catch (...) { // the others go on
            faults[i] = std::current_exception();
        }
        line.done(work_of(row));
    });
    const auto failed = std::ranges::find_if(faults, [](const std::exception_ptr& fault) { return fault != nullptr; });
    return failed == faults.end() ? nullptr : *failed;
}

Json row_json(const Table5Row& row) {
    Json j = {{"multiplier", row.multiplier}, {"format", row.format},
              {"paper_slices", row.slices},   {"paper_multipliers", row.multipliers},
              {"paper_io_bits", row.io_bits}, {"paper_mhz", row.mhz},
              {"slices_estimate", nullptr}};
    if (row.ours) {
        const SynthesisFigures& f = *row.ours;
        j["slices_estimate"] = f.slices("xc2v");
        j["luts"] = f.luts;
        j["memory_luts"] = f.memory_luts;
        j["flip_flops"] = f.flip_flops;
        j["multipliers"] = f.multipliers;
        j["io_bits"] = f.io_bits;
        j["depth"] = f.depth;
        const synthesis::CoreClock clock = synthesis::modelled_clock("xc2v", f.model_mhz, f.model_path);
        j["model_mhz"] = clock.mhz;
        j["model_from"] = clock.derivation;
        j["slices_ratio"] = static_cast<double>(f.slices("xc2v")) / row.slices;
    }
    return j;
}

void print_fit(const char* what, const std::vector<double>& x, const std::vector<double>& y, int degree) {
    if (x.size() <= static_cast<std::size_t>(degree) + 1) return;
    const synthesis::Fit fit = synthesis::fit_polynomial(x, y, degree);
    std::string law = fmt::format("{:.1f} {:+.2f} M", fit.coefficients[0], fit.coefficients[1]);
    if (degree == 2) law += fmt::format(" {:+.3f} M^2", fit.coefficients[2]);
    fmt::print("  {:<28} {:<36} R2 {:.4f}\n", what, law, fit.r2);
}

void print_laws(const std::vector<Table5Row>& rows) {
    fmt::print("growth laws over the fraction width M, by least squares:\n");
    for (const char* multiplier : {"logic", "mul18x18"}) {
        std::vector<double> m, ours_m, paper, ours, io, ours_io;
        for (const Table5Row& row : rows) {
            if (row.multiplier != multiplier) continue;
            m.push_back(row.fraction_bits);
            paper.push_back(row.slices);
            io.push_back(row.io_bits);
            if (!row.ours) continue;
            ours_m.push_back(row.fraction_bits);
            ours.push_back(static_cast<double>(row.ours->slices("xc2v")));
            ours_io.push_back(static_cast<double>(row.ours->io_bits));
        }
        const int degree = std::string_view(multiplier) == "logic" ? 2 : 1;
        print_fit(fmt::format("{} slices, paper", multiplier).c_str(), m, paper, degree);
        print_fit(fmt::format("{} slices, ours", multiplier).c_str(), ours_m, ours, degree);
        print_fit(fmt::format("{} I/O bits, paper", multiplier).c_str(), m, io, 1);
        print_fit(fmt::format("{} I/O bits, ours", multiplier).c_str(), ours_m, ours_io, 1);
    }
}

} // namespace

int reproduce_table5(const Table5Flags& flags, const std::string& typed) {
    std::vector<Table5Row> rows = synthesis::read_table5(report::paper_folder(flags.data));
    if (flags.stored && !flags.store.empty()) (void)results::Database(flags.store, results::Access::read);
    synthesis::Synthesizer synthesizer(flags.store, current_provenance(typed));
    const std::exception_ptr failed = synthesize_rows(rows, synthesizer, flags.jobs, flags.stored);
    if (!flags.plot.empty())
        for (const char* multiplier : {"logic", "mul18x18"})
            base::write_file(fmt::format("{}_{}.svg", flags.plot, multiplier), synthesis::table5_svg(rows, multiplier));
    if (flags.json) {
        Json list = Json::array();
        for (const Table5Row& row : rows) list.push_back(row_json(row));
        fmt::print("{}\n", json_text(list));
    } else {
        fmt::print("Table 5: the one-lane core on xc2v (here {}; the paper ISE 7.1 on xc2v8000-5)\n",
                   synthesizer.tool());
        const text::Table table(
            "{multipliers=multiplier:<12}{format:<8}{slices=slices_estimate:>9}{paper=paper_slices:>8}"
            "{ratio=slices_ratio:>7.2f}{blocks=multipliers:>8}{paper=paper_multipliers:>7}{I/O=io_bits:>7}"
            "{paper=paper_io_bits:>7}{LUTs:>10}{FFs=flip_flops:>9}{memory=memory_luts:>8}{depth:>7}"
            "{MHz*=model_mhz:>7.0f}{paper=paper_mhz:>7}");
        Json list = Json::array();
        for (const Table5Row& row : rows) {
            list.push_back(row_json(row));
            if (!row.ours) list.back()["slices_estimate"] = flags.stored ? "missing" : "failed";
        }
        fmt::print("{}{}", table.head(), table.rows(list));
        fmt::print(
            "slices are estimated: (LUTs + LUTs as memory + flip-flops that no LUT feeds) / 2. I/O counts every\n"
            "port bit, handshakes and the control bus too. *MHz: a model of the netlist with an ECP5's delays times "
            "{}, a\n"
            "factor that is assumed for the xc2v (docs/synthesis.md); the paper's are from place and route of its own\n"
            "design, and the two do not compare.\n",
            synthesis::delay_ratio("xc2v"));
        const auto missing = std::count_if(rows.begin(), rows.end(), [](const Table5Row& row) { return !row.ours; });
        if (flags.stored && missing != 0)
            fmt::print("missing: {} of {} rows are not stored for this RTL; without --stored they are synthesised\n",
                       missing, rows.size());
        print_laws(rows);
    }
    if (failed) std::rethrow_exception(failed);
    return kDone;
}

} // namespace mantissa::cli
