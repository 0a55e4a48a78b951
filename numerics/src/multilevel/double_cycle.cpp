// The cycle of words in double precision, to compare with.
#include <fmt/format.h>

#include "blocked_sums.hpp"
#include "rows_cycle.hpp"

namespace mantissa::multilevel {

namespace {

using detail::for_each_row;

double row_sum(const RealRows& a, std::size_t row, const std::vector<double>& x) {
    double sum = 0;
    for (std::uint32_t k = a.begin[row]; k < a.begin[row + 1]; ++k) sum += a.value[k] * x[a.column[k]];
    return sum;
}

class DoubleCycle final : public Cycle {
public:
    DoubleCycle(Hierarchy h, const CycleSpec& spec, int threads) : h_(std::move(h)), threads_(std::max(1, threads)) {
        for (const Level& level : h_.level) {
            State& s = state_.emplace_back();
            s.before = chebyshev_weights(spec.before, least_smoothed(level.largest), level.largest);
            if (spec.after != 0) s.after = chebyshev_weights(spec.after, least_smoothed(level.largest), level.largest);
            std::reverse(s.after.begin(), s.after.end());
            for (auto* v : {&s.r, &s.rest, &s.f, &s.g, &s.next_g}) v->assign(level.a.rows, 0);
        }
    }
    void correct(std::span<const double> d, std::span<double> c) override {
        for_each_row(d.size(), threads_, [&](std::size_t i) { state_[0].r[i] = d[i] * h_.scale[i]; });
        solve(0);
        for_each_row(d.size(), threads_, [&](std::size_t i) { c[i] = state_[0].f[i] * h_.scale[i]; });
    }
    [[nodiscard]] std::string description() const override {
        return fmt::format("{} levels of rows in double, {} to {} unknowns", h_.level.size(), h_.level.front().a.rows,
                           h_.level.back().a.rows);
    }

private:
    struct State {
        std::vector<Weight> before, after;
        std::vector<double> r, rest, f, g, next_g;
    };

    void descend(const Level& l, State& s) {
        const double first = s.before.front().value();
        for_each_row(l.a.rows, threads_, [&](std::size_t i) { s.f[i] = s.g[i] = first * s.r[i]; });
        for (std::size_t k = 0; k < s.before.size(); ++k) {
            const double next = k + 1 < s.before.size() ? s.before[k + 1].value() : 0;
            for_each_row(l.a.rows, threads_, [&](std::size_t i) {
                s.rest[i] = (k == 0 ? s.r[i] : s.rest[i]) - row_sum(l.a, i, s.g);
                s.next_g[i] = next * s.rest[i];
                s.f[i] += s.next_g[i];
            });
            std::swap(s.g, s.next_g);
        }
    }

    /// f of a level from its r.
    void solve(std::size_t at) {
        const Level& l = h_.level[at];
        State& s = state_[at];
        if (at + 1 == h_.level.size()) {
            for (std::size_t i = 0; i < s.r.size(); ++i) {
                s.f[i] = 0;
                for (std::size_t j = 0; j < s.r.size(); ++j) s.f[i] += h_.coarsest[i * s.r.size() + j] * s.r[j];
            }
            return;
        }
        State& next = state_[at + 1];
        descend(l, s);
        for_each_row(next.r.size(), threads_, [&](std::size_t i) { next.r[i] = row_sum(l.restriction, i, s.rest); });
        solve(at + 1);
        for_each_row(l.a.rows, threads_, [&](std::size_t i) { s.f[i] += row_sum(l.prolongation, i, next.f); });
        for (const Weight& weight : s.after) {
            const double w = weight.value();
            for_each_row(l.a.rows, threads_,
                         [&](std::size_t i) { s.g[i] = s.f[i] + w * (s.r[i] - row_sum(l.a, i, s.f)); });
            std::swap(s.f, s.g);
        }
    }

    Hierarchy h_;
    int threads_;
    std::vector<State> state_;
};

} // namespace

std::unique_ptr<Cycle> make_double_cycle(Hierarchy hierarchy, const CycleSpec& spec, int threads) {
    return std::make_unique<DoubleCycle>(std::move(hierarchy), spec, threads);
}

} // namespace mantissa::multilevel
