// Native solves of rows and of bands, on one device or over several.
#include <algorithm>
#include <utility>
#include <variant>

#include "mantissa/gpu/parted_sparse.hpp"
#include "mantissa/gpu/sparse_solver.hpp"
#include "mantissa/sparse/complex_blocks.hpp"
#include "native.hpp"

namespace mantissa::gpu {

namespace {

SparsePrecision precision_of(bool single) {
    return single ? SparsePrecision::single_precision : SparsePrecision::double_precision;
}

NativeReport report_of(const SparseCgReport& r, double asked, double tolerance) {
    NativeReport report{.end = native_end(r.end),
                        .iterations = r.iterations,
                        .outer = 0,
                        .seconds = r.seconds,
                        .residual = r.true_residual,
                        .layout = {}};
    if (tolerance > asked && report.end == PcgEnd::reached) report.end = PcgEnd::stagnated; // of what was asked for
    return report;
}

/// Bands whose empty rows, Dirichlet nodes, have a diagonal of 1: they keep x = 0 there, and Jacobi divides by it.
System with_diagonal(const Bands& given) {
    Bands::Array bands = given.bands();
    for (std::size_t i = 0; i < given.size(); ++i)
        if (std::ranges::all_of(bands, [i](const std::vector<double>& band) { return band[i] == 0; }))
            bands[kBands / 2][i] = 1;
    return Bands(given.row_length(), std::move(bands));
}

/// What one device is given: up to three right-hand sides in one pass over the matrix.
class SparseNative final : public NativeSolver {
public:
    /// `together`: right-hand sides that the matrix's format takes in one pass, 1 to 3.
    SparseNative(SparseMatrix matrix, PickedPlan plan, bool single, bool jacobi, std::size_t together)
        : matrix_(std::move(matrix)), plan_(std::move(plan)), single_(single), jacobi_(jacobi), together_(together) {}

    [[nodiscard]] const PickedPlan& plan() const override { return plan_; }
    std::vector<NativeReport> solve(std::span<const std::vector<double>> b, const NativeRequest& request,
                                    std::vector<std::vector<double>>& x) override {
        const double tolerance = native_tolerance(single_, request.tolerance);
        const std::uint32_t limit = native_limit(request.max_iterations);
        const SeveralPlan plan =
            plan_.plan == NativePlan::sparse_resident ? SeveralPlan::resident : SeveralPlan::stream;
        std::vector<NativeReport> reports;
        x.clear();
        for (std::size_t first = 0; first < b.size(); first += together_) {
            std::vector<SparseCgReport> done;
            std::vector<std::vector<double>> found;
            const SparseLook look = [&](std::uint32_t iterations, double residual) {
                return !request.watch || request.watch(iterations, residual);
            };
            if (jacobi_) {
                const auto some = b.subspan(first, std::min(together_, b.size() - first));
                // (three together need more of the chip than one)
                done = matrix_.solve_several(
                    some, tolerance, limit, &found,
                    some.size() > 1 && plan == SeveralPlan::resident ? SeveralPlan::automatic : plan, look);
            } else {
                found.emplace_back();
                done.push_back(matrix_.solve(b[first], tolerance, limit, false, &found.front()));
            }
            for (const SparseCgReport& r : done) reports.push_back(report_of(r, request.tolerance, tolerance));
            std::ranges::move(found, std::back_inserter(x));
        }
        return reports;
    }

private:
    SparseMatrix matrix_;
    PickedPlan plan_;
    bool single_, jacobi_;
    std::size_t together_;
};

class PartedSparseNative final : public NativeSolver {
public:
    PartedSparseNative(const CompressedRows& a, const NativeParts& parts, PickedPlan plan, bool single, bool jacobi)
        : peers_(parts.peers), plan_(std::move(plan)), single_(single), jacobi_(jacobi),
          solver_(a, cut(a, static_cast<std::uint32_t>(parts.count()), parts.method, kRowWeight), *peers_,
                  precision_of(single)) {}

