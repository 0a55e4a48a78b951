// What this machine takes: an outer step of refinement, and whole solves on the processor.
#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "gather.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/point.hpp"
#include "mantissa/host/registry.hpp"
#include "mantissa/host/residual.hpp"
#include "running/progress.hpp"
#include "store/result_json.hpp"
#include "text/counted.hpp"

namespace mantissa::compare {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// One outer step of the residual guided scheme (the heavier of the two): r0 = d/s and its projection on p, p made
/// orthogonal, u += s (c + alpha p), the defect and its norm.
double step_seconds(const Problem& problem, int threads) {
    const std::size_t n = problem.system.size();
    std::vector<double> u(n, 0.0), d = problem.b, p = problem.b, r(n), c(n, 1e-3);
    double best = 0, norm = norm2(d, threads);
    const auto begin = Clock::now();
    for (int repeat = 0; repeat < 3 || (repeat < 200 && seconds_since(begin) < 0.3); ++repeat) {
        const auto start = Clock::now();
        double projection = 0;
        for (std::size_t i = 0; i < n; ++i) {
            r[i] = d[i] / norm;
            projection += r[i] * p[i];
        }
        for (std::size_t i = 0; i < n; ++i) p[i] -= projection * r[i];
        for (std::size_t i = 0; i < n; ++i) {
            c[i] += 1e-3 * p[i];
            u[i] += norm * c[i];
        }
        defect(problem.system, u, problem.b, d, threads);
        norm = norm2(d, threads);
        const double spent = seconds_since(start);
        best = repeat == 0 ? spent : std::min(best, spent);
    }
    return best;
}

/// The measurement `name`, made again when another machine, or another number of threads, made it.
std::optional<StoredDocument> measured_here(const GatherContext& context, const std::string& name,
                                            const std::string& problem, int threads,
                                            const std::function<results::Json()>& measure) {
    const Provenance here = current_provenance(context.options.command);
    const std::string content = context.store.content_of(problem);
    auto stored = context.documents.measurement(name, content);
    if (context.options.stored_only ||
        (stored && stored->provenance.machine == here.machine && stored->document.at("threads") == threads))
        return stored;
    stored = {measure(), here};
    context.documents.put_measurement(name, stored->document, stored->provenance, content);
    return stored;
}

struct CpuRun {
    const char* label;
    Scheme scheme;
    Format format;
    std::uint64_t inner;
};
constexpr CpuRun kCpuRuns[] = {{"pipelined CG in double", Scheme::pipelined, formats::kDouble, 0},
                               {"float inside, double outside", Scheme::residual_guided, formats::kFloat, 50}};
/// Textbook CG made for speed; it takes sparse rows only, and scales by the diagonal by itself.
constexpr CpuRun kSparseCpuRun = {"Jacobi CG in double", Scheme::jacobi_pcg, formats::kDouble, 0};

Point point_of(const std::string& problem, Scheme scheme, const Format& format, std::uint64_t inner, double tolerance) {
    Point point;
    point.problem = problem;
    point.options.scheme = scheme;
    point.options.spec = DatapathSpec(format);
    if (inner != 0) point.options.inner = inner;
    point.options.tolerance = tolerance;
    point.options.history = true;
    return point;
}

/// The fastest of three solves and more within two seconds, or of fewer when they take long; the result is stored as a
/// point too.
results::Json time_solve(const GatherContext& context, const Problem& problem, Point point, int threads) {
    const auto engine = make_engine(point.engine);
    point.options.threads = threads;
    SolveResult best;
    int runs = 0;
    double spent = 0, most = 0;
    while (runs == 0 || (runs < 3 && spent < 20) || (runs < 50 && spent < 2)) {
        SolveResult result = solve(problem, *engine, point.options);
        spent += result.seconds;
        most = std::max(most, result.seconds);
        if (runs++ == 0 || result.seconds < best.seconds) best = std::move(result);
    }
    context.store.put(point, best, problem.system.size(), current_provenance(context.options.command));
    return {{"problem", problem.name},
            {"point", point_key(point)},
            {"status", to_string(best.status)},
            {"threads", threads},
            {"runs", runs},
            {"iterations", best.inner_iterations},
            {"outer", best.outer_iterations},
            {"seconds", best.seconds},
            {"seconds_most", most},
            {"true_residual", results::number(best.true_residual)},
            {"error", best.error ? results::number(*best.error) : results::Json(nullptr)}};
}

double residual_of(const results::Json& document) {
    const results::Json& value = document.at("true_residual");
    return value.is_null() ? NAN : value.get<double>();
}

/// One run on the processor, scaled by the diagonal or not. Nothing where it is not stored and may not be made.
struct CpuTimed {
    StoredDocument stored;
    bool reached = false;
};

std::optional<CpuTimed> timed_run(const GatherContext& context, const Problem& problem, const CpuRun& run, bool scaled,
                                  int threads) {
    const double tolerance = context.comparison.tolerance;
    Point point = point_of(problem.name, run.scheme, run.format, run.inner, tolerance);
    point.options.jacobi = scaled;
    auto stored = measured_here(context, "cpu: " + point_key(point), point.problem, threads,
                                [&] { return time_solve(context, problem, point, threads); });
    if (!stored) return std::nullopt;
    const Status status = results::parse_status(stored->document.at("status").get<std::string>());
    const bool reached = gives_count(run.scheme, status, residual_of(stored->document), tolerance);
    return CpuTimed{std::move(*stored), reached};
}

void enter_cpu_peer(GatherContext& context, const Problem& problem, const std::string& label,
                    const StoredDocument& stored) {
    const results::Json& d = stored.document;
    Peer peer;
    peer.problem = problem.name;
    peer.engine = "cpu";
    const int used = d.at("threads");
    peer.label = fmt::format("{}, {}", label, text::counted(static_cast<std::uint64_t>(used), "thread"));
    peer.iterations = d.at("iterations");
    peer.outer = d.at("outer");
    peer.seconds = d.at("seconds");
    if (d.contains("seconds_most")) { // the fastest of the runs is what counts
        peer.least = peer.seconds;
        peer.most = d.at("seconds_most").get<double>();
    }
    peer.true_residual = residual_of(d);
    if (!d.at("error").is_null()) peer.error = d.at("error").get<double>();
    peer.origin = context.out.origins.add({"measured",
                                           fmt::format("{} on {}, the fastest of {}", peer.label, problem.name,
                                                       text::counted(d.at("runs").get<std::uint64_t>(), "run")),
                                           stored.provenance});
    context.out.peers.push_back(std::move(peer));
}

/// The baseline is the best that this program has here: the faster of the solve as it is and the one scaled by the
/// diagonal, and the label says which. A stencil has one diagonal, so that scaling changes nothing.
void enter_cpu_run(GatherContext& context, const Problem& problem, const CpuRun& run, int threads, GapGroups& gaps) {
    const bool once = problem.system.kind() == System::Kind::stencil || run.scheme == Scheme::jacobi_pcg;
    std::optional<CpuTimed> best;
    std::string how, ended;
    for (const bool scaled : {false, true}) {
        if (scaled && once) break;
        std::optional<CpuTimed> timed;
        try {
            timed = timed_run(context, problem, run, scaled, threads);
        } catch (const InvalidInput& e) {
            context.gap(gap_of(fmt::format("{}{} on the processor, {}", run.label,
                                           scaled ? ", scaled by the diagonal" : "", problem.name),
                               e.what()));
            continue;
        }
        if (!timed) {
            gaps.add(kNotStored,
                     fmt::format("{}{} on {}", run.label, scaled ? ", scaled by the diagonal" : "", problem.name));
            continue;
        }
        const results::Json& d = timed->stored.document;
        if (!timed->reached) {
            ended = d.at("status").get<std::string>();
            continue;
        }
        if (best && !(d.at("seconds") < best->stored.document.at("seconds"))) continue;
        how = once ? "" : scaled ? ", scaled by the diagonal" : ", unscaled";
        best = std::move(timed);
    }
    if (best) return enter_cpu_peer(context, problem, run.label + how, best->stored);
    if (!ended.empty())
        context.gap({fmt::format("{} on the processor, {}", run.label, problem.name),
                     fmt::format("the solve ended: {}", ended), "loosen the tolerance"});
}

/// Iterations of CG (Eq. 2) in double on the whole problem: what the paper calls direct.
void enter_reference(GatherContext& context, const Problem& problem, int threads, GapGroups& gaps) {
    Point point = point_of(problem.name, Scheme::cg, formats::kDouble, 0, context.comparison.tolerance);
    point.options.jacobi = context.comparison.has_sparse(); // as its designs' solves
    const std::string what = fmt::format("CG in double on {}", problem.name);
    auto result = context.store.find(point);
    if (!result) {
        if (context.options.stored_only) return gaps.add(kNotStored, what);
        point.options.threads = threads;
        result = solve(problem, *make_engine(point.engine), point.options);
        context.store.put(point, *result, problem.system.size(), current_provenance(context.options.command));
    }
    if (!gives_count(point.options.scheme, result->status, result->true_residual, point.options.tolerance))
        return context.gap({what, "the solve ended: " + to_string(result->status), "loosen the tolerance"});
    const auto from = context.documents.origin_of(point);
    if (!from) return;
    context.out.reference[problem.name] = {
        result->inner_iterations,
        context.out.origins.add({"measured", fmt::format("CG in double, Eq. 2, on {}", problem.name), *from})};
}

} // namespace

