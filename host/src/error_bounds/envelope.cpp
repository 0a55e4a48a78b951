#include "envelope.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "mantissa/sparse/reorder.hpp"

namespace mantissa::errors {

Envelope envelope_of(const CompressedRows& a) {
    Envelope e;
    e.order = reverse_cuthill_mckee(a);
    const std::size_t size = a.rows();
    std::vector<std::uint32_t> place(size);
    for (std::size_t k = 0; k < size; ++k) place[e.order[k]] = static_cast<std::uint32_t>(k);
    e.first.resize(size);
    e.begin.assign(size + 1, 0);
    std::vector<std::int64_t> change(size + 1, 0); // of the rows below that reach a column
    for (std::size_t k = 0; k < size; ++k) {
        auto first = static_cast<std::uint32_t>(k);
        for (std::uint64_t n = a.row_begin()[e.order[k]]; n < a.row_begin()[e.order[k] + 1]; ++n)
            first = std::min(first, place[a.column()[n]]);
        e.first[k] = first;
        const std::uint64_t length = k - first + 1;
        e.begin[k + 1] = e.begin[k] + length;
        e.longest = std::max(e.longest, length);
        e.work += 0.5 * static_cast<double>(length) * static_cast<double>(length);
        ++change[first];
        --change[k];
    }
    std::int64_t below = 0;
    for (std::size_t k = 0; k < size; ++k) {
        below += change[k];
        e.widest = std::max(e.widest, k - e.first[k] + 1 + static_cast<std::uint64_t>(below));
    }
    return e;
}

namespace {

/// sum a_k b_k: any order will do for the bound.
double dot(const double* a, const double* b, std::size_t count) {
    std::array<double, 8> lane{};
    std::size_t k = 0;
    for (; k + 8 <= count; k += 8)
        for (std::size_t j = 0; j < 8; ++j) lane[j] += a[k + j] * b[k + j];
    for (; k < count; ++k) lane[k % 8] += a[k] * b[k];
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}
Pair dot(const Pair* a, const Pair* b, std::size_t count) {
    Pair sum;
    for (std::size_t k = 0; k < count; ++k) sum = sum + a[k] * b[k];
    return sum;
}

} // namespace

template <class T> bool EnvelopeFactor<T>::factor(double shift) {
    const CompressedRows& a = s_.rows();
    const std::size_t size = s_.size();
    std::vector<std::uint32_t> place(size);
    for (std::size_t k = 0; k < size; ++k) place[e_.order[k]] = static_cast<std::uint32_t>(k);
    std::fill(entry_.begin(), entry_.end(), T());
    for (std::size_t i = 0; i < size; ++i) {
        T* const row = entry_.data() + e_.begin[i];
        const std::size_t first = e_.first[i];
        for (std::uint64_t n = a.row_begin()[e_.order[i]]; n < a.row_begin()[e_.order[i] + 1]; ++n) {
            const std::size_t j = place[a.column()[n]];
            if (j > i) continue;
            if constexpr (std::is_same_v<T, Pair>) {
                row[j - first] = j == i ? Pair::sum_of(a.value()[n], -shift) : Pair(a.value()[n]);
            } else {
                row[j - first] = j == i ? a.value()[n] - shift : a.value()[n];
            }
        }
        for (std::size_t j = first; j < i; ++j) {
            const std::size_t from = std::max<std::size_t>(first, e_.first[j]);
            const T* const other = entry_.data() + e_.begin[j] + (from - e_.first[j]);
            row[j - first] = (row[j - first] - dot(row + (from - first), other, j - from)) / other[j - from];
        }
        const T pivot = row[i - first] - dot(row, row, i - first);
        if (!positive(pivot)) return false; // (a NaN is not)
        row[i - first] = root(pivot);
    }
    return true;
}

template <class T> void EnvelopeFactor<T>::solve(std::span<const double> r, std::span<double> out) const {
    const std::size_t size = s_.size();
    std::vector<T> v(size);
    for (std::size_t i = 0; i < size; ++i) {
        const T* const row = entry_.data() + e_.begin[i];
        const std::size_t first = e_.first[i];
        v[i] = (T(r[e_.order[i]]) - dot(row, v.data() + first, i - first)) / row[i - first];
    }
    for (std::size_t i = size; i-- > 0;) {
        const T* const row = entry_.data() + e_.begin[i];
        const std::size_t first = e_.first[i];
        v[i] = v[i] / row[i - first];
        for (std::size_t j = first; j < i; ++j) v[j] = v[j] - row[j - first] * v[i];
    }
    for (std::size_t i = 0; i < size; ++i) out[e_.order[i]] = value(v[i]);
}

template <class T> double EnvelopeFactor<T>::hidden() const {
    // Higham, theorem 10.3: L L^T = A - shift + E with |E| <= gamma |L| |L^T|, whatever the order of the sums; row i of
    // L has a norm of at most sqrt(a_ii / (1 - gamma)). So ||E||_2 is at most gamma / (1 - gamma) times the trace, and
    // times the largest diagonal entry and the entries of a row, as E has no more of them than L + L^T.
    constexpr double kUnit = unit_of<T>();
    const double gamma = static_cast<double>(e_.longest + 3) * kUnit;
    const CompressedRows& a = s_.rows();
    double trace = 0, largest = 0, slack = 0;
    for (std::size_t i = 0; i < s_.size(); ++i) {
        slack = std::max(slack, s_.slack_of(i));
        for (std::uint64_t n = a.row_begin()[i]; n < a.row_begin()[i + 1]; ++n) {
            if (a.column()[n] != i) continue;
            trace += a.value()[n];
            largest = std::max(largest, a.value()[n]);
        }
    }
    const double rows = std::min(trace, largest * static_cast<double>(e_.widest));
    const double shifted = std::is_same_v<T, Pair> ? 0.0 : 0x1p-53 * largest; // the diagonal less the shift, rounded
    // (1.01: gamma is k u / (1 - k u), with k u far below 0.001, and these sums are rounded.)
    return 1.01 * (gamma * rows + shifted + slack) + 0x1p-900;
}

template class EnvelopeFactor<double>;
template class EnvelopeFactor<Pair>;

} // namespace mantissa::errors
