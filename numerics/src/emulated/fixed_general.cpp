// The general emulated session in fixed-point words: any widths, element by element, straight from engine.hpp.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "fixed_matrix.hpp"
#include "fixed_moving.hpp"
#include "fixed_scalar.hpp"
#include "fixed_session.hpp"
#include "mantissa/accumulate.hpp"
#include "mantissa/exact.hpp"
#include "part_links.hpp"
#include "session_base.hpp"

namespace mantissa::detail {

namespace {

using fixed::Wide;
using fixed::Word;

class FixedGeneralSession final : public Session {
public:
    FixedGeneralSession(const System& system, const DatapathSpec& spec, const SessionOptions& options, PartLinks* links)
        : links_(links), spec_(spec), formats_{spec.u, spec.r, spec.p, spec.q}, point_(spec),
          matrix_(fixed_matrix(system, spec.coefficient)), threads_(std::max(1, options.threads)),
          recurrence_(options.recurrence) {
        if (links_ != nullptr) forget_rows(matrix_, links_->ghosts());
        for (auto& v : words_) v.assign(system.size(), 0);
        if (!spec.u.is_fixed()) {
            words_[0].clear();
            u_.assign(system.size(), 0.0);
        }
    }

    void write(Vec v, std::size_t first, std::span<const double> values) override {
        check(first, values.size());
        point_.written(v);
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (floating(v)) {
                u_[first + i] = exact::convert(spec_.u, values[i]);
                continue;
            }
            const fixed::Rounded rounded = fixed::from_double(format(v), values[i]);
            words_[index(v)][first + i] = rounded.word;
            unfit_ |= rounded.overflow;
        }
    }
    void read(Vec v, std::size_t first, std::span<double> values) const override {
        check(first, values.size());
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = floating(v) ? u_[first + i] : fixed::to_double(format(v), words_[index(v)][first + i]);
    }
    void clear(Vec v) override {
        if (floating(v)) std::fill(u_.begin(), u_.end(), 0.0);
        else std::fill(words_[index(v)].begin(), words_[index(v)].end(), 0);
        point_.cleared(v);
        place_point();
    }
    void set_scalars(double alpha, double beta) override {
        scalars_ = {};
        scalars_.alpha = exact::convert(spec_.scalar, alpha);
        scalars_.beta = exact::convert(spec_.scalar, beta);
        rho_known_ = false;
    }
    [[nodiscard]] Scalars scalars() const override { return scalars_; }

    RunReport run(const RunRequest& request) override {
        if (recurrence_ == Recurrence::chebyshev)
            return run_pairs(spec_, request, scalars_, [this](WordUse& use) { return pass_of_pair(use); });
        const double stop = exact::convert(spec_.scalar, request.rho_stop);
        return run_fixed_passes(request, stop, scalars_, unfit_, [this](WordUse& use) {
            use_ = {};
            ScalarStep step;
            if (recurrence_ == Recurrence::pipelined) {
                step = pass();
            } else {
                step = plain_pass(spec_, scalars_, rho_known_, PlainParts{*this});
                if (overflow_) step = overflowed();
            }
            overflow_ = false;
            use.merge(use_);
            return step;
        });
    }

private:
    static std::size_t index(Vec v) { return static_cast<std::size_t>(v); }
    [[nodiscard]] const Format& format(Vec v) const { return formats_[index(v)]; }
    [[nodiscard]] bool floating(Vec v) const { return v == Vec::u && !spec_.u.is_fixed(); }
    [[nodiscard]] std::size_t size() const { return matrix_.size; }
    void check(std::size_t first, std::size_t count) const {
        if (first > size() || count > size() - first)
            throw InvalidInput("session: elements outside the vector; stay below the system's size");
    }

    static ScalarStep overflowed() {
        ScalarStep step;
        step.end = RunEnd::window_overflow;
        return step;
    }

    /// The formats of r, p and q with the point where it stands.
    void place_point() {
        if (!point_.moves()) return;
        for (const Vec v : {Vec::r, Vec::p, Vec::q})
            formats_[index(v)].fraction_bits = spec_.r.fraction_bits + point_.moved();
    }
    /// d of the pass that comes.
    int move_point(double alpha, double beta) {
        if (!point_.lengths_known()) {
            use_ = {};
            for_elements([&](std::size_t i, Found& found) {
                for (std::size_t v = 1; v < 4; ++v)
                    found.bits[v] = std::max(found.bits[v], fixed::bits_of(words_[v][i]));
            });
            if (links_ != nullptr) combine({});
            note_lengths();
        }
        const int d = point_.move(alpha, beta);
        use_ = {};
        return d;
    }
    void note_lengths() { point_.lengths(std::max(use_.r, 1) - 1, std::max(use_.p, 1) - 1, std::max(use_.q, 1) - 1); }

