#include "mantissa/dyadic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include <boost/multiprecision/cpp_int.hpp>

#include "mantissa/errors.hpp"
#include "outer/terms.hpp"

namespace mantissa {

using boost::multiprecision::cpp_int;

struct Dyadic::Number {
    cpp_int whole;
    long exponent = 0;

    /// Adds m 2^e.
    void add(cpp_int m, long e) {
        if (m.is_zero()) return;
        if (whole.is_zero()) {
            whole = std::move(m);
            exponent = e;
            return;
        }
        if (e < exponent) {
            whole <<= static_cast<unsigned>(exponent - e);
            exponent = e;
        } else if (e > exponent) {
            m <<= static_cast<unsigned>(e - exponent);
        }
        whole += m;
    }
};

namespace {

/// A finite double as a whole number times a power of two.
struct Units {
    std::int64_t whole = 0;
    long exponent = 0;

    explicit Units(double x) {
        if (!std::isfinite(x)) throw InvalidInput("an exact sum takes finite numbers");
        if (x == 0) return;
        int e = 0;
        whole = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &e), 53));
        exponent = e - 53;
    }
};

/// The leading 64 bits of |m|, and the power of two that they stand at; `lost`: is there anything below them?
struct Leading {
    std::uint64_t bits = 0;
    long exponent = 0;
    bool lost = false;

    Leading(const cpp_int& m, long e) : exponent(e) {
        if (m.is_zero()) return;
        const cpp_int magnitude = abs(m);
        const auto length = static_cast<long>(msb(magnitude)) + 1;
        const long drop = std::max(0L, length - 64);
        bits = static_cast<std::uint64_t>(magnitude >> static_cast<unsigned>(drop));
        lost = drop > 0 && static_cast<long>(lsb(magnitude)) < drop;
        exponent += drop;
    }
};

} // namespace

Dyadic::Dyadic() : n_(std::make_unique<Number>()) {}
Dyadic::Dyadic(double x) : Dyadic() {
    add(x);
}
Dyadic::Dyadic(const Dyadic& other) : n_(std::make_unique<Number>(*other.n_)) {}
Dyadic::Dyadic(Dyadic&& other) noexcept = default;
Dyadic& Dyadic::operator=(const Dyadic& other) {
    if (this != &other) n_ = std::make_unique<Number>(*other.n_);
    return *this;
}
Dyadic& Dyadic::operator=(Dyadic&& other) noexcept = default;
Dyadic::~Dyadic() = default;

Dyadic& Dyadic::add(double x) {
    const Units units(x);
    n_->add(units.whole, units.exponent);
    return *this;
}

Dyadic& Dyadic::add_product(double a, double x) {
    const Units left(a), right(x);
    n_->add(cpp_int(left.whole) * right.whole, left.exponent + right.exponent);
    return *this;
}

Dyadic& Dyadic::add_square(const Dyadic& a) {
    n_->add(a.n_->whole * a.n_->whole, 2 * a.n_->exponent);
    return *this;
}

Dyadic& Dyadic::add(const Dyadic& a) {
    n_->add(a.n_->whole, a.n_->exponent);
    return *this;
}

int Dyadic::sign() const {
    return n_->whole.sign();
}

Dyadic Dyadic::times(const Dyadic& a) const {
    Dyadic product;
    product.n_->whole = n_->whole * a.n_->whole;
    product.n_->exponent = n_->exponent + a.n_->exponent;
    return product;
}

std::strong_ordering Dyadic::compare(const Dyadic& a) const {
    Dyadic difference = a;
    difference.n_->whole = -difference.n_->whole;
    difference.add(*this);
    return difference.sign() <=> 0;
}

double Dyadic::rounded() const {
    const Leading top(n_->whole, n_->exponent);
    if (top.bits == 0) return 0;
    // What is lost becomes a last bit below the rounding position of every result: then the conversion rounds once.
    const int length = static_cast<int>(std::bit_width(top.bits));
    const long highest = top.exponent + length; // |x| < 2^highest
    const int keep = static_cast<int>(std::clamp(highest + 1074, 0L, 53L));
    const int drop = std::max(0, length - keep);
    const double sign = n_->whole.sign() < 0 ? -1 : 1;
    if (highest > 1024) return sign * std::numeric_limits<double>::infinity();
    if (highest < -1074) return sign * 0.0;
    const std::uint64_t kept = drop == 64 ? 0 : top.bits >> drop;
    const std::uint64_t below = drop == 0 ? 0 : drop == 64 ? top.bits : top.bits & ((std::uint64_t{1} << drop) - 1);
    const std::uint64_t half = drop == 0 ? 0 : std::uint64_t{1} << (drop - 1);
    const bool up = drop > 0 && (below > half || (below == half && (top.lost || (kept & 1) != 0)));
    return sign * std::ldexp(static_cast<double>(kept + (up ? 1 : 0)), static_cast<int>(top.exponent + drop));
}

double Dyadic::root_of_quotient(const Dyadic& below) const {
    const Leading top(n_->whole, n_->exponent), bottom(below.n_->whole, below.n_->exponent);
    if (top.bits == 0) return 0;
    long exponent = top.exponent - bottom.exponent;
    double quotient = static_cast<double>(top.bits) / static_cast<double>(bottom.bits);
    if (exponent % 2 != 0) {
        quotient *= 2;
        exponent -= 1;
    }
    return std::ldexp(std::sqrt(quotient), static_cast<int>(std::clamp(exponent / 2, -5000L, 5000L)));
}

Dyadic exact_defect_row(const System& system, std::size_t i, std::span<const double> u, double b) {
    Dyadic d(b);
    std::visit(
        [&](const auto& m) { outer::for_terms(m, i, [&](double a, std::size_t j) { d.add_product(-a, u[j]); }); },
        system.matrix());
    return d;
}

std::strong_ordering compare_norms(const Dyadic& dd, const Dyadic& bb, double bound) {
    const Dyadic t(bound);
    return dd.compare(bb.times(t.times(t)));
}

} // namespace mantissa
