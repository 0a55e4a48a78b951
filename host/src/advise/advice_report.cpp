#include "advice_report.hpp"

#include <cstdio>
#include <mutex>

#include <fmt/format.h>

#include "cycles/cycle_json.hpp"
#include "running/progress.hpp"
#include "store/result_json.hpp"
#include "text/json_text.hpp"

namespace mantissa::advising {

namespace {

using results::Json;

Json measured_json(const MatrixMeasured& m) {
    Json j = {{"unknowns", m.unknowns},
              {"longest_row", m.longest_row},
              {"lambda_min", results::number(m.smallest)},
              {"lambda_max", results::number(m.largest)},
              {"lanczos_steps", m.steps},
              {"settled", m.settled}};
    if (!(m.smallest > 0)) return j;
    j["condition"] = results::number(m.condition());
    j["double_reached"] = m.double_reached;
    j["double_iterations"] = m.double_iterations;
    j["defect_floor"] = results::number(m.floor);
    j["largest_word"] = results::number(m.largest_word);
    j["correction"] = results::number(m.correction);
    return j;
}

Json widths_json(const AdvisedWidths& w) {
    return {{"margin", results::number(w.margin)},
            {"coefficient", w.coefficient},
            {"coefficient_word", w.coefficient_word},
            {"coefficient_safe", w.coefficient_safe},
            {"perturbation_bound", results::number(w.perturbation)},
            {"vector", w.vector},
            {"product", w.product},
            {"exact_rows", w.exact_rows},
            {"vector_by_curvature", w.curvature},
            {"vector_by_energy", w.energy},
            {"vector_by_descent", w.descent},
            {"integer", w.integer},
            {"product_integer", w.product_integer},
            {"iterate", w.iterate},
            {"iterate_integer", w.iterate_integer},
            {"operand", w.operand}};
}

Json proposal_json(const Problem& problem, const Proposal& proposal) {
    const SolveOptions& o = proposal.options;
    return {{"spec", to_string(o.spec)},
            {"scheme", scheme_name(o)},
            {"inner", o.inner},
            {"jacobi", o.jacobi},
            {"tolerance", results::number(o.tolerance)},
            {"max_iterations", o.max_iterations},
            {"headroom", o.headroom ? Json(*o.headroom) : Json(nullptr)},
            {"tried_iterations", proposal.tried ? Json(*proposal.tried) : Json(nullptr)},
            {"command", advised_command(problem, proposal)},
            {"widths", widths_json(proposal.widths)}};
}

/// A line on a terminal that says what is being done.
class ProgressLine {
public:
    ProgressLine()
        : line_([this] {
              const std::scoped_lock lock(mutex_);
              return now_;
          }) {}
    [[nodiscard]] AdviceProgress progress() const {
        return [this](const std::string& what) {
            const std::scoped_lock lock(mutex_);
            now_ = what;
        };
    }

private:
    mutable std::mutex mutex_;
    mutable std::string now_;
    running::TickingLine line_; // the last member: it asks for the others
};

} // namespace

Advice advise_with_progress(const Problem& problem, const AdviceOptions& options) {
    const ProgressLine line;
    return advise(problem, options, line.progress());
}

CycleAdvice advise_cycles_with_progress(const Problem& problem, const CycleSpec& asked, const AdviceOptions& options) {
    const ProgressLine line;
    return advise_cycles(problem, asked, options, line.progress());
}

void print_cycle_advice(const Problem& problem, const CycleAdvice& advice, double tolerance, bool json) {
    const std::string text = cycle_advice_text(problem, advice, tolerance);
    if (!json) fmt::print("{}", text);
    else {
        Json j = to_json(problem, advice, tolerance);
        j["text"] = text;
        fmt::print("{}\n", json_text(j));
    }
}

void print_advice(const Problem& problem, const Advice& advice, const std::optional<Hardware>& hardware, bool json) {
    const std::string text = advising::text_on(problem, advice, hardware);
    if (!json) {
        fmt::print("{}", text);
        return;
    }
    Json j = {{"problem", problem.name}, {"measured", measured_json(advice.measured)}, {"found", advice.found()}};
    if (advice.found()) {
        j["advised"] = proposal_json(problem, *advice.advised);
        j["fewest"] = proposal_json(problem, *advice.fewest);
        j["trials"] = advice.trials;
    } else {
        j["why_not"] = advice.why_not;
    }
    if (advice.cycles)
        j["cycles"] = {{"cycle", advice.cycles->spec},
                       {"iterations", advice.cycles->iterations},
                       {"times", results::number(advice.cycles->times)},
                       {"command", cycle_command(problem, parse_cycle_spec(advice.cycles->spec), advice.tolerance)}};
    j["products"] = advice.products;
    j["seconds"] = results::number(advice.seconds);
    if (hardware) j["hardware"] = to_json(*hardware);
    j["text"] = text;
    fmt::print("{}\n", json_text(j));
}

} // namespace mantissa::advising
