// The resident solver written out from resident.hpp, word for word: integers of any length, one element after the
// other, divisions for rounding. Against it every engine's is tested. Scalars are those of the contract (exact.hpp,
// scalar_unit.hpp).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include "mantissa/exact.hpp"
#include "mantissa/resident.hpp"
#include "mantissa/scalar_unit.hpp"

namespace mantissa::testing {

class ReferenceResident {
public:
    using Integer = boost::multiprecision::cpp_int;
    using Vector = std::vector<Integer>;

    ReferenceResident(const System& system, const DatapathSpec& spec, const Format& iterate)
        : spec_(spec), system_(system), iterate_(iterate), size_(system.size()), columns_(system.row_length()) {
        const auto& a = std::get<Stencil>(system.matrix()).coefficients();
        double sum = 0, magnitudes = 0;
        Integer others = 0;
        for (int b = 0; b < kBands; ++b) {
            const double value = a[static_cast<std::size_t>(b)];
            sum += value;
            magnitudes += std::fabs(value);
            if (b == 4) continue;
            others += stencil_[static_cast<std::size_t>(b)] = coefficient(value);
        }
        stencil_[4] = (std::fabs(sum) <= std::ldexp(magnitudes, -50) ? Integer(0) : coefficient(sum)) - others;
    }

    ResidentReport solve(const std::vector<std::int64_t>& b, const ResidentRequest& request) {
        request_ = request;
        report = {};
        // LOAD
        d.assign(b.begin(), b.end());
        v.assign(size_, 0);
        u_.assign(size_, 0);
        r_ = p_ = q_ = u_;
        h_ = request.headroom;
        e_ = h_;
        beta_ = gamma_ = 0;
        first_defect_ = true;
        troubles_ = defects_ = exact_steps = 0;
        form();
        forms_ = 1;
        kept_ = false;
        while (!accept()) run_and_follow();
        report.headroom = h_;
        report.e = e_;
        report.rr = r_over_ ? 0 : rr_;
        return report;
    }

    Vector v, d;
    ResidentReport report;
    int exact_steps = 0, saturated = 0; ///< DEFECTs without rounding; words of c that did not fit

