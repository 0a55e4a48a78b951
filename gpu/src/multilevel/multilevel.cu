#include "mantissa/gpu/multilevel.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "kernels.cuh"
#include "mantissa/format.hpp"
#include "mantissa/gpu/device.hpp"
#include "mantissa/reached.hpp"
#include "mantissa/sparse/multilevel.hpp"
#include "mantissa/sparse/row_defect.hpp"
#include "schedules/graph.hpp"

namespace mantissa::gpu {

namespace {

using namespace multilevel;

/// Calls work with a compile-time number of lanes: about half of the entries of a mean row each.
template <class Work> void with_lanes(double mean, const Work& work) {
    if (mean <= 3) work(std::integral_constant<int, 1>{});
    else if (mean <= 6) work(std::integral_constant<int, 2>{});
    else if (mean <= 12) work(std::integral_constant<int, 4>{});
    else if (mean <= 36) work(std::integral_constant<int, 8>{});
    else work(std::integral_constant<int, 16>{});
}

/// Rows on the device.
template <class V> struct OwnedRows {
    Buffer<std::uint32_t> begin, column;
    Buffer<V> value;
    std::uint32_t rows = 0;
    double mean = 0;

    void upload(const std::vector<std::uint32_t>& row_begin, const std::vector<std::uint32_t>& columns) {
        begin = to_device(row_begin);
        column = to_device(columns);
        rows = static_cast<std::uint32_t>(row_begin.size() - 1);
        mean = static_cast<double>(columns.size()) / std::max<double>(1, rows);
    }
    [[nodiscard]] Rows<V> view() const { return {begin.data(), column.data(), value.data(), rows}; }
};

/// `from` in single precision at `to`, which has room for as many.
void narrow_to(const Buffer<double>& from, float* to) {
    narrow<<<1056, 256>>>(from.size(), from.data(), to);
    check(cudaGetLastError(), "launch of narrow");
}

class DeviceLevel {
public:
    DeviceLevel(const MultilevelLevel& l, bool first) {
        const std::uint32_t n = l.a.block_rows();
        a_.upload(l.a.row_begin, l.a.column);
        Buffer<double> wide = to_device(l.a.value);
        a_.value.allocate(l.a.column.size());
        narrow_to(wide, reinterpret_cast<float*>(a_.value.data()));
        if (first) wide_.swap(wide);
        inverse_.allocate(n);
        narrow_to(to_device(l.inverse), inverse_.data());
        take(l.prolongation, prolongation_);
        take(l.restriction, restriction_);
        for (auto* v : {&r_, &x_, &p_, &rest_}) {
            v->allocate(n);
            v->zero();
        }
        const auto steps = chebyshev_steps(l.largest > 0 ? l.largest : 1);
        view_ = {a_.view(),
                 inverse_.data(),
                 r_.data(),
                 x_.data(),
                 p_.data(),
                 rest_.data(),
                 static_cast<float>(steps[0].residual),
                 static_cast<float>(steps[1].before),
                 static_cast<float>(steps[1].residual)};
    }
    [[nodiscard]] const LevelView& view() const { return view_; }
    [[nodiscard]] const OwnedRows<float2>& a() const { return a_; }
    [[nodiscard]] const OwnedRows<float>& prolongation() const { return prolongation_; }
    [[nodiscard]] const OwnedRows<float>& restriction() const { return restriction_; }
    /// The matrix in double precision, on the first level.
    [[nodiscard]] Rows<double2> wide() const {
        return {a_.begin.data(), a_.column.data(), reinterpret_cast<const double2*>(wide_.data()), a_.rows};
    }

private:
    static void take(const RealRows& from, OwnedRows<float>& to) {
        if (from.rows == 0) return;
        to.upload(from.begin, from.column);
        to.value.allocate(from.value.size());
        narrow_to(to_device(from.value), to.value.data());
    }
    OwnedRows<float2> a_;
    OwnedRows<float> prolongation_, restriction_;
    Buffer<double> wide_;
    Buffer<float> inverse_;
    Buffer<float2> r_, x_, p_, rest_;
    LevelView view_{};
};

class Solver {
public:
    explicit Solver(const MultilevelHierarchy& h) : n_(h.level.front().a.block_rows()) {
        for (const MultilevelLevel& l : h.level) level_.push_back(std::make_unique<DeviceLevel>(l, level_.empty()));
        inverse_ = to_device(h.coarsest);
        for (auto* v : {&x_, &r_, &p_, &q_}) {
            v->allocate(n_);
            v->zero();
        }
        sums_.allocate(1);
        sums_.zero();
        status_.allocate(1);
        check(cudaDeviceSynchronize(), "kernel");
    }

