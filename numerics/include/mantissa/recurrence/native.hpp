// A recurrence in this processor's doubles or floats, on sparse rows: the definition is a template argument, and every
// sweep of its plan (plan.hpp) one loop over memory (native_sweeps.hpp).
//
// Sums are formed in blocks of kSweepBlock rows, which are added in double and in order. So results do not depend on
// the number of threads. They are no datapath's: the interpreter has those.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "mantissa/engine.hpp"
#include "mantissa/recurrence/native_sweeps.hpp"
#include "mantissa/recurrence/plan.hpp"
#include "mantissa/recurrence/preconditioner.hpp"
#include "mantissa/recurrence/scalar_steps.hpp"
#include "mantissa/sparse/row_slices.hpp"

namespace mantissa::recurrence {

/// Rows as sweeps read them, with values in T.
template <class T> using NativeRows = SlicedRows<T>;

/// A solve by D on rows that outlive it. M is the identity, unless one is given. Not for use from two threads at once.
template <const Definition& D, class T = double> class Native {
public:
    /// `loops`: those of the best instruction set, where the caller has them.
    explicit Native(const NativeRows<T>& rows, int threads = 1, const SweepLoops<T>& loops = kSweepLoops<D, T>)
        : rows_(rows), loops_(loops), blocks_((rows.padded() + kSweepBlock - 1) / kSweepBlock),
          threads_(std::clamp(threads, 1, static_cast<int>(std::min<std::size_t>((blocks_ + 7) / 8, 4096)))),
          partial_(blocks_ * kMostSums) {
        // Lines of the cache, and no two vectors at the same place of a page: a load there would wait for the other's
        // store.
        constexpr std::size_t kPage = 4096 / sizeof(T), kLine = 64 / sizeof(T);
        const std::size_t stride = (rows_.padded() + kPage - 1) / kPage * kPage + kPage / 16 / kLine * kLine + kLine;
        storage_.assign(D.vectors * stride + kLine, T(0));
        const std::size_t past = reinterpret_cast<std::uintptr_t>(storage_.data()) / sizeof(T) % kLine;
        for (std::size_t v = 0; v < D.vectors; ++v)
            vectors_[v] = std::span(storage_).subspan((kLine - past) % kLine + v * stride, rows_.padded());
        for (std::size_t v = 0; v < D.vectors; ++v) at_[v] = vectors_[v].data();
    }

    /// M of solves from now on.
    void precondition_by(Preconditioner m) { preconditioner_ = std::move(m); }

    /// Begins a solve of A u = r from u = 0; r has the rows' size, `given` as many as D's scalars that are given.
    void start(std::span<const double> r, std::span<const double> given = {}) {
        if (given.size() != given_scalars(D)) throw InvalidInput("recurrence: its given scalars are others in number");
        std::size_t taken = 0;
        for (std::size_t v = 0; v < D.vectors; ++v) {
            std::fill(vectors_[v].begin(), vectors_[v].end(), T(0));
            if (!D.vector[v].residual) continue;
            for (std::size_t i = 0; i < r.size(); ++i) vectors_[v][i] = static_cast<T>(r[i]);
        }
        for (std::size_t s = 0; s < D.scalars; ++s)
            scalars_[s] = D.scalar[s].initial == Initial::given ? given[taken++] : initial_value(D.scalar[s].initial);
        findings_ = {};
        due_ = {};
        for (auto* v : {&in_, &out_}) v->resize(preconditioner_ ? r.size() : 0);
        pending_ = sweeps<Section::start>(0, false);
        iterations_ = 0;
    }

    /// As Interpreter::run(), what is watched included.
    RunReport run(const RunRequest& request) {
        RunReport report;
        report.end = std::exchange(pending_, RunEnd::passes);
        while (report.passes < request.passes && report.end == RunEnd::passes) {
            advanced_ = D.counts == Counts::begun;
            const std::uint64_t guarded = findings_.guarded;
            issue(D.first);
            const bool test = report.passes + 1 >= request.rho_stop_from;
            report.end = sweeps<Section::iteration>(request.rho_stop, test);
            if (report.end != RunEnd::passes && report.end != RunEnd::rho_reached) give_up();
            else report.sigma_guards += findings_.guarded - guarded;
            report.passes += advanced_ ? 1 : 0;
            if (D.every == 0 || report.end != RunEnd::passes) continue;
            if (++iterations_ % D.every == 0 || report.passes >= request.passes)
                report.end = sweeps<Section::watch>(request.rho_stop, test);
        }
        return report;
    }

    [[nodiscard]] double square() const { return scalars_[D.stops_on]; }
    [[nodiscard]] double culprit() const { return findings_.culprit; }
    /// The iterate, what is still due and what the recurrence lags behind included.
    void solution(std::span<double> u) {
        settle();
        for (std::size_t i = 0; i < u.size(); ++i) u[i] = static_cast<double>(vectors_[D.solution][i]);
        if constexpr (D.lag_vector != Definition::kNone)
            for (std::size_t i = 0; i < u.size(); ++i)
                u[i] += scalars_[D.lag_scalar] * static_cast<double>(vectors_[D.lag_vector][i]);
    }

private:
    static constexpr auto kPutOff = [] {
        std::array<bool, Definition::kMostSteps> put_off{};
        for (std::uint8_t k = D.first; k < D.watched; ++k)
            put_off[k] = detail::advances(D, D.step[k]) && detail::put_off(D, k) != k;
        return put_off;
    }();

    template <Section In> RunEnd sweeps(double threshold, bool test) {
        constexpr const Plan& kPlan = kSweepPlan<D, In>;
        const auto& loops = In == Section::start       ? loops_.start
                            : In == Section::iteration ? loops_.iteration
                                                       : loops_.watch;
        for (std::size_t s = 0; s < kPlan.sweeps; ++s) {
            sweep(kPlan.sweep[s], loops[s]);
            if (const RunEnd end = scalars<In>(kPlan.sweep[s], threshold, test); end != RunEnd::passes) return end;
        }
        return RunEnd::passes;
    }

    /// The scalar statements after a sweep; then advances that come next in the definition and are put off are due.
    template <Section In> RunEnd scalars(const Sweep& sweep, double threshold, bool test) {
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
        if (In == Section::iteration && sweep.scalar_to > 0) issue(sweep.scalar_to);
        return RunEnd::passes;
    }

    /// Advances that are put off and stand between step `from` and the next scalar statement are due from now on.
    void issue(std::uint8_t from) {
        for (std::uint8_t k = from; k < D.watched && !on_scalars(D.step[k].operation); ++k)
            if (kPutOff[k]) due_[k] = advanced_ = true;
    }

    /// One loop over memory, and its sums over the blocks in order.
    void sweep(const Sweep& sweep, SweepLoop<T> loop) {
        if (sweep.steps == 0) return;
        std::array<T, Definition::kMostSteps> factor{}; // of each update
        for (std::size_t n = 0; n < sweep.steps; ++n) {
            const std::uint8_t k = sweep.step[n];
            factor[n] = kPutOff[k] && !due_[k] ? T(0) : static_cast<T>(scalars_[D.step[k].scalar]);
            if (kPutOff[k]) due_[k] = false;
            else if (detail::advances(D, D.step[k])) advanced_ = true;
        }
        for (std::size_t n = 0; n < sweep.steps; ++n)
            if (D.step[sweep.step[n]].operation == Operation::precondition) precondition(D.step[sweep.step[n]]);
        const auto blocks = static_cast<std::ptrdiff_t>(blocks_);
        const RowSlices<T> a = rows_.at();
        const auto share = [&](std::ptrdiff_t b) {
            const std::size_t begin = static_cast<std::size_t>(b) * kSweepBlock;
            loop(a, at_.data(), factor.data(), begin, std::min(begin + kSweepBlock, rows_.padded()),
                 partial_.data() + static_cast<std::size_t>(b) * kMostSums);
        };
        if (threads_ == 1) { // (a team of one is not free)
            for (std::ptrdiff_t b = 0; b < blocks; ++b) share(b);
        } else {
#pragma omp parallel for schedule(static) num_threads(threads_)
            for (std::ptrdiff_t b = 0; b < blocks; ++b) share(b);
        }
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

    /// A product of M, in front of the sweep that has it.
    void precondition(const Step& step) {
        const std::span<T> from = vectors_[step.a], to = vectors_[step.result];
        if (!preconditioner_) {
            std::copy(from.begin(), from.end(), to.begin());
            return;
        }
        for (std::size_t i = 0; i < in_.size(); ++i) in_[i] = static_cast<double>(from[i]);
        preconditioner_(in_, out_);
        for (std::size_t i = 0; i < out_.size(); ++i) to[i] = static_cast<T>(out_[i]);
    }

    /// Makes the advances that are due.
    void settle() {
        for (std::uint8_t k = D.first; k < D.watched; ++k) {
            if (!std::exchange(due_[k], false)) continue;
            const Step& s = D.step[k];
            const auto factor =
                static_cast<T>(s.operation == Operation::sub_scaled ? -scalars_[s.scalar] : scalars_[s.scalar]);
            for (std::size_t i = 0; i < rows_.padded(); ++i) vectors_[s.result][i] += factor * vectors_[s.b][i];
        }
    }
    void give_up() {
        settle();
        for (std::size_t s = 0; s < D.scalars; ++s)
            if (D.scalar[s].cleared) scalars_[s] = 0;
    }

    const NativeRows<T>& rows_;
    const SweepLoops<T>& loops_;
    std::size_t blocks_;
    int threads_;
    std::vector<T> storage_;
    std::array<std::span<T>, D.vectors> vectors_;
    std::array<T*, D.vectors> at_{};
    std::array<double, D.scalars> scalars_{};
    std::array<bool, Definition::kMostSteps> due_{};
    std::vector<double> partial_; ///< sums of blocks
    Preconditioner preconditioner_;
    std::vector<double> in_, out_; ///< of M
    ScalarFindings findings_;
    RunEnd pending_ = RunEnd::passes; ///< how start() ended
    bool advanced_ = false;
    std::uint64_t iterations_ = 0; ///< since start(), where something is watched
};

} // namespace mantissa::recurrence