    [[nodiscard]] const PickedPlan& plan() const override { return plan_; }
    std::vector<NativeReport> solve(std::span<const std::vector<double>> b, const NativeRequest& request,
                                    std::vector<std::vector<double>>& x) override {
        const double tolerance = native_tolerance(single_, request.tolerance);
        std::vector<NativeReport> reports;
        x.assign(b.size(), {});
        for (std::size_t s = 0; s < b.size(); ++s)
            reports.push_back(report_of(
                solver_.solve(b[s], tolerance, native_limit(request.max_iterations), jacobi_, &x[s], request.watch),
                request.tolerance, tolerance));
        return reports;
    }

private:
    static constexpr std::uint32_t kRowWeight = 2; ///< entries that a row's share of the vectors costs as much as
    std::shared_ptr<Peers> peers_;                 ///< outlives the solver
    PickedPlan plan_;
    bool single_, jacobi_;
    PartedSparse solver_;
};

} // namespace

SparseFormat stream_format(const CompressedRows& a) {
    if (why_no_complex_blocks(a).empty()) return SparseFormat::complex_sell; // half the bytes
    std::uint64_t longest = 0;
    for (std::size_t i = 0; i < a.rows(); ++i) longest = std::max(longest, a.row_begin()[i + 1] - a.row_begin()[i]);
    constexpr std::uint64_t kAlike = 3; // of a slice's 32 rows; beyond, docs/gpu.md: three to a hundred times as slow
    return longest * a.rows() <= kAlike * a.nonzeros() ? SparseFormat::sell : SparseFormat::sell_lengths;
}

std::unique_ptr<NativeSolver> make_native_sparse(const System& system, bool single, const NativeChoice& choice,
                                                 const NativeParts& parts, std::optional<SparseFormat> format) {
    std::optional<System> bands;
    if (const auto* given = std::get_if<Bands>(&system.matrix())) bands = with_diagonal(*given);
    else if (const auto* half = std::get_if<SymmetricBands>(&system.matrix())) bands = with_diagonal(half->bands());
    std::optional<CompressedRows> made;
    if (bands) made = to_compressed_rows(std::get<Bands>(bands->matrix()));
    const CompressedRows& a = made ? *made : std::get<CompressedRows>(system.matrix());
    if (choice.recurrence != nullptr || choice.restart != 0) return make_native_recurrence(a, single, choice, format);
    NativeFacts facts;
    facts.columns = facts.rows = a.rows();
    facts.parts = parts.count();
    const bool several =
        choice.plan == NativePlan::sparse_parts && parts.count() > 1; // else the one device is asked first
    const SparseFormat stream = format.value_or(stream_format(a));
    std::optional<SparseMatrix> matrix;
    if (!several) {
        if (bands) matrix.emplace(*bands, precision_of(single));
        else matrix.emplace(a, stream, precision_of(single));
        facts.fits_chip = choice.jacobi && choice.plan != NativePlan::sparse_stream && matrix->fits_chip();
    }
    facts.why_not = !choice.jacobi ? "there CG is preconditioned by the diagonal"
                                   : "its entries are too many, or a row's are more than 256";
    PickedPlan plan = pick_plan(facts, choice.plan);
    if (plan.plan == NativePlan::sparse_parts)
        return std::make_unique<PartedSparseNative>(a, parts, std::move(plan), single, choice.jacobi);
    if (plan.plan == NativePlan::sparse_stream) plan.why += bands ? "; by nine bands" : "; in " + to_string(stream);
    const bool sliced =
        !bands && (stream == SparseFormat::crs || stream == SparseFormat::sell || stream == SparseFormat::sell_lengths);
    return std::make_unique<SparseNative>(std::move(*matrix), std::move(plan), single, choice.jacobi,
                                          choice.jacobi && sliced ? 3 : 1);
}

} // namespace mantissa::gpu