void gather_host(GatherContext& context) {
    const Comparison& c = context.comparison;
    if (c.designs.empty() && !c.cpu) return; // cycle cores alone: no row asks for it
    const int threads = context.options.threads;
    GapGroups gaps;
    const auto work_of = [&](const std::string& problem) { // seconds or so: timing takes a few whatever the size
        return 5 + 5e-8 * std::pow(static_cast<double>(context.out.problems.at(problem).unknowns), 1.5);
    };
    double work = 0;
    for (const std::string& problem : c.problems) work += work_of(problem);
    running::ItemProgress line("problems on the processor", c.problems.size(), work);
    for (const std::string& text : c.problems) { // one after the other: they are timed
        const Problem& problem = context.problems.at(text);
        const auto step = measured_here(context, "outer step: " + text, text, threads, [&] {
            return results::Json{{"problem", text}, {"threads", threads}, {"seconds", step_seconds(problem, threads)}};
        });
        if (step)
            context.out.host_step[text] = {
                step->document.at("seconds").get<double>(),
                context.out.origins.add(
                    {"measured",
                     fmt::format("an outer step in double precision on {}, {}", text,
                                 text::counted(step->document.at("threads").get<std::uint64_t>(), "thread")),
                     step->provenance})};
        else gaps.add(kNotStored, "an outer step on " + text);
        enter_reference(context, problem, threads, gaps);
        if (c.cpu)
            for (const CpuRun& run : kCpuRuns) enter_cpu_run(context, problem, run, threads, gaps);
        if (c.cpu && problem.system.kind() == System::Kind::sparse)
            enter_cpu_run(context, problem, kSparseCpuRun, threads, gaps);
        line.done(work_of(text));
    }
    gaps.enter(context, "on the processor");
}

} // namespace mantissa::compare
