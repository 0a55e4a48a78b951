#include "mantissa/partition/order_free_sum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mantissa {

namespace {
constexpr std::size_t kBlock = 1024, kLanes = 4;
} // namespace

void OrderFreeSum::raise(int top) {
    if (top <= top_) return;
    if (top_ == kNone) {
        top_ = top;
        return;
    }
    for (; top_ < top; ++top_) { // the lowest bin goes
        for (int k = kBins - 1; k > 0; --k)
            count_[static_cast<std::size_t>(k)] = count_[static_cast<std::size_t>(k - 1)];
        count_[0] = 0;
    }
}

void OrderFreeSum::add_terms(const double* term, std::size_t count) {
    double lane[kLanes] = {};
    for (std::size_t i = 0; i < count; i += kLanes)
        for (std::size_t j = 0; j < kLanes; ++j) {
            const double size = std::abs(term[i + j]);
            lane[j] = size > lane[j] || size != size ? size : lane[j]; // (a NaN is replaced by a NaN alone)
        }
    double largest = 0;
    for (const double l : lane) largest = l > largest || l != l ? l : largest;
    if (largest == 0) return;
    if (!(largest < std::ldexp(1.0, kBits * (kHighest + 1) - 1))) {
        lost_ = true;
        return;
    }
    // The lowest grid for which every term is below half a unit of the next one.
    int exponent = 0;
    static_cast<void>(std::frexp(largest, &exponent));
    // largest < 2^exponent <= 2^(kBits (top + 1) - 1)
    const int above = exponent + 1 - kBits;
    const int top = std::max(kLowest, above > 0 ? (above + kBits - 1) / kBits : -(-above / kBits));
    raise(top);
    // x + M - M is x rounded to M's unit, which is the bin's grid; sums of a block's such numbers are exact.
    double m[kBins], sum[kBins][kLanes] = {};
    for (int k = 0; k < kBins; ++k) m[k] = std::ldexp(1.5, 52 + kBits * (top_ - k));
    for (std::size_t i = 0; i < count; i += kLanes)
        for (std::size_t j = 0; j < kLanes; ++j) {
            double x = term[i + j];
            for (int k = 0; k < kBins; ++k) {
                const double q = (x + m[k]) - m[k];
                sum[k][j] += q;
                x -= q;
            }
        }
    for (int k = 0; k < kBins; ++k)
        for (std::size_t j = 0; j < kLanes; ++j)
            count_[static_cast<std::size_t>(k)] +=
                static_cast<std::int64_t>(std::ldexp(sum[k][j], -kBits * (top_ - k)));
}

void OrderFreeSum::add_products(std::span<const double> a, std::span<const double> b) {
    double term[kBlock];
    for (std::size_t at = 0; at < a.size(); at += kBlock) {
        const std::size_t n = std::min(kBlock, a.size() - at), padded = (n + kLanes - 1) / kLanes * kLanes;
        for (std::size_t i = 0; i < n; ++i) term[i] = a[at + i] * b[at + i];
        for (std::size_t i = n; i < padded; ++i) term[i] = 0;
        add_terms(term, padded);
    }
}

void OrderFreeSum::merge(const OrderFreeSum& other) {
    lost_ |= other.lost_;
    if (other.top_ == kNone) return;
    OrderFreeSum raised = other;
    raised.raise(top_);
    raise(raised.top_);
    for (std::size_t k = 0; k < kBins; ++k) count_[k] += raised.count_[k];
}

double OrderFreeSum::total() const {
    if (lost_) return std::numeric_limits<double>::quiet_NaN();
    if (top_ == kNone) return 0;
    // Carries go up first, so that the bins' numbers do not cancel.
    std::array<Wide, kBins> c = count_;
    for (std::size_t k = kBins - 1; k > 0; --k) {
        const Wide carry = c[k] >> kBits;
        c[k] -= carry << kBits;
        c[k - 1] += carry;
    }
    double sum = 0;
    for (std::size_t k = kBins; k-- > 0;)
        sum += std::ldexp(static_cast<double>(c[k]), kBits * (top_ - static_cast<int>(k)));
    return sum;
}

} // namespace mantissa
