// Native solves of constant stencils, on one device or in strips over several.
#include <utility>

#include "mantissa/gpu/cg.hpp"
#include "mantissa/gpu/parted_grid.hpp"
#include "native.hpp"

namespace mantissa::gpu {

namespace {

/// float has its inner vectors in float and its outer loop in double on the device.
Arithmetic arithmetic_of(bool single) {
    return single ? Arithmetic::mixed_float : Arithmetic::double_precision;
}

NativeReport report_of(const CgReport& r) {
    return {.end = native_end(r.end),
            .iterations = r.passes,
            .outer = r.outer,
            .seconds = r.seconds,
            .residual = r.true_residual,
            .layout = r.plan_text};
}

template <class Solver, class Request> class GridNative final : public NativeSolver {
public:
    GridNative(std::unique_ptr<Solver> solver, std::shared_ptr<Peers> peers, PickedPlan plan, const Request& request,
               std::size_t size)
        : peers_(std::move(peers)), solver_(std::move(solver)), plan_(std::move(plan)), request_(request), size_(size) {
    }

    [[nodiscard]] const PickedPlan& plan() const override { return plan_; }
    std::vector<NativeReport> solve(std::span<const std::vector<double>> b, const NativeRequest& request,
                                    std::vector<std::vector<double>>& x) override {
        request_.tolerance = request.tolerance;
        request_.max_passes = native_limit(request.max_iterations);
        if constexpr (requires { request_.watch; }) request_.watch = request.watch;
        std::vector<NativeReport> reports;
        x.resize(b.size());
        for (std::size_t s = 0; s < b.size(); ++s) {
            solver_->set_rhs(b[s]);
            reports.push_back(report_of(solver_->solve(request_)));
            x[s].resize(size_);
            solver_->solution(x[s]);
        }
        return reports;
    }

private:
    std::shared_ptr<Peers> peers_; ///< outlives the solver
    std::unique_ptr<Solver> solver_;
    PickedPlan plan_;
    Request request_;
    std::size_t size_;
};

} // namespace

std::unique_ptr<NativeSolver> make_native_grid(const System& system, bool single, NativePlan asked,
                                               const NativeParts& parts) {
    auto whole = std::make_unique<GridSolver>(system);
    const std::size_t columns = system.row_length();
    NativeFacts facts{.grid = true,
                      .columns = columns - 2,
                      .rows = system.size() / columns - 2,
                      .parts = parts.count(),
                      .fits_chip = whole->fits_chip(),
                      .why_not = "one tile of the grid for each multiprocessor is too large"};
    PickedPlan plan = pick_plan(facts, asked);
    if (plan.plan == NativePlan::grid_parts) {
        PartedRequest request;
        request.arithmetic = arithmetic_of(single);
        return std::make_unique<GridNative<PartedGridSolver, PartedRequest>>(
            std::make_unique<PartedGridSolver>(*parts.peers, system), parts.peers, std::move(plan), request,
            system.size());
    }
    CgRequest request;
    request.arithmetic = arithmetic_of(single);
    request.plan = plan.plan == NativePlan::grid_resident ? Plan::resident : Plan::stream;
    if (request.plan ==
        Plan::resident) { // a pass loads the kernel, which no solve's time, of a millisecond, should hold
        CgRequest first = request;
        first.max_passes = 1;
        whole->set_rhs(std::vector<double>(system.size(), 1.0));
        static_cast<void>(whole->solve(first));
    }
    return std::make_unique<GridNative<GridSolver, CgRequest>>(std::move(whole), nullptr, std::move(plan), request,
                                                               system.size());
}

} // namespace mantissa::gpu