    /// What one thread's part of a pass found out.
    struct Found {
        bool overflow = false;
        int bits[4] = {};
    };
    /// `lost`: the number is beyond any word, and `units` are its low bits.
    void keep(Found& found, Vec v, Word& into, Wide units, bool lost = false) const {
        const fixed::Rounded rounded = fixed::fit(format(v), units);
        into = rounded.word;
        const bool overflow = rounded.overflow || lost;
        found.overflow |= overflow;
        int& bits = found.bits[index(v)];
        bits = std::max(bits, overflow ? format(v).word_bits + 1 : fixed::bits_of(rounded.word));
    }
    void take(const Found& found) {
        overflow_ |= found.overflow;
        use_.merge({found.bits[0], found.bits[1], found.bits[2], found.bits[3]});
    }
    template <class Body> void for_elements(Body&& body) {
        const auto n = static_cast<std::ptrdiff_t>(size());
#pragma omp parallel num_threads(threads_) if (threads_ > 1)
        {
            Found found;
#pragma omp for schedule(static)
            for (std::ptrdiff_t i = 0; i < n; ++i) body(static_cast<std::size_t>(i), found);
#pragma omp critical
            take(found);
        }
    }
    [[nodiscard]] FixedScalar operand(double s) const {
        return FixedScalar(exact::convert(spec_.operand, s));
    }

    void update_u(const FixedScalar& s, double alpha, std::size_t i, Found& found) {
        const Word direction = words_[2][i];
        const Format& p_format = format(Vec::p);
        if (!spec_.u.is_fixed()) {
            const double p = fixed::to_double(p_format, direction);
            u_[i] = exact::add(spec_.u, u_[i], exact::mul(spec_.u, alpha, p));
            return;
        }
        Word& u = words_[0][i];
        keep(found, Vec::u, u,
             u + scaled_word(s, direction, s.shift(p_format, spec_.u), spec_.u.rounding, found.overflow));
    }
    void update_r(const FixedScalar& s, std::size_t i, Found& found) {
        Word& r = words_[1][i];
        keep(found, Vec::r, r,
             r - scaled_word(s, words_[3][i], s.shift(spec_.q, spec_.r), spec_.r.rounding, found.overflow));
    }
    void update_p(const FixedScalar& s, std::size_t i, Found& found) {
        Word& p = words_[2][i];
        const int up = spec_.r.fraction_bits - spec_.p.fraction_bits;
        bool lost = -up > 72 && words_[1][i] != 0;
        const Wide r = lost ? 0 : fixed::shift_round(words_[1][i], up, spec_.p.rounding);
        const Wide along = scaled_word(s, p, s.shift(spec_.p, spec_.p), spec_.p.rounding, lost);
        found.overflow |= lost;
        keep(found, Vec::p, p, r + along);
    }

    /// r and p onto a point that is d bits finer, each rounded once.
    void move_r_and_p(const FixedScalar& alpha, const FixedScalar& beta, int d, std::size_t i, Found& found) {
        Word &r = words_[1][i], &p = words_[2][i];
        const Wide step = -(Wide{alpha.significand} * words_[3][i]), along = Wide{beta.significand} * p;
        bool lost = false;
        const Wide residual = rounded_sum(r, d, step, d + alpha.exponent, spec_.r.rounding, lost);
        keep(found, Vec::r, r, residual, lost);
        lost = false;
        const Wide direction = rounded_sum(r, 0, along, d + beta.exponent, spec_.p.rounding, lost);
        keep(found, Vec::p, p, direction, lost);
    }

    void form_q(std::size_t i, Found& found) {
        const int shift = spec_.coefficient.fraction_bits + spec_.p.fraction_bits - spec_.q.fraction_bits;
        const Wide sum = row_sum(matrix_, words_[2].data(), i);
        const bool lost = -shift > 8 && sum != 0 && wide_bits(sum) - shift > 126;
        keep(found, Vec::q, words_[3][i], lost ? 0 : fixed::shift_round(sum, shift, spec_.q.rounding), lost);
    }

    /// x.y of this part, before it is rounded; fraction bits of an exact sum's units.
    [[nodiscard]] PartSum part_sum(Vec a, Vec b) const {
        const std::vector<Word>&x = words_[index(a)], &y = words_[index(b)];
        ExactSum sum;
        FixedAccumulator window(spec_.dot.window);
        for (std::size_t i = 0; i < size(); ++i) {
            if (spec_.dot.exact) sum.add(Wide{x[i]} * y[i]);
            else window.add_product(fixed::to_double(format(a), x[i]), fixed::to_double(format(b), y[i]));
        }
        if (spec_.dot.exact) return {sum.units(), sum.lost()};
        return {window.units(), window.term_overflow()};
    }
    [[nodiscard]] DotResult total(const PartSum& sum, Vec a, Vec b) const {
        if (!spec_.dot.exact) {
            FixedAccumulator window(spec_.dot.window);
            window.merge_units(sum.units, sum.lost);
            return {window.total(spec_.scalar), window.overflow()};
        }
        if (sum.lost) return {0.0, true};
        return {exact_total(sum.units, format(a).fraction_bits + format(b).fraction_bits, spec_.scalar), false};
    }
    /// What the parts found out, all of it at once.
    std::array<PartSum, 3> combine(const std::array<PartSum, 3>& sums) {
        PartFindings findings{sums, overflow_, unfit_, use_};
        links_->combine(findings);
        overflow_ = findings.overflow;
        unfit_ = findings.unfit;
        use_ = findings.use;
        return findings.sums;
    }
    using Pair = std::pair<Vec, Vec>;
    template <std::size_t N> std::array<DotResult, N> dots(const std::array<Pair, N>& pairs) {
        std::array<PartSum, 3> sums;
        for (std::size_t k = 0; k < N; ++k) sums[k] = part_sum(pairs[k].first, pairs[k].second);
        if (links_ != nullptr) sums = combine(sums);
        std::array<DotResult, N> results;
        for (std::size_t k = 0; k < N; ++k) results[k] = total(sums[k], pairs[k].first, pairs[k].second);
        return results;
    }
    [[nodiscard]] DotResult dot(Vec a, Vec b) {
        return dots(std::array{Pair{a, b}})[0];
    }

