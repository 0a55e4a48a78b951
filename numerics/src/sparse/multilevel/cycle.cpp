#include "cycle.hpp"

#include <algorithm>
#include <cstddef>

#include "../../multilevel/blocked_sums.hpp"

namespace mantissa::detail {

namespace {

std::vector<float> to_float(const std::vector<double>& v) {
    return {v.begin(), v.end()};
}

struct Pair {
    float x = 0, y = 0;
};
Pair at(const std::vector<float>& v, std::size_t i) {
    return {v[2 * i], v[2 * i + 1]};
}
void put(std::vector<float>& v, std::size_t i, Pair p) {
    v[2 * i] = p.x;
    v[2 * i + 1] = p.y;
}

template <class Rows> Pair complex_row(const Rows& a, std::size_t row, const float* v) {
    Pair s;
    for (std::uint32_t k = a.begin[row]; k < a.begin[row + 1]; ++k) {
        const float re = a.value[2 * std::size_t{k}], im = a.value[2 * std::size_t{k} + 1];
        const float* const from = v + 2 * std::size_t{a.column[k]};
        s.x += re * from[0] - im * from[1];
        s.y += re * from[1] + im * from[0];
    }
    return s;
}
template <class Rows> Pair real_row(const Rows& a, std::size_t row, const float* v) {
    Pair s;
    for (std::uint32_t k = a.begin[row]; k < a.begin[row + 1]; ++k) {
        const float* const from = v + 2 * std::size_t{a.column[k]};
        s.x += a.value[k] * from[0];
        s.y += a.value[k] * from[1];
    }
    return s;
}

} // namespace

Cycle::Cycle(const MultilevelHierarchy& levels, int threads) : inverse_(levels.coarsest), threads_(threads) {
    for (const MultilevelLevel& from : levels.level) {
        Level& l = level_.emplace_back();
        l.rows = from.a.block_rows();
        l.a = {from.a.row_begin.data(), from.a.column.data(), to_float(from.a.value)};
        l.prolongation = {from.prolongation.begin.data(), from.prolongation.column.data(),
                          to_float(from.prolongation.value)};
        l.restriction = {from.restriction.begin.data(), from.restriction.column.data(),
                         to_float(from.restriction.value)};
        l.inverse = to_float(from.inverse);
        for (auto* v : {&l.r, &l.x, &l.p, &l.next}) v->assign(2 * l.rows, 0);
        l.step = chebyshev_steps(from.largest);
    }
}

/// x = both steps from x = 0; p is the first.
void Cycle::smooth_from_nothing(Level& l) const {
    const auto first = static_cast<float>(l.step[0].residual), before = static_cast<float>(l.step[1].before),
               second = static_cast<float>(l.step[1].residual);
    for_each_row(l.rows, threads_, [&](std::size_t i) {
        const Pair r = at(l.r, i);
        const float f = first * l.inverse[i];
        put(l.p, i, {f * r.x, f * r.y});
    });
    for_each_row(l.rows, threads_, [&](std::size_t i) {
        const Pair r = at(l.r, i), p = at(l.p, i), q = complex_row(l.a, i, l.p.data());
        const float f = second * l.inverse[i];
        put(l.x, i, {p.x + before * p.x + f * (r.x - q.x), p.y + before * p.y + f * (r.y - q.y)});
    });
}

/// Both steps from x.
void Cycle::smooth(Level& l) const {
    const auto first = static_cast<float>(l.step[0].residual), before = static_cast<float>(l.step[1].before),
               second = static_cast<float>(l.step[1].residual);
    for_each_row(l.rows, threads_, [&](std::size_t i) {
        const Pair r = at(l.r, i), q = complex_row(l.a, i, l.x.data());
        const Pair rest{r.x - q.x, r.y - q.y};
        const float f = first * l.inverse[i];
        put(l.next, i, rest);
        put(l.p, i, {f * rest.x, f * rest.y});
    });
    for_each_row(l.rows, threads_, [&](std::size_t i) {
        const Pair r = at(l.next, i), p = at(l.p, i), x = at(l.x, i), q = complex_row(l.a, i, l.p.data());
        const float f = second * l.inverse[i];
        put(l.x, i, {x.x + (p.x + before * p.x + f * (r.x - q.x)), x.y + (p.y + before * p.y + f * (r.y - q.y))});
    });
}

void Cycle::coarsest() {
    Level& l = level_.back();
    for (std::size_t i = 0; i < l.rows; ++i) {
        double x = 0, y = 0;
        for (std::size_t j = 0; j < l.rows; ++j) {
            const double re = inverse_[2 * (i * l.rows + j)], im = inverse_[2 * (i * l.rows + j) + 1];
            const Pair r = at(l.r, j);
            x += re * static_cast<double>(r.x) - im * static_cast<double>(r.y);
            y += re * static_cast<double>(r.y) + im * static_cast<double>(r.x);
        }
        put(l.x, i, {static_cast<float>(x), static_cast<float>(y)});
    }
}

void Cycle::descend(std::size_t k) {
    if (k + 1 == level_.size()) return coarsest();
    Level &l = level_[k], &next = level_[k + 1];
    smooth_from_nothing(l);
    for_each_row(l.rows, threads_, [&](std::size_t i) {
        const Pair r = at(l.r, i), q = complex_row(l.a, i, l.x.data());
        put(l.next, i, {r.x - q.x, r.y - q.y});
    });
    for_each_row(next.rows, threads_,
                 [&](std::size_t i) { put(next.r, i, real_row(l.restriction, i, l.next.data())); });
    descend(k + 1);
    for_each_row(l.rows, threads_, [&](std::size_t i) {
        const Pair x = at(l.x, i), more = real_row(l.prolongation, i, next.x.data());
        put(l.x, i, {x.x + more.x, x.y + more.y});
    });
    smooth(l);
}

} // namespace mantissa::detail
