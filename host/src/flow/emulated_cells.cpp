#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>

#include <fmt/format.h>
#include <omp.h>

#include "dense/refine.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/host/flow.hpp"

namespace mantissa {

namespace {

constexpr double kUnit = 0x1p-53;
constexpr int kMostSteps = 100; // of refinement

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double backward_error(const DenseProblem& p, std::span<const double> q, std::span<const double> residual) {
    return dense::max_norm(residual) / (dense::max_norm(p.a) * dense::max_norm(q) + dense::max_norm(p.b));
}

struct Answer {
    Point2 flow{0, 0};
    CellTimes times;
    double backward_error = 0;
    std::string fault;
};

Answer solve_cell(const BubbleCell& cell, const LuSpec& spec, bool refine) {
    Answer answer;
    auto start = std::chrono::steady_clock::now();
    const auto lap = [&start](double& part) {
        part = seconds_since(start);
        start = std::chrono::steady_clock::now();
    };
    const DenseProblem p = bubble_system(cell);
    lap(answer.times.assembly);
    const LuFactors factors = factor(spec, p.a, 1);
    lap(answer.times.factor);
    if (factors.end != LuEnd::factored) {
        answer.fault = fmt::format("no factors: {} at column {}", to_string(factors.end), factors.at);
        return answer;
    }
    std::vector<double> q = substitute(factors, p.b);
    std::vector<double> r = dense::defect(p.a, q, p.b, 1);
    double error = backward_error(p, q, r);
    const double goal = static_cast<double>(p.a.size()) * kUnit;
    for (int step = 0; refine && error > goal && step < kMostSteps; ++step) {
        const std::vector<double> d = substitute(factors, r);
        for (std::size_t i = 0; i < q.size(); ++i) q[i] += d[i];
        r = dense::defect(p.a, q, p.b, 1);
        error = backward_error(p, q, r);
    }
    if (!(error <= goal) && refine)
        answer.fault = fmt::format("refinement stops at a backward error of {:.2e}, double accuracy being {:.2e}; give "
                                   "wider factors",
                                   error, goal);
    answer.flow = mean_flow(cell, q);
    answer.backward_error = error;
    lap(answer.times.solve);
    return answer;
}

class EmulatedCells final : public CellSolver {
public:
    EmulatedCells(const LuSpec& spec, bool refine, int threads)
        : spec_(spec), refine_(refine), threads_(threads > 0 ? threads : omp_get_max_threads()) {
        spec_.validate();
    }

    std::vector<Point2> solve(std::span<const BubbleCell> cells) override {
        std::vector<Answer> answers(cells.size());
        const auto start = std::chrono::steady_clock::now();
        std::exception_ptr thrown;
#pragma omp parallel for num_threads(threads_) schedule(dynamic, 1)
        for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(cells.size()); ++i) {
            const auto at = static_cast<std::size_t>(i);
            try {
                answers[at] = solve_cell(cells[at], spec_, refine_);
            } catch (...) {
#pragma omp critical
                thrown = std::current_exception();
            }
        }
        if (thrown) std::rethrow_exception(thrown);
        const double wall = seconds_since(start);
        CellTimes sum;
        std::vector<Point2> flows;
        for (std::size_t i = 0; i < answers.size(); ++i) {
            const Answer& a = answers[i];
            if (!a.fault.empty()) throw InvalidInput(fmt::format("cell {} of the batch, {}", i, a.fault));
            flows.push_back(a.flow);
            backward_error_ = std::max(backward_error_, a.backward_error);
            sum.assembly += a.times.assembly;
            sum.factor += a.times.factor;
            sum.solve += a.times.solve;
        }
        // Threads work side by side: the parts share the time that passed.
        const double scale = sum.total() > 0 ? wall / sum.total() : 0;
        times_.assembly += scale * sum.assembly;
        times_.factor += scale * sum.factor;
        times_.solve += scale * sum.solve;
        return flows;
    }

    [[nodiscard]] std::string where() const override {
        return fmt::format("processor, {} {}", threads_, threads_ == 1 ? "thread" : "threads");
    }

private:
    LuSpec spec_;
    bool refine_;
    int threads_;
};

} // namespace

std::unique_ptr<CellSolver> make_emulated_cells(const LuSpec& spec, bool refine, int threads) {
    return std::make_unique<EmulatedCells>(spec, refine, threads);
}

} // namespace mantissa
