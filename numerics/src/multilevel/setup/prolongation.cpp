#include "prolongation.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

#include "../rows.hpp"
#include "mantissa/multilevel/aggregation.hpp"

namespace mantissa::detail {

namespace {

/// The unknowns of aggregate g, in ascending order: unknown[begin[g]] .. unknown[begin[g + 1] - 1].
struct Members {
    std::vector<std::uint32_t> begin, unknown;
};
Members members_of(const Unknowns& unknowns, const Aggregates& aggregates) {
    std::vector<std::uint32_t> begin(std::size_t{aggregates.count} + 1, 0);
    for (std::size_t node = 0; node < unknowns.nodes(); ++node)
        if (aggregates.of[node] != kNoAggregate)
            begin[std::size_t{aggregates.of[node]} + 1] += unknowns.first(node + 1) - unknowns.first(node);
    for (std::size_t g = 0; g < aggregates.count; ++g) begin[g + 1] += begin[g];
    std::vector<std::uint32_t> at(begin.begin(), begin.end() - 1), member(begin.back());
    for (std::size_t node = 0; node < unknowns.nodes(); ++node)
        if (aggregates.of[node] != kNoAggregate)
            for (std::uint32_t i = unknowns.first(node); i < unknowns.first(node + 1); ++i)
                member[at[aggregates.of[node]]++] = i;
    return {std::move(begin), std::move(member)};
}

/// Orthonormal functions on one aggregate.
class Orthonormal {
public:
    explicit Orthonormal(std::size_t functions) : functions_(functions) {}
    /// From the functions' values on `members` unknowns (at most as many are kept). `kept` of them come back in
    /// `value`, and in `next` the given functions' shares of each, `functions` for each kept one.
    std::size_t make(std::vector<double>& value, std::size_t members, std::vector<double>& next) {
        constexpr double kDependent = 1e-8;
        next.assign(functions_ * functions_, 0.0);
        std::size_t kept = 0;
        for (std::size_t f = 0; f < functions_; ++f) {
            const double before = norm(value, members, f);
            for (int pass = 0; pass < 2; ++pass)
                for (std::size_t k = 0; k < kept; ++k) {
                    double share = 0;
                    for (std::size_t i = 0; i < members; ++i)
                        share += value[i * functions_ + k] * value[i * functions_ + f];
                    for (std::size_t i = 0; i < members; ++i)
                        value[i * functions_ + f] -= share * value[i * functions_ + k];
                    next[k * functions_ + f] += share;
                }
            const double rest = norm(value, members, f);
            if (kept == members || !(rest > kDependent * before)) continue;
            for (std::size_t i = 0; i < members; ++i) value[i * functions_ + kept] = value[i * functions_ + f] / rest;
            next[kept * functions_ + f] = rest;
            ++kept;
        }
        return kept;
    }

private:
    [[nodiscard]] double norm(const std::vector<double>& value, std::size_t members, std::size_t f) const {
        double sum = 0;
        for (std::size_t i = 0; i < members; ++i) sum += value[i * functions_ + f] * value[i * functions_ + f];
        return std::sqrt(sum);
    }
    std::size_t functions_;
};

} // namespace

Tentative orthonormal_functions(const Unknowns& unknowns, const Aggregates& aggregates, [[maybe_unused]] int threads) {
    const std::size_t functions = unknowns.functions, count = aggregates.count;
    const Members members = members_of(unknowns, aggregates);
    const std::vector<std::uint32_t>&begin = members.begin, &member = members.unknown;
    Tentative t;
    t.value.assign(unknowns.kernel.size(), 0.0);
    std::vector<std::uint8_t> kept(count);
    std::vector<double> shares(count * functions * functions);
    const auto aggregates_count = static_cast<std::ptrdiff_t>(count);
#pragma omp parallel num_threads(threads) if (unknowns.count() >= kWorthThreads)
    {
        Orthonormal orthonormal(functions);
        std::vector<double> value, next;
#pragma omp for schedule(static)
        for (std::ptrdiff_t k = 0; k < aggregates_count; ++k) {
            const auto g = static_cast<std::size_t>(k);
            value.clear();
            for (std::uint32_t m = begin[g]; m < begin[g + 1]; ++m)
                for (std::size_t f = 0; f < functions; ++f) value.push_back(unknowns.kernel[member[m] * functions + f]);
            kept[g] = static_cast<std::uint8_t>(orthonormal.make(value, begin[g + 1] - begin[g], next));
            for (std::uint32_t m = begin[g]; m < begin[g + 1]; ++m)
                for (std::size_t f = 0; f < kept[g]; ++f)
                    t.value[member[m] * functions + f] = value[(m - begin[g]) * functions + f];
            std::copy(next.begin(), next.end(), shares.begin() + static_cast<std::ptrdiff_t>(g * next.size()));
        }
    }
    t.next.functions = functions;
    t.next.begin.assign(count + 1, 0);
    for (std::size_t g = 0; g < count; ++g) {
        t.next.begin[g + 1] = t.next.begin[g] + kept[g];
        const auto from = shares.begin() + static_cast<std::ptrdiff_t>(g * functions * functions);
        t.next.kernel.insert(t.next.kernel.end(), from, from + static_cast<std::ptrdiff_t>(kept[g] * functions));
    }
    if (t.next.begin.back() == count && functions == 1) {
        t.next.begin.clear(); // every unknown is a node
        return t;
    }
    t.next.node_of.resize(t.next.begin.back());
    for (std::size_t g = 0; g < count; ++g)
        std::fill(t.next.node_of.begin() + t.next.begin[g], t.next.node_of.begin() + t.next.begin[g + 1],
                  static_cast<std::uint32_t>(g));
    return t;
}

RealRows smoothed_functions(const RealRows& a, const Unknowns& unknowns, const Couplings& couplings,
                            const Aggregates& aggregates, const Tentative& tentative, double largest, int threads) {
    const double omega = 4 / (3 * largest);
    const std::size_t functions = unknowns.functions;
    const auto columns = static_cast<std::uint32_t>(tentative.next.count());
    const auto parts = parts_of_rows<double>(
        a.rows, threads, [&] { return RowSum<double>(columns); },
        [&](std::size_t first, std::size_t end, RowsPart<double>& part, RowSum<double>& sum) {
            const auto add = [&](std::uint32_t unknown, double v) {
                const std::uint32_t g = aggregates.of[unknowns.node(unknown)];
                if (g == kNoAggregate) return;
                const std::uint32_t from = tentative.next.first(g), kept = tentative.next.first(g + 1) - from;
                for (std::uint32_t f = 0; f < kept; ++f)
                    sum.add(from + f, v * tentative.value[unknown * functions + f]);
            };
            for (std::size_t row = first; row < end; ++row) {
                const std::uint32_t node = unknowns.node(static_cast<std::uint32_t>(row));
                if (aggregates.of[node] != kNoAggregate) {
                    double diagonal = 1;
                    const double here = unknowns.kernel[row * functions];
                    for (std::uint32_t k = a.begin[row]; k < a.begin[row + 1]; ++k) {
                        const std::uint32_t j = a.column[k];
                        if (!couplings.strong[k] && j != row && !couplings.alone[unknowns.node(j)] && here != 0)
                            diagonal += a.value[k] * (unknowns.kernel[j * functions] / here);
                    }
                    if (!(diagonal >= multilevel::kLeastDiagonal)) diagonal = 1;
                    add(static_cast<std::uint32_t>(row), 1 - omega);
                    const double step = -omega / diagonal;
                    for (std::uint32_t k = a.begin[row]; k < a.begin[row + 1]; ++k)
                        if (couplings.strong[k]) add(a.column[k], step * a.value[k]);
                }
                sum.hand_over_ascending(part, 0);
            }
        });
    JoinedRows<double> rows = joined(parts, a.rows, threads);
    return {a.rows, columns, std::move(rows.begin), std::move(rows.column), std::move(rows.value)};
}

} // namespace mantissa::detail
