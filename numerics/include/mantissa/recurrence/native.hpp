// A recurrence in this processor's doubles, on sparse rows: the definition is a template argument, and every sweep of
// its plan (plan.hpp) becomes one loop in which each vector is loaded and stored once.
//
// Sums are formed in blocks of kBlock rows, eight interleaved partial sums each, closed by halving; blocks are added in
// order. So results do not depend on the number of threads. They are no datapath's: the interpreter has those.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "mantissa/engine.hpp"
#include "mantissa/recurrence/plan.hpp"
#include "mantissa/recurrence/scalar_steps.hpp"
#include "mantissa/sparse/compressed_rows.hpp"

namespace mantissa::recurrence {

/// A solve by D on rows that outlive it. M is the identity. Not for use from two threads at once.
template <Definition D> class Native {
public:
    explicit Native(const CompressedRows& rows, int threads = 1)
        : rows_(rows), threads_(std::max(1, threads)), padded_((rows.rows() + kLanes - 1) / kLanes * kLanes),
          blocks_((padded_ + kBlock - 1) / kBlock), partial_(blocks_ * kMostSums) {
        for (auto& v : vectors_) v.assign(padded_, 0.0);
    }

    /// Begins a solve of A u = r from u = 0; r has the rows' size.
    void start(std::span<const double> r) {
        for (std::size_t v = 0; v < D.vectors; ++v) {
            std::fill(vectors_[v].begin(), vectors_[v].end(), 0.0);
            if (D.vector[v].residual) std::copy(r.begin(), r.end(), vectors_[v].begin());
        }
        for (std::size_t s = 0; s < D.scalars; ++s)
            scalars_[s] = D.scalar[s].initial == Initial::zero  ? 0.0
                          : D.scalar[s].initial == Initial::one ? 1.0
                                                                : std::numeric_limits<double>::infinity();
        findings_ = {};
        due_ = {};
        pending_ = sweeps<false>(0, false, std::make_index_sequence<kStart.sweeps>());
    }

    /// As Interpreter::run().
    RunReport run(const RunRequest& request) {
        RunReport report;
        report.end = std::exchange(pending_, RunEnd::passes);
        while (report.passes < request.passes && report.end == RunEnd::passes) {
            advanced_ = D.counts == Counts::begun;
            const std::uint64_t guarded = findings_.guarded;
            issue(D.first);
            report.end = sweeps<true>(request.rho_stop, report.passes + 1 >= request.rho_stop_from,
                                      std::make_index_sequence<kIteration.sweeps>());
            if (report.end != RunEnd::passes && report.end != RunEnd::rho_reached) give_up();
            else report.sigma_guards += findings_.guarded - guarded;
            report.passes += advanced_ ? 1 : 0;
        }
        return report;
    }

    [[nodiscard]] double square() const { return scalars_[D.stops_on]; }
    [[nodiscard]] double culprit() const { return findings_.culprit; }
    /// The iterate, what is still due and what the recurrence lags behind included.
    void solution(std::span<double> u) {
        settle();
        std::copy_n(vectors_[D.solution].begin(), u.size(), u.begin());
        if constexpr (D.lag_vector != Definition::kNone)
            for (std::size_t i = 0; i < u.size(); ++i) u[i] += scalars_[D.lag_scalar] * vectors_[D.lag_vector][i];
    }

private:
    static constexpr std::size_t kLanes = 8, kBlock = 1024, kMostSums = 4;
    static constexpr Plan kStart = plan(D, 0, D.first), kIteration = plan(D);
    using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));

    template <bool Iteration, std::size_t S> static constexpr Sweep sweep_of() {
        return Iteration ? kIteration.sweep[S] : kStart.sweep[S];
    }
    static constexpr bool is_put_off(std::uint8_t k) {
        return k >= D.first && detail::advances(D, D.step[k]) && detail::put_off(D, k) != k;
    }

    template <bool Iteration, std::size_t... S> RunEnd sweeps(double threshold, bool test, std::index_sequence<S...>) {
        RunEnd end = RunEnd::passes;
        static_cast<void>(
            ((sweep<Iteration, S>(), (end = scalars<Iteration, S>(threshold, test)) == RunEnd::passes) && ...));
        return end;
    }

    /// The scalar statements behind a sweep; then advances that come next in the definition and are put off are due.
    template <bool Iteration, std::size_t S> RunEnd scalars(double threshold, bool test) {
        constexpr Sweep sweep = sweep_of<Iteration, S>();
        struct {
            [[nodiscard]] double add(double a, double b) const { return a + b; }
            [[nodiscard]] double sub(double a, double b) const { return a - b; }
            [[nodiscard]] double mul(double a, double b) const { return a * b; }
            [[nodiscard]] double div(double a, double b) const { return a / b; }
        } constexpr arithmetic;
        for (std::uint8_t k = sweep.scalar_from; k < sweep.scalar_to; ++k)
            if (const RunEnd end = scalar_step(arithmetic, D.step[k], scalars_, threshold, test, findings_);
                end != RunEnd::passes)
                return end;
        if constexpr (Iteration && sweep.scalar_to > 0) issue(sweep.scalar_to);
        return RunEnd::passes;
    }

    /// Advances that are put off and stand between step `from` and the next scalar statement are due from now on.
    void issue(std::uint8_t from) {
        for (std::uint8_t k = from; k < D.steps && !on_scalars(D.step[k].operation); ++k)
            if (is_put_off(k)) due_[k] = advanced_ = true;
    }

    /// One loop over memory.
    template <bool Iteration, std::size_t S> void sweep() {
        constexpr Sweep sweep = sweep_of<Iteration, S>();
        if constexpr (sweep.steps != 0) {
            std::array<double, Definition::kMostSteps> factor{}; // of each update
            for (std::size_t n = 0; n < sweep.steps; ++n) {
                const std::uint8_t k = sweep.step[n];
                factor[n] = is_put_off(k) && !due_[k] ? 0.0 : scalars_[D.step[k].scalar];
                if (is_put_off(k)) due_[k] = false;
                else if (detail::advances(D, D.step[k])) advanced_ = true;
            }
            const auto blocks = static_cast<std::ptrdiff_t>(blocks_);
#pragma omp parallel for schedule(static) num_threads(threads_) if (threads_ > 1)
            for (std::ptrdiff_t b = 0; b < blocks; ++b)
                block<Iteration, S>(static_cast<std::size_t>(b), factor, std::make_index_sequence<sweep.steps>());
            close<Iteration, S>();
        }
    }

    template <bool Iteration, std::size_t S, std::size_t... N>
    void block(std::size_t b, const std::array<double, Definition::kMostSteps>& factor, std::index_sequence<N...>) {
        const std::size_t begin = b * kBlock, end = std::min(begin + kBlock, padded_);
        (product<Iteration, S, N>(begin, std::min(end, rows_.rows())), ...);
        std::array<double*, D.vectors> at;
        for (std::size_t v = 0; v < D.vectors; ++v) at[v] = vectors_[v].data();
        std::array<Lanes, kMostSums> sum{};
        for (std::size_t i = begin; i < end; i += kLanes) {
            std::array<Lanes, D.vectors> value;
            std::size_t sums = 0;
            (element<Iteration, S, N>(i, at, value, factor[N], sum, sums), ...);
        }
        for (std::size_t k = 0; k < kMostSums; ++k) {
            Lanes s = sum[k];
            for (std::size_t half = kLanes / 2; half > 0; half /= 2)
                for (std::size_t j = 0; j < half; ++j) s[j] += s[j + half];
            partial_[b * kMostSums + k] = s[0];
        }
    }

    /// Rows of A x, of a block, into memory; what follows finds them in the cache.
    template <bool Iteration, std::size_t S, std::size_t N> void product(std::size_t begin, std::size_t end) {
        constexpr Step step = D.step[sweep_of<Iteration, S>().step[N]];
        if constexpr (step.operation == Operation::apply) {
            const std::uint64_t* const row = rows_.row_begin().data();
            const std::uint32_t* const column = rows_.column().data();
            const double* const entry = rows_.value().data();
            const double* const x = vectors_[step.a].data();
            double* const out = vectors_[step.result].data();
            for (std::size_t i = begin; i < end; ++i) {
                double sum = 0;
                for (std::uint64_t k = row[i]; k < row[i + 1]; ++k) sum += entry[k] * x[column[k]];
                out[i] = sum;
            }
        }
    }

    template <bool Iteration, std::size_t S, std::size_t N, std::uint8_t V>
    static void fetch(std::size_t i, const std::array<double*, D.vectors>& at, std::array<Lanes, D.vectors>& value) {
        if constexpr (!in_hand(D, sweep_of<Iteration, S>(), N, V, false))
            std::memcpy(&value[V], at[V] + i, sizeof(Lanes));
    }

    template <bool Iteration, std::size_t S, std::size_t N>
    static void element(std::size_t i, const std::array<double*, D.vectors>& at, std::array<Lanes, D.vectors>& value,
                        double factor, std::array<Lanes, kMostSums>& sum, std::size_t& sums) {
        constexpr Step step = D.step[sweep_of<Iteration, S>().step[N]];
        if constexpr (step.operation != Operation::apply) {
            fetch<Iteration, S, N, step.a>(i, at, value);
            if constexpr (step.operation == Operation::dot) {
                if constexpr (step.b != step.a) fetch<Iteration, S, N, step.b>(i, at, value);
                sum[sums++] += value[step.a] * value[step.b];
            } else {
                if constexpr (step.operation == Operation::copy || step.operation == Operation::precondition) {
                    value[step.result] = value[step.a];
                } else {
                    if constexpr (step.b != step.a) fetch<Iteration, S, N, step.b>(i, at, value);
                    if constexpr (step.operation == Operation::add_scaled)
                        value[step.result] = value[step.a] + factor * value[step.b];
                    else value[step.result] = value[step.a] - factor * value[step.b];
                }
                std::memcpy(at[step.result] + i, &value[step.result], sizeof(Lanes));
            }
        }
    }

    /// The sums of all blocks, in order.
    template <bool Iteration, std::size_t S> void close() {
        constexpr Sweep sweep = sweep_of<Iteration, S>();
        std::size_t sums = 0;
        for (std::size_t n = 0; n < sweep.steps; ++n) {
            const Step& step = D.step[sweep.step[n]];
            if (step.operation != Operation::dot) continue;
            double total = 0;
            for (std::size_t b = 0; b < blocks_; ++b) total += partial_[b * kMostSums + sums];
            scalars_[step.result] = total;
            ++sums;
        }
    }

    /// Makes the advances that are due.
    void settle() {
        for (std::uint8_t k = D.first; k < D.steps; ++k) {
            if (!std::exchange(due_[k], false)) continue;
            const Step& s = D.step[k];
            const double factor = s.operation == Operation::sub_scaled ? -scalars_[s.scalar] : scalars_[s.scalar];
            for (std::size_t i = 0; i < padded_; ++i) vectors_[s.result][i] += factor * vectors_[s.b][i];
        }
    }
    void give_up() {
        settle();
        for (std::size_t s = 0; s < D.scalars; ++s)
            if (D.scalar[s].cleared) scalars_[s] = 0;
    }

    const CompressedRows& rows_;
    int threads_;
    std::size_t padded_, blocks_;
    std::array<std::vector<double>, D.vectors> vectors_;
    std::array<double, D.scalars> scalars_{};
    std::array<bool, Definition::kMostSteps> due_{};
    std::vector<double> partial_; ///< sums of blocks
    ScalarFindings findings_;
    RunEnd pending_ = RunEnd::passes; ///< how start() ended
    bool advanced_ = false;
};

} // namespace mantissa::recurrence