    /// Adds to x the solution for the defect, to ||r|| <= goal.
    void correct(std::span<const double> defect, double norm, double goal, std::uint32_t limit, std::vector<double>& x,
                 SparseCgReport& report) {
        check(cudaMemcpy(r_.data(), defect.data(), defect.size_bytes(), cudaMemcpyHostToDevice),
              "cudaMemcpy to device");
        x_.zero();
        Status status{};
        status.iterations = report.iterations;
        status_.upload(std::span(&status, 1));
        scale_ = 1 / norm;
        Graph begin, more;
        begin.capture([&](cudaStream_t stream) {
            launch(begin_cg, blocks(n_), kThreads, stream, false, level_.front()->view(), r_.data(), scale_,
                   status_.data());
            cycle(0, 0, stream);
            turn_with(0, true, 0, limit, stream);
        });
        more.capture([&](cudaStream_t stream) {
            for (int k = 0; k < kIterations; ++k) iteration(k % 2, goal * goal, limit, stream);
        });
        Timer timer;
        timer.start();
        begin.launch();
        const std::uint32_t from = status.iterations;
        for (std::uint64_t made = 0; status.done == 0; made += kIterations) {
            more.launch();
            status_.download(std::span(&status, 1));
            if (status.done == 0 && from + made > limit + std::uint64_t{2} * kIterations)
                throw DeviceError("multilevel", "the solver did not come to an end");
        }
        report.seconds += timer.stop();
        report.iterations = status.iterations;
        report.end = status.end;
        std::vector<double> found(2 * std::size_t{n_});
        check(cudaMemcpy(found.data(), x_.data(), found.size() * sizeof(double), cudaMemcpyDeviceToHost),
              "cudaMemcpy from device");
        for (std::size_t i = 0; i < found.size(); ++i) x[i] += found[i];
    }

private:
    static constexpr int kIterations = 8; ///< of a graph, an even number
    static unsigned blocks(double threads) {
        return static_cast<unsigned>(
            std::clamp(std::ceil(threads / kThreads), 1.0, 8.0 * require_device().multiprocessors));
    }
    template <class... Parameters, class... Arguments>
    void start(void (*kernel)(Parameters...), double threads, cudaStream_t stream, Arguments... arguments) const {
        launch(kernel, blocks(threads), kThreads, stream, true, arguments..., status_.data());
    }
    void cycle(std::size_t k, int odd, cudaStream_t stream) const {
        const LevelView& l = level_[k]->view();
        const Status* const status = status_.data();
        if (k + 1 == level_.size()) {
            launch(solve_last, blocks(32.0 * l.a.rows), kThreads, stream, true,
                   reinterpret_cast<const double2*>(inverse_.data()), l.a.rows, l.r, l.x, status);
            if (k == 0)
                launch(sum_of_products, sum_blocks_, kThreads, stream, true, n_, l.x, r_.data(), sums_.data()->rz[odd],
                       status);
            return;
        }
        const LevelView& next = level_[k + 1]->view();
        with_lanes(level_[k]->a().mean, [&](auto lanes) {
            constexpr int kLanes = decltype(lanes)::value;
            start(smooth_from_nothing<kLanes>, double{kLanes} * l.a.rows, stream, l);
            start(form_rest<kLanes>, double{kLanes} * l.a.rows, stream, l);
        });
        with_lanes(level_[k]->restriction().mean, [&](auto lanes) {
            constexpr int kLanes = decltype(lanes)::value;
            start(restrict_rest<kLanes>, double{kLanes} * next.a.rows, stream, level_[k]->restriction().view(), l.rest,
                  next);
        });
        cycle(k + 1, odd, stream);
        with_lanes(level_[k]->prolongation().mean, [&](auto lanes) {
            constexpr int kLanes = decltype(lanes)::value;
            start(prolong<kLanes>, double{kLanes} * l.a.rows, stream, level_[k]->prolongation().view(), next.x, l.x);
        });
        with_lanes(level_[k]->a().mean, [&](auto lanes) {
            constexpr int kLanes = decltype(lanes)::value;
            start(first_step<kLanes>, double{kLanes} * l.a.rows, stream, l);
            if (k != 0) start(second_step<kLanes>, double{kLanes} * l.a.rows, stream, l);
            else
                launch(last_step<kLanes>, sum_blocks_, kThreads, stream, true, l, r_.data(), sums_.data()->rz[odd],
                       status);
        });
    }
    void turn_with(int odd, bool first, double goal, std::uint32_t limit, cudaStream_t stream) const {
        launch(turn, blocks(n_), kThreads, stream, true, n_, level_.front()->view().x, p_.data(), sums_.data(),
               sum_blocks_, odd, first, goal, limit, status_.data());
    }
    /// `odd`: the last r . z is in the sums of that number.
    void iteration(int odd, double goal, std::uint32_t limit, cudaStream_t stream) const {
        with_lanes(level_.front()->a().mean, [&](auto lanes) {
            launch(apply<decltype(lanes)::value>, sum_blocks_, kThreads, stream, true, level_.front()->wide(),
                   p_.data(), q_.data(), sums_.data(), status_.data());
        });
        launch(step, sum_blocks_, kThreads, stream, true, level_.front()->view(), x_.data(), r_.data(), p_.data(),
               q_.data(), sums_.data(), odd, scale_, status_.data());
        cycle(0, 1 - odd, stream);
        turn_with(1 - odd, false, goal, limit, stream);
    }

