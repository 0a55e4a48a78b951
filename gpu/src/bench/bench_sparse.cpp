#include "bench/bench_sparse.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>

#include "bench/bench_samples.hpp"
#include "bench/vendor_baselines.hpp"
#include "mantissa/format.hpp"
#include "mantissa/gpu/sparse_solver.hpp"
#include "mantissa/sparse/cpu.hpp"
#include "mantissa/sparse/reference.hpp"
#include "mantissa/sparse/reorder.hpp"
#include "native/native.hpp"

namespace mantissa::gpu {

namespace {

/// A product to be timed, ours or the vendor's.
struct Contender {
    Json entry;
    bool ours;
    std::function<double()> batch;
    std::vector<double> seconds;
};

/// Largest difference to the rows in double, over the largest element, from a vector of every sign.
double product_error(const SparseMatrix& matrix, const CompressedRows& a) {
    std::vector<double> x(a.rows()), y(a.rows(), std::numeric_limits<double>::quiet_NaN()), want(a.rows());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::cos(0.37 * static_cast<double>(i));
    reference_product<double>(a, x, want);
    matrix.apply(x, y);
    double error = 0, largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        largest = std::max(largest, std::abs(want[i]));
        const double e = std::abs(y[i] - want[i]);
        if (!(e <= error)) error = e;
    }
    return largest == 0 ? 0 : error / largest;
}

/// All contenders in turn, `repeats` times after two rounds that warm up; those that take ten times as long as the
/// fastest only in these two, or, where a batch takes so long that no start counts, only in the first.
void time_in_turn(std::vector<Contender>& contenders, int repeats) {
    constexpr double kLong = 1e-3; // of one product: twenty make a batch
    double fastest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < repeats + 2; ++i) {
        const double slow = 10 * fastest; // as of the last round
        for (Contender& c : contenders) {
            if (i > 0 && c.seconds[0] > (i == 1 ? std::max(slow, kLong) : slow)) continue;
            const double s = c.batch();
            if (i == 1) fastest = std::min(fastest, s);
            if (i <= 2) c.seconds.clear();
            c.seconds.push_back(s);
        }
        if (i == 0)
            for (const Contender& c : contenders) fastest = std::min(fastest, c.seconds[0]);
    }
}

Json best_of(const std::vector<Contender>& contenders, bool ours) {
    const Contender* best = nullptr;
    for (const Contender& c : contenders)
        if (c.ours == ours && (best == nullptr || median(c.seconds) < median(best->seconds))) best = &c;
    return best == nullptr ? Json(nullptr) : Json{{"name", best->entry["name"]}, {"seconds", median(best->seconds)}};
}

Json bench_products(const CompressedRows& a, bool single, int repeats) {
    const auto precision = single ? SparsePrecision::single_precision : SparsePrecision::double_precision;
    const std::vector<FormatReport> reports = report_formats(a, single ? 4 : 8);
    std::vector<SparseMatrix> matrices;
    matrices.reserve(reports.size());
    std::vector<Contender> contenders, plain; // ours started while the one before ends, ours started plainly
    for (const FormatReport& r : reports) {
        matrices.emplace_back(a, r.format, precision);
        const Json entry{{"name", to_string(r.format)},
                         {"fill", r.fill},
                         {"traffic", r.traffic},
                         {"error", product_error(matrices.back(), a)}};
        contenders.push_back({entry, true, matrices.back().product_batches(), {}});
        plain.push_back({entry, true, matrices.back().product_batches(false), {}});
    }
    for (VendorProduct& r : cusparse_products(a, single))
        contenders.push_back({{{"name", r.name}, {"error", r.error}}, false, std::move(r.batch), {}});
    std::move(plain.begin(), plain.end(), std::back_inserter(contenders));
    time_in_turn(contenders, repeats);
    Json one{{"arithmetic", single ? "float" : "double"}};
    std::vector<double> seconds, plain_seconds;
    for (const Contender& c : contenders)
        if (c.ours) (seconds.size() < reports.size() ? seconds : plain_seconds).push_back(median(c.seconds));
    double best_plain = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < reports.size(); ++i) {
        Json entry = contenders[i].entry;
        entry["seconds_dependent"] = seconds[i];
        entry["seconds_plain"] = plain_seconds[i];
        best_plain = std::min(best_plain, plain_seconds[i]);
        seconds[i] = std::min(seconds[i], plain_seconds[i]);
        entry["seconds"] = seconds[i];
        one["formats"].push_back(std::move(entry));
    }
    for (const Contender& c : contenders)
        if (!c.ours) {
            Json entry = c.entry;
            entry["seconds"] = median(c.seconds);
            one["cusparse"].push_back(std::move(entry));
        }
    const FormatChoice choice = choose_format(reports, seconds);
    one["chosen"] = to_string(choice.format);
    one["why"] = choice.why;
    one["chosen_by_bytes"] = to_string(choose_format(a, single ? 4 : 8).format);
    const Json ours = best_of(contenders, true), theirs = best_of(contenders, false);
    one["best_cusparse"] = theirs["name"];
    one["ratio"] = theirs["seconds"].get<double>() / ours["seconds"].get<double>();
    one["plain_launch_ratio"] = theirs["seconds"].get<double>() / best_plain;
    return one;
}

