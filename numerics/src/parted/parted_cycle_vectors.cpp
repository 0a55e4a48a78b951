#include "parted_cycle_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mantissa/outer_order.hpp"

namespace mantissa::detail {

namespace {

/// Are the part's rows one run of its elements? A strip's are.
bool one_run(const std::vector<std::uint32_t>& at) {
    return !at.empty() && at.back() - at.front() + 1 == at.size();
}

/// work(i, place) for each owned row; a run without lookups, so that the loop is one over vectors.
template <class Work> void for_owned(const IterateShare& s, const Work& work) {
    const std::vector<std::uint32_t>& at = s.local.owned;
    if (one_run(at))
        for (std::size_t i = 0, first = at.front(); i < at.size(); ++i) work(i, first + i);
    else
        for (std::size_t i = 0; i < at.size(); ++i) work(i, at[i]);
}

} // namespace

PartedCycleVectors::PartedCycleVectors(const System& system, std::unique_ptr<multilevel::PartedCycle> cycle,
                                       int threads)
    : cycle_(std::move(cycle)), iterate_(cycle_->space(), system, cycle_->partition(),
                                         std::max(1, threads / static_cast<int>(cycle_->space()->here().size()))),
      part_(cycle_->space()->here().size()) {
    iterate_.on_every_part([&](std::size_t k, IterateShare& s) {
        Vectors& v = part_[k];
        v.z.assign(s.local.owned.size(), 0.0);
        for (auto* all : {&v.last().p, &v.last().q, &v.zero}) all->assign(s.u.size(), 0.0);
        iterate_.holds_beside(k, 2 * v.z.size() + 3 * s.u.size());
    });
}

void PartedCycleVectors::load(std::span<const double> u, std::span<const double> b, std::span<const double> d) {
    iterate_.load(u, b, d);
}

void PartedCycleVectors::read(std::span<double> u, std::span<double> d) const {
    std::ranges::copy(iterate_.whole(&IterateShare::u), u.begin());
    std::ranges::copy(iterate_.whole(&IterateShare::d), d.begin());
}

bool PartedCycleVectors::correct() {
    std::vector<char> finite(part_.size());
    iterate_.on_every_part([&](std::size_t k, IterateShare& s) {
        Vectors& v = part_[k];
        const std::vector<std::uint32_t>& at = s.local.owned;
        if (one_run(at)) { // nothing moves
            cycle_->correct_own(k, std::span(s.d).subspan(at.front(), at.size()), v.z);
        } else {
            v.own.resize(at.size());
            for (std::size_t i = 0; i < at.size(); ++i) v.own[i] = s.d[at[i]];
            cycle_->correct_own(k, v.own, v.z);
        }
        const bool mine = std::ranges::all_of(v.z, [](double x) { return std::isfinite(x); });
        finite[k] = std::ranges::max(s.sums.all(mine ? 0 : 1)) == 0 ? 1 : 0;
    });
    return finite.front() != 0;
}

void PartedCycleVectors::add_correction() {
    iterate_.on_every_part([&](std::size_t k, IterateShare& s) {
        const double* const z = part_[k].z.data();
        double* const u = s.u.data();
        for_owned(s, [=](std::size_t i, std::size_t at) { u[at] += z[i]; });
    });
}

template <class A, class B> double PartedCycleVectors::dot(const A& a, const B& b) {
    std::vector<double> found(part_.size());
    iterate_.on_every_part([&](std::size_t k, IterateShare& s) {
        const Vectors& v = part_[k];
        s.sums.stage([&](std::size_t first, std::span<double> products) {
            for (std::size_t i = 0; i < products.size(); ++i) products[i] = a(s, v, first + i) * b(s, v, first + i);
        });
        found[k] = s.sums.add_blocks(outer_order::kPart, [](std::span<const double> part) {
            return outer_order::part_sum(part.size(), [&](std::size_t i) { return part[i]; });
        });
    });
    return found.front();
}

namespace {

double correction_of(const IterateShare&, const auto& v, std::size_t i) {
    return v.z[i];
}
double product_of(const IterateShare& s, const auto& v, std::size_t before, std::size_t i) {
    return v.directions[before].q[s.local.owned[i]];
}

} // namespace

double PartedCycleVectors::correction_by_defect() {
    return dot([](const auto& s, const auto& v, std::size_t i) { return correction_of(s, v, i); },
               [](const IterateShare& s, const auto&, std::size_t i) { return s.d[s.local.owned[i]]; });
}

double PartedCycleVectors::correction_by_product(std::size_t before) {
    return dot([](const auto& s, const auto& v, std::size_t i) { return correction_of(s, v, i); },
               [=](const auto& s, const auto& v, std::size_t i) { return product_of(s, v, before, i); });
}

void PartedCycleVectors::direct(std::span<const double> beta) {
    iterate_.on_every_part([&](std::size_t k, IterateShare& s) {
        Vectors& v = part_[k];
        if (v.directions.size() < beta.size()) {
            v.directions.resize(beta.size(),
                                {std::vector<double>(s.u.size(), 0.0), std::vector<double>(s.u.size(), 0.0)});
            iterate_.holds_beside(k, 2 * v.z.size() + (1 + 2 * beta.size()) * s.u.size());
        }
        direct_anew(beta, v.z.data(), v.directions, [&](const auto& work) { for_owned(s, work); });
    });
}

double PartedCycleVectors::multiply() {
    // The defect of p where b is zero.
    const auto in_their_places = [this] {
        iterate_.on_every_part([&](std::size_t k, IterateShare& s) {
            s.u.swap(part_[k].last().p);
            s.b.swap(part_[k].zero);
            s.d.swap(part_[k].last().q);
        });
    };
    in_their_places();
    iterate_.defect();
    in_their_places();
    return dot([](const IterateShare& s, const auto& v, std::size_t i) { return v.directions[0].p[s.local.owned[i]]; },
               [](const auto& s, const auto& v, std::size_t i) { return product_of(s, v, 0, i); });
}

void PartedCycleVectors::step(double alpha) {
    iterate_.on_every_part([&](std::size_t k, IterateShare& s) {
        const double *const p = part_[k].last().p.data(), *const q = part_[k].last().q.data();
        double *const u = s.u.data(), *const d = s.d.data();
        for_owned(s, [=](std::size_t, std::size_t at) {
            u[at] += alpha * p[at];
            d[at] += alpha * q[at];
        });
    });
}

void PartedCycleVectors::keep() {
    iterate_.on_every_part([&](std::size_t k, IterateShare& s) { part_[k].kept = s.u; });
}

void PartedCycleVectors::give_back() {
    iterate_.on_every_part([&](std::size_t k, IterateShare& s) { s.u = part_[k].kept; });
}

} // namespace mantissa::detail
