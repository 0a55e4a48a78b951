// The definition of multilevel/cycle.hpp as it is written, one loop for each of its lines.
#include <fmt/format.h>

#include "mantissa/format.hpp"
#include "mantissa/multilevel/cycle.hpp"
#include "mantissa/multilevel/word_rows.hpp"
#include "rows_cycle.hpp"

namespace mantissa {

namespace multilevel {

namespace {

using Words = std::vector<Wide>;

Words product(const WordRows& a, const Words& x) {
    Words y(a.rows, 0);
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::uint32_t k = a.begin[i]; k < a.begin[i + 1]; ++k) y[i] += a.word[k] * x[a.column[k]];
    return y;
}
int length_of(const Words& v) {
    return length(std::span<const Wide>(v));
}

/// Words and their point.
struct Pointed {
    Words word;
    int point = 0;
};

class ReferenceCycle final : public Cycle {
public:
    explicit ReferenceCycle(WordHierarchy hierarchy) : h_(std::move(hierarchy)) {}

    void correct(std::span<const double> d, std::span<double> c) override {
        std::vector<double> scaled(d.begin(), d.end());
        if (!h_.scale.empty())
            for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] *= h_.scale[i];
        double largest = 0;
        for (const double x : scaled) largest = std::max(largest, std::abs(x));
        std::fill(c.begin(), c.end(), 0.0);
        if (largest == 0) return;
        const int w = h_.level.front().words.w, point = w - 1 - exponent_of(largest);
        Words r(scaled.size());
        for (std::size_t i = 0; i < r.size(); ++i)
            r[i] = cut(static_cast<Wide>(std::floor(std::ldexp(scaled[i], point) + 0.5)), w);
        const Pointed e = level(0, r);
        for (std::size_t i = 0; i < r.size(); ++i) {
            c[i] = std::ldexp(static_cast<double>(e.word[i]), -(e.point + point)) * h_.factor;
            if (!h_.scale.empty()) c[i] *= h_.scale[i];
        }
    }
    [[nodiscard]] std::string description() const override {
        return fmt::format("{} levels, the reference", h_.level.size());
    }

private:
    [[nodiscard]] Pointed coarsest(const Words& r) const {
        Pointed e{Words(r.size(), 0), h_.coarsest_point};
        for (std::size_t i = 0; i < r.size(); ++i)
            for (std::size_t j = 0; j < r.size(); ++j) e.word[i] += h_.coarsest[i * r.size() + j] * r[j];
        return e;
    }

    /// r - A x rounded to the guard's point, x of point `point` and r of point `q`.
    [[nodiscard]] static Words residual(const WordLevel& l, const Words& r, int q, const Words& x, int point) {
        const Words ax = product(l.a, x);
        const int product_point = point + l.words.ac, common = std::max(q, product_point);
        Words rest(r.size());
        for (std::size_t i = 0; i < r.size(); ++i) {
            const Wide exact = half(r[i], q - common) - half(ax[i], product_point - common);
            rest[i] = cut(half(exact, common - l.words.guard), l.words.h);
        }
        return rest;
    }

    [[nodiscard]] Pointed level(std::size_t at, const Words& entered) const {
        if (at + 1 == h_.level.size()) return coarsest(entered);
        const WordLevel& l = h_.level[at];
        const LevelWords& b = l.words;
        Words r = entered, f(r.size(), 0), g(r.size());
        int q = 0;
        for (const Weight& weight : b.before) {
            for (std::size_t i = 0; i < r.size(); ++i) {
                g[i] = cut(half(weight.significand * r[i], weight.shift + q - b.phi), b.f);
                f[i] = cut(f[i] + g[i], b.f);
            }
            r = residual(l, r, q, g, b.phi);
            q = b.guard;
        }
        const Pointed v = below(at, product(l.restriction, r), b.guard + b.pc);
        Pointed e{Words(r.size()), b.point_of_e(length_of(v.word), v.point)};
        const Words x = product(l.prolongation, v.word);
        for (std::size_t i = 0; i < r.size(); ++i)
            e.word[i] = half(f[i], b.phi - e.point) + half(x[i], v.point + b.pc - e.point);
        for (const Weight& weight : b.after) {
            const Words rest = residual(l, entered, 0, e.word, e.point);
            for (std::size_t i = 0; i < r.size(); ++i)
                e.word[i] =
                    cut(e.word[i] + half(weight.significand * rest[i], weight.shift + b.guard - e.point), b.n + 1);
        }
        return e;
    }

    /// The correction from the level below of t, its point that of this level.
    [[nodiscard]] Pointed below(std::size_t at, const Words& t, int point) const {
        const LevelWords& next = h_.level[at + 1].words;
        const int y = length_of(t);
        if (y == 0) return {Words(t.size(), 0), 0};
        Words r(t.size());
        for (std::size_t i = 0; i < t.size(); ++i) r[i] = cut(half(t[i], y - (next.w - 1)), next.w);
        Pointed e = level(at + 1, r);
        const int n = std::max(0, length_of(e.word) - (next.e - 1));
        for (Wide& word : e.word) word = cut(half(word, n), next.e);
        return {std::move(e.word), e.point - n + point + next.w - 1 - y};
    }

    WordHierarchy h_;
};

} // namespace

std::unique_ptr<Cycle> make_reference_cycle(WordHierarchy hierarchy) {
    return std::make_unique<ReferenceCycle>(std::move(hierarchy));
}

} // namespace multilevel

std::unique_ptr<Cycle> make_reference_cycle(const System& system, const CycleSpec& spec) {
    using namespace multilevel;
    if (spec.in_double) throw InvalidInput("cycle: w=double has no words, and so no reference");
    return multilevel::make_reference_cycle(word_hierarchy(system, spec, 1));
}

} // namespace mantissa