/// All right-hand sides together and one by one, by `plan`; `one_by_one` is solve() in the matrix's format, which no
/// plan changes.
Json time_systems(const BenchRequest& request, const NamedSystems& named, const SparseMatrix& matrix, SeveralPlan plan,
                  const std::string& name) {
    std::vector<double> together, apart, apart_new;
    Json one{{"format", name}};
    for (int i = 0; i < request.repeats + 1; ++i) {
        const auto several = [&](std::span<const std::vector<double>> b) {
            return matrix.solve_several(b, request.matrix_tolerance, request.matrix_iterations, nullptr, plan);
        };
        const auto all = several(named.b);
        double sum = 0, sum_new = 0;
        Json iterations = Json::array(), together_iterations = Json::array(), residuals = Json::array(),
             new_iterations = Json::array();
        for (std::size_t s = 0; s < named.b.size(); ++s) {
            const SparseCgReport r = matrix.solve(named.b[s], request.matrix_tolerance, request.matrix_iterations);
            const SparseCgReport alone = several(std::span(named.b).subspan(s, 1))[0];
            sum += r.seconds;
            sum_new += alone.seconds;
            iterations.push_back(r.iterations);
            new_iterations.push_back(alone.iterations);
            together_iterations.push_back(all[s].iterations);
            residuals.push_back(all[s].true_residual);
        }
        one["iterations"] = iterations;
        one["iterations_new"] = new_iterations;
        one["iterations_together"] = together_iterations;
        one["true_residuals_together"] = residuals;
        if (i == 0) continue; // loads the kernels
        together.push_back(all[0].seconds);
        apart.push_back(sum);
        apart_new.push_back(sum_new);
    }
    one["seconds_together"] = median(together);
    one["seconds_one_by_one"] = median(apart);
    one["seconds_one_by_one_new"] = median(apart_new);
    return one;
}

/// Jacobi CG as `mantissa solve --engine gpu` has it, by a plan and in a format or by the solver's choice.
Json native_cg(const BenchRequest& request, const CompressedRows& a, const std::vector<double>& b, NativePlan plan,
               std::optional<SparseFormat> format) {
    const auto solver = make_native_sparse(a, false, {plan, true}, {}, format);
    const std::vector<std::vector<double>> right(1, b);
    std::vector<std::vector<double>> x;
    const NativeRequest far{request.matrix_tolerance, request.matrix_iterations};
    std::vector<double> seconds;
    NativeReport r;
    for (int i = 0; i < request.repeats + 1; ++i) { // (the first loads the kernels)
        r = solver->solve(right, far, x).front();
        if (i > 0) seconds.push_back(r.seconds);
    }
    return {{"format", format ? to_string(*format) : "chosen"},
            {"plan", to_string(solver->plan().plan)},
            {"why", solver->plan().why},
            {"end", to_string(end_of(r.end))},
            {"iterations", r.iterations},
            {"seconds", median(seconds)},
            {"true_residual", r.residual}};
}

} // namespace

Json bench_matrix(const BenchRequest& request, const NamedMatrix& named) {
    const CompressedRows& a = named.matrix;
    const CompressedRows reordered = named.reorder ? permuted(a, reverse_cuthill_mckee(a)) : a;
    std::uint64_t longest = 0;
    for (std::size_t i = 0; i < a.rows(); ++i) longest = std::max(longest, a.row_begin()[i + 1] - a.row_begin()[i]);
    Json entry{{"name", named.name},
               {"rows", a.rows()},
               {"nonzeros", a.nonzeros()},
               {"longest_row", longest},
               {"mean_bandwidth", bandwidth(a).mean},
               {"mean_bandwidth_rcm", bandwidth(reordered).mean},
               {"products", Json::array()},
               {"products_rcm", Json::array()}};
    for (const bool single : {true, false}) {
        entry["products"].push_back(bench_products(a, single, request.product_repeats));
        if (named.reorder) entry["products_rcm"].push_back(bench_products(reordered, single, request.product_repeats));
    }
    if (request.matrix_iterations == 0) return entry;
    std::vector<double> b(a.rows(), 1.0);
    try {
        for (const FormatReport& f : report_formats(a, 8))
            if (f.format != SparseFormat::jds)
                entry["jacobi_cg"].push_back(native_cg(request, a, b, NativePlan::sparse_stream, f.format));
        entry["jacobi_cg"].push_back(native_cg(request, a, b, NativePlan::automatic, std::nullopt));
        if (request.cpu_threads > 0) {
            const CpuCgResult r = cpu_jacobi_cg<double>(a, SparseFormat::crs, b, request.matrix_tolerance,
                                                        request.matrix_iterations, request.cpu_threads);
            entry["jacobi_cg_processor"] = {{"threads", request.cpu_threads},
                                            {"iterations", r.iterations},
                                            {"seconds", r.seconds},
                                            {"true_residual", r.true_residual}};
        }
    } catch (const InvalidInput& e) {
        entry["jacobi_cg_refused"] = e.what();
    }
    return entry;
}

Json bench_systems(const BenchRequest& request, const NamedSystems& named) {
    Json entry{{"name", named.name},
               {"rows", named.matrix.rows()},
               {"nonzeros", named.matrix.nonzeros()},
               {"systems", named.b.size()}};
    for (const SparseFormat format : {SparseFormat::crs, SparseFormat::sell, SparseFormat::sell_lengths}) {
        const SparseMatrix matrix(named.matrix, format, SparsePrecision::double_precision);
        entry["solves"].push_back(time_systems(request, named, matrix, SeveralPlan::stream, to_string(format)));
    }
    const SparseMatrix matrix(named.matrix, SparseFormat::crs, SparsePrecision::double_precision);
    if (matrix.solve_several(named.b, request.matrix_tolerance, 1)[0].resident)
        entry["solves"].push_back(time_systems(request, named, matrix, SeveralPlan::resident, "resident"));
    return entry;
}

} // namespace mantissa::gpu