    std::uint32_t n_;
    const unsigned sum_blocks_ =
        std::min(kMostSumBlocks, kSumBlocksEach* static_cast<unsigned>(require_device().multiprocessors));
    std::vector<std::unique_ptr<DeviceLevel>> level_;
    Buffer<double> inverse_;
    Buffer<double2> x_, r_, p_, q_;
    Buffer<Sums> sums_;
    Buffer<Status> status_;
    double scale_ = 1;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

MultilevelReport multilevel_solve(const CompressedRows& a, std::span<const std::array<double, 3>> points,
                                  std::span<const double> b, const MultilevelOptions& options,
                                  std::vector<double>* solution) {
    static_cast<void>(require_device());
    if (b.size() != a.rows()) throw InvalidInput("right-hand side: its size is not the matrix's");
    MultilevelReport report;
    auto start = std::chrono::steady_clock::now();
    const MultilevelHierarchy h = make_multilevel(to_complex_blocks(a), points, options.threads);
    for (const MultilevelLevel& l : h.level) report.unknowns.push_back(l.a.block_rows());
    report.levels_seconds = seconds_since(start);
    start = std::chrono::steady_clock::now();
    Solver solver(h);
    report.upload_seconds = seconds_since(start);
    const double norm = std::sqrt(sum_of_squares(b));
    std::vector<double> x(a.rows(), 0.0), defect(b.begin(), b.end());
    report.end = CgEnd::converged;
    report.true_residual = norm == 0 ? 0 : 1;
    while (norm > 0) {
        const double before = report.true_residual;
        solver.correct(defect, before * norm, options.tolerance * norm, options.max_iterations, x, report);
        form_defect(a, b, x, defect);
        report.true_residual = std::sqrt(sum_of_squares(defect)) / norm;
        const bool reached = report.true_residual < options.tolerance * (1 + kReachedSlack);
        const bool more = report.end == CgEnd::converged && !reached;
        if (more && report.true_residual < 0.5 * before && report.iterations < options.max_iterations) continue;
        if (reached) report.end = CgEnd::converged;
        else if (report.end == CgEnd::converged) report.end = CgEnd::stagnated;
        break;
    }
    if (solution != nullptr) *solution = std::move(x);
    return report;
}

} // namespace mantissa::gpu