    /// b' - 2^-a S V on D's grid; nothing where that is no integer.
    [[nodiscard]] std::optional<Vector> defect_of(const std::vector<std::int64_t>& b) const {
        const int shift = spec_.coefficient.fraction_bits + iterate_.fraction_bits - kDefectFraction;
        Vector defect;
        for (std::size_t i = 0; i < size_; ++i) {
            const Integer sum = row(v, i);
            const Integer unit = shift > 0 ? power_of_two(shift) : Integer(1);
            if (sum % unit != 0) return std::nullopt;
            defect.push_back(b[i] - (shift > 0 ? Integer(sum / unit) : Integer(sum * power_of_two(-shift))));
        }
        return defect;
    }

private:
    static Integer power_of_two(int n) { return pow(Integer(2), static_cast<unsigned>(n)); }
    static Integer floor_divided(const Integer& x, const Integer& by) { return x / by - (x % by < 0 ? 1 : 0); }
    /// x 2^-shift
    static Integer shifted(const Integer& x, int shift, Rounding rounding) {
        if (shift <= 0) return x * (power_of_two(-shift));
        const Integer unit = power_of_two(shift);
        return rounding == Rounding::down ? floor_divided(x, unit) : floor_divided(2 * x + unit, 2 * unit);
    }
    static Integer half_up(const Integer& x, int shift) { return shifted(x, shift, Rounding::nearest_up); }
    /// A double as an integer times 2^power.
    static std::pair<Integer, int> parts(double x) {
        int e = 0;
        const auto significand = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &e), 53));
        return {significand, e - 53};
    }
    [[nodiscard]] Integer coefficient(double a) const {
        const auto [significand, power] = parts(a);
        return shifted(significand, -power - spec_.coefficient.fraction_bits, spec_.coefficient.rounding);
    }
    /// rnd(s x) onto `to`'s grid, x on `from`'s.
    static Integer scaled(double s, const Integer& x, const Format& from, const Format& to) {
        const auto [significand, power] = parts(s);
        return shifted(significand * x, from.fraction_bits - to.fraction_bits - power, to.rounding);
    }
    static bool fits(const Integer& x, int bits) {
        const Integer top = power_of_two(bits - 1);
        return x >= -top && x < top;
    }
    static Integer low_bits(const Integer& x, int bits) {
        const Integer size = power_of_two(bits);
        const Integer low = x - floor_divided(x, size) * size;
        return low >= size / 2 ? Integer(low - size) : low;
    }
    static int length(const Integer& x) {
        int bits = 1;
        while (!fits(x, bits)) ++bits;
        return bits;
    }
    [[nodiscard]] double rounded(const Integer& sum) const { // of two words of r or p
        const Integer size = sum < 0 ? Integer(-sum) : sum;
        const Integer half = power_of_two(64);
        const auto low = static_cast<std::uint64_t>(size % half), high = static_cast<std::uint64_t>(size / half);
        return exact::from_integer(spec_.scalar, static_cast<fixed::UnsignedWide>(high) << 64 | low, sum < 0,
                                   -2 * spec_.r.fraction_bits);
    }
    [[nodiscard]] double times_power(double x, int power) const {
        return exact::mul(spec_.scalar, x, std::ldexp(1.0, power));
    }
    static int exponent(double x) {
        int e = 0;
        static_cast<void>(std::frexp(x, &e));
        return e - 1;
    }
    static int magnitude(double square) { return static_cast<int>(std::floor(exponent(square) / 2.0)) + 1; }
    [[nodiscard]] double threshold() const {
        return times_power(request_.tolerance.t, 2 * (request_.tolerance.x - e_));
    }

    [[nodiscard]] Integer row(const Vector& x, std::size_t i) const {
        if (system_.on_edge(i)) return 0;
        Integer sum = 0;
        for (int b = 0; b < kBands; ++b)
            sum += stencil_[static_cast<std::size_t>(b)] *
                   x[static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i) + band_offset(b, columns_))];
        return sum;
    }
    static Integer dot(const Vector& x, const Vector& y) {
        Integer sum = 0;
        for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
        return sum;
    }

    void form() {
        r_over_ = false;
        for (std::size_t i = 0; i < size_; ++i) {
            const Integer word = half_up(d[i], kDefectFraction + e_ - spec_.r.fraction_bits);
            r_over_ |= !fits(word, spec_.r.word_bits);
            r_[i] = low_bits(word, spec_.r.word_bits);
        }
        q_ = r_;
        rr_ = rounded(dot(r_, r_));
        rp_ = rounded(dot(r_, p_));
    }
    bool end(ResidentEnd how) {
        report.end = how;
        return true;
    }
    bool overflow() {
        ++h_;
        return ++report.overflows > kMostOverflows;
    }
    /// True where the solve has its end.
    bool accept() {
        if (report.overflows > kMostOverflows) return end(ResidentEnd::window_overflow);
        if (report.overflow_v || report.overflow_d) return end(ResidentEnd::outer_overflow);
        for (;;) {
            int change = 0;
            if (r_over_) {
                if (overflow()) return end(ResidentEnd::window_overflow);
                change = 1;
            } else if (rr_ == 0) {
                bool nothing = true;
                for (const Integer& word : d) nothing = nothing && word == 0;
                if (nothing) return end(exact_steps == defects_ ? ResidentEnd::exact : ResidentEnd::fault);
                change = -4;
            } else {
                const int k = magnitude(rr_);
                if (k + h_ == 0 || k + h_ == -1) break;
                change = k + h_;
            }
            if (forms_ == kMostForms) return end(ResidentEnd::fault);
            e_ += change;
            form();
            ++forms_;
            ++report.formed_again;
        }
        report.history.push_back({report.passes, report.steps, e_, rr_});
        if (rr_ < threshold()) return end(ResidentEnd::converged);
        if (troubles_ >= kMostTroubles)
            return end(run_end_ == RunEnd::exact        ? ResidentEnd::fault
                       : run_end_ == RunEnd::indefinite ? ResidentEnd::indefinite
                                                        : ResidentEnd::not_finite);
        if (report.passes >= request_.max_passes) return end(ResidentEnd::passes);
        if (kept_) {
            beta_ = times_power(exact::div(spec_.scalar, rr_, scalars_.rho), e_ - run_e_);
            gamma_ = times_power(exact::div(spec_.scalar, rp_, scalars_.rho), e_ - run_e_);
        }
        if (!kept_ || !std::isfinite(beta_) || !std::isfinite(gamma_)) beta_ = gamma_ = 0;
        return false;
    }

    void run_and_follow() {
        std::uint64_t n = request_.inner;
        if (request_.max_passes - report.passes < n) n = request_.max_passes - report.passes;
        scalars_ = {};
        scalars_.alpha = gamma_;
        scalars_.beta = beta_;
        run_end_ = RunEnd::passes;
        for (std::uint64_t pass = 1; pass <= n && run_end_ == RunEnd::passes; ++pass) {
            run_end_ = one_pass(pass == 1);
            ++report.passes;
            if (pass >= 2 && run_end_ == RunEnd::passes && scalars_.rho < threshold()) run_end_ = RunEnd::rho_reached;
        }
        ++report.steps;
        run_e_ = e_;
        kept_ = run_end_ == RunEnd::passes || run_end_ == RunEnd::rho_reached;
        if (run_end_ == RunEnd::window_overflow) {
            if (overflow()) return;
            e_ += 1;
            form();
            forms_ = 1;
            ++report.formed_again;
            return;
        }
        troubles_ = kept_ ? 0 : troubles_ + 1;
        defect_step();
    }

    void keep(Vector& x, std::size_t i, const Integer& value, const Format& f, int& bits) {
        if (!fits(value, f.word_bits)) {
            pass_over_ = true;
            bits = f.word_bits + 1;
        }
        x[i] = low_bits(value, f.word_bits);
        bits = std::max(bits, length(x[i]));
    }
    RunEnd one_pass(bool first) {
        const double alpha = exact::convert(spec_.operand, scalars_.alpha),
                     beta = exact::convert(spec_.operand, scalars_.beta);
        pass_over_ = false;
        WordUse use;
        Vector r = r_;
        for (std::size_t i = 0; i < size_; ++i) {
            if (first) u_[i] = 0;
            keep(u_, i, first ? Integer(0) : Integer(u_[i] + scaled(alpha, p_[i], spec_.p, spec_.u)), spec_.u, use.u);
            keep(r, i, r[i] - scaled(alpha, q_[i], spec_.q, spec_.r), spec_.r, use.r);
            keep(p_, i, r[i] + scaled(beta, p_[i], spec_.p, spec_.p), spec_.p, use.p);
        }
        if (!first) r_ = r;
        for (std::size_t i = 0; i < size_; ++i)
            keep(q_, i,
                 shifted(row(p_, i), spec_.coefficient.fraction_bits + spec_.p.fraction_bits - spec_.q.fraction_bits,
                         spec_.q.rounding),
                 spec_.q, use.q);
        report.words.merge(use);
        const ScalarStep step = scalar_step(spec_.scalar, first ? rr_ : rounded(dot(r_, r_)), rounded(dot(p_, q_)),
                                            rounded(dot(q_, q_)), pass_over_);
        scalars_ = step.scalars;
        report.sigma_guards += step.sigma_guarded ? 1 : 0;
        return step.end;
    }

    void defect_step() {
        const double alpha = exact::convert(spec_.operand, scalars_.alpha);
        Vector c(size_);
        bool over_c = false;
        const Integer top = power_of_two(spec_.u.word_bits - 1);
        for (std::size_t i = 0; i < size_; ++i) {
            c[i] = u_[i] + scaled(alpha, p_[i], spec_.p, spec_.u);
            if (fits(c[i], spec_.u.word_bits)) continue;
            over_c = true;
            ++saturated;
            c[i] = c[i] < 0 ? Integer(-top) : Integer(top - 1);
        }
        const int shift_v = spec_.u.fraction_bits - iterate_.fraction_bits - e_,
                  shift_d = spec_.coefficient.fraction_bits + spec_.u.fraction_bits - kDefectFraction - e_;
        ++defects_;
        if (shift_v <= 0 && shift_d <= 0) ++exact_steps;
        for (std::size_t i = 0; i < size_; ++i) {
            const Integer to_v = v[i] + half_up(c[i], shift_v), to_d = d[i] - half_up(row(c, i), shift_d);
            report.overflow_v |= !fits(to_v, 64);
            report.overflow_d |= !fits(to_d, 64);
            v[i] = low_bits(to_v, 64);
            d[i] = low_bits(to_d, 64);
        }
        if (first_defect_) h_ -= request_.relax;
        first_defect_ = false;
        const double rho = scalars_.rho;
        e_ += rho == 0 || !std::isfinite(rho) ? -4 : magnitude(rho) + h_;
        if (over_c) {
            overflow();
            kept_ = false;
        }
        form();
        forms_ = 1;
    }

    DatapathSpec spec_;
    System system_;
    Format iterate_;
    std::size_t size_, columns_;
    std::array<Integer, kBands> stencil_;
    ResidentRequest request_;
    Vector u_, r_, p_, q_;
    int e_ = 0, h_ = 0, run_e_ = 0, forms_ = 0, troubles_ = 0, defects_ = 0;
    double rr_ = 0, rp_ = 0, beta_ = 0, gamma_ = 0;
    bool r_over_ = false, pass_over_ = false, kept_ = false, first_defect_ = true;
    RunEnd run_end_ = RunEnd::passes;
    Scalars scalars_;
};

} // namespace mantissa::testing