    /// Ghosts do not take part in the updates: their owners send what comes of them.
    void forget_ghosts() {
        if (links_ == nullptr) return;
        for (const std::uint32_t i : links_->ghosts()) words_[2][i] = 0;
    }
    void exchange() {
        if (links_ != nullptr) links_->exchange(std::span<Word>(words_[2]));
    }

    /// Returns whether a word overflowed, or a write() did not fit.
    bool pass_of_pair(WordUse& use) {
        use_ = {};
        update_and_multiply();
        if (links_ != nullptr) combine({});
        const bool over = std::exchange(overflow_, false) || std::exchange(unfit_, false);
        use.merge(use_);
        return over;
    }

    void update_and_multiply() {
        const FixedScalar alpha = operand(scalars_.alpha), beta = operand(scalars_.beta);
        const double rounded_alpha = exact::convert(spec_.operand, scalars_.alpha);
        forget_ghosts();
        if (point_.moves()) {
            const int d = move_point(rounded_alpha, exact::convert(spec_.operand, scalars_.beta));
            for_elements([&](std::size_t i, Found& found) {
                update_u(alpha, rounded_alpha, i, found); // of p's old point
                move_r_and_p(alpha, beta, d, i, found);
            });
            place_point();
        } else {
            for_elements([&](std::size_t i, Found& found) {
                update_u(alpha, rounded_alpha, i, found);
                update_r(alpha, i, found);
                update_p(beta, i, found);
            });
        }
        exchange();
        for_elements([&](std::size_t i, Found& found) { form_q(i, found); });
    }

    ScalarStep pass() {
        update_and_multiply();
        const auto [rr, pq, qq] = dots(std::array{Pair{Vec::r, Vec::r}, Pair{Vec::p, Vec::q}, Pair{Vec::q, Vec::q}});
        if (point_.moves()) {
            if (use_.r > spec_.r.word_bits || use_.p > spec_.p.word_bits || use_.q > spec_.q.word_bits)
                point_.overflowed();
            else note_lengths();
        }
        return scalar_step(spec_.scalar, rr.value, pq.value, qq.value,
                           overflow_ || rr.overflow || pq.overflow || qq.overflow);
    }

    struct PlainParts {
        FixedGeneralSession& s;
        [[nodiscard]] DotResult checked(DotResult d) const { return {d.value, d.overflow || s.overflow_}; }
        DotResult rr() { return checked(s.dot(Vec::r, Vec::r)); }
        void direction(double beta) {
            const FixedScalar b(beta);
            s.forget_ghosts();
            s.for_elements([&](std::size_t i, Found& found) { s.update_p(b, i, found); });
        }
        DotResult product() {
            s.exchange();
            s.for_elements([&](std::size_t i, Found& found) { s.form_q(i, found); });
            return checked(s.dot(Vec::p, Vec::q));
        }
        DotResult advance(double alpha) {
            const FixedScalar a(alpha);
            s.for_elements([&](std::size_t i, Found& found) {
                s.update_u(a, alpha, i, found);
                s.update_r(a, i, found);
            });
            return rr();
        }
    };

    PartLinks* links_; ///< to the other parts; null where the system is whole
    DatapathSpec spec_;
    Format formats_[4]; ///< of u, r, p and q as they stand
    MovingPoint point_;
    FixedMatrix matrix_;
    int threads_;
    Recurrence recurrence_;
    std::vector<Word> words_[4];
    std::vector<double> u_; ///< a floating u
    Scalars scalars_;
    bool rho_known_ = false, unfit_ = false, overflow_ = false;
    WordUse use_;
};

} // namespace

double exact_total(Wide units, int point, const Format& scalar) {
    const bool negative = units < 0;
    const auto magnitude = static_cast<fixed::UnsignedWide>(units);
    return exact::from_integer(scalar, negative ? ~magnitude + 1 : magnitude, negative, -point);
}

std::unique_ptr<Session> make_fixed_general_session(const System& system, const DatapathSpec& spec,
                                                    const SessionOptions& options, PartLinks* links) {
    return std::make_unique<FixedGeneralSession>(system, spec, options, links);
}

} // namespace mantissa::detail
