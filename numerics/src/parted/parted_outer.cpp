#include "parted_outer.hpp"

#include <algorithm>
#include <cmath>

#include "mantissa/errors.hpp"
#include "mantissa/outer_order.hpp"

namespace mantissa::detail {

namespace {

/// Elements that cross to a session at a time.
constexpr std::size_t kCrossing = 8192;

/// Calls use(k, count) for runs of owned rows from `first` on, `count` in all, that are neighbours in the part's
/// system.
template <class Use>
void for_runs(std::span<const std::uint32_t> owned, std::size_t first, std::size_t count, Use&& use) {
    for (std::size_t at = first; at < first + count;) {
        std::size_t run = 1;
        while (at + run < first + count && owned[at + run] == owned[at] + run) ++run;
        use(at, run);
        at += run;
    }
}

} // namespace

void PartSession::read(Vec v, std::size_t first, std::span<double> values) const {
    for_runs(owned, first, values.size(),
             [&](std::size_t at, std::size_t run) { session->read(v, owned[at], values.subspan(at - first, run)); });
}

void PartSession::write(Vec v, std::size_t first, std::span<const double> values) const {
    for_runs(owned, first, values.size(),
             [&](std::size_t at, std::size_t run) { session->write(v, owned[at], values.subspan(at - first, run)); });
}

void PartedOuter::load(std::span<const double> u, std::span<const double> b, std::span<const double> d) {
    const std::size_t size = iterate_->partition().rows();
    if (u.size() != size || b.size() != size || d.size() != size)
        throw InvalidInput("outer vectors: u, b and d must have as many elements as the system");
    iterate_->load(u, b, d);
}

void PartedOuter::read(std::span<double> u, std::span<double> d) const {
    std::ranges::copy(iterate_->whole(&IterateShare::u), u.begin());
    std::ranges::copy(iterate_->whole(&IterateShare::d), d.begin());
}

void PartedOuter::direction(const IterateShare& share, double scale, std::size_t first, std::span<double> r) const {
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = share.d[share.local.owned[first + i]];
    elements_.direction(scale, r, r);
}

template <class Body> void PartedOuter::for_some(const PartSession& part, Body&& body) {
    std::vector<double> r(std::min(kCrossing, part.owned.size())), p(r.size());
    for (std::size_t first = 0; first < part.owned.size(); first += r.size()) {
        const std::size_t n = std::min(r.size(), part.owned.size() - first);
        body(first, std::span<double>(r.data(), n), std::span<double>(p.data(), n));
    }
}

double PartedOuter::dot(double scale) {
    std::vector<double> found(sessions_.size());
    iterate_->on_every_part([&](std::size_t k, IterateShare& s) {
        std::vector<double> p;
        s.sums.stage([&](std::size_t first, std::span<double> products) {
            p.resize(products.size());
            sessions_[k].read(Vec::p, first, p);
            direction(s, scale, first, products);
            for (std::size_t i = 0; i < products.size(); ++i) products[i] *= p[i];
        });
        found[k] = s.sums.add_blocks(outer_order::kPart, [](std::span<const double> part) {
            return outer_order::part_sum(part.size(), [&](std::size_t i) { return part[i]; });
        });
    });
    return found.front();
}

void PartedOuter::restart(double scale, std::optional<double> share) {
    iterate_->on_every_part([&](std::size_t k, IterateShare& s) {
        const PartSession& part = sessions_[k];
        for_some(part, [&](std::size_t first, std::span<double> r, std::span<double> p) {
            direction(s, scale, first, r);
            part.write(Vec::r, first, r);
            if (!share) return;
            part.read(Vec::p, first, p);
            for (std::size_t i = 0; i < p.size(); ++i) p[i] -= *share * r[i];
            part.write(Vec::p, first, p);
        });
        part.session->clear(Vec::u);
        part.session->clear(Vec::q);
    });
    changed_();
}

bool PartedOuter::correct(double scale, double alpha) {
    if (!std::isfinite(alpha)) return false;
    const std::size_t size = iterate_->partition().rows();
    std::vector<char> finite(sessions_.size());
    iterate_->on_every_part([&](std::size_t k, IterateShare& s) {
        const std::vector<std::uint32_t>& row = iterate_->rows(s);
        // As on the host: what stands in front of the part of kPart elements that has the first bad one is corrected.
        std::size_t bad = size;
        const auto corrections = [&](auto&& use) {
            for_some(sessions_[k], [&](std::size_t first, std::span<double> c, std::span<double> p) {
                sessions_[k].read(Vec::u, first, c);
                sessions_[k].read(Vec::p, first, p);
                elements_.step(alpha, p, c);
                use(first, c);
            });
        };
        corrections([&](std::size_t first, std::span<const double> c) {
            for (std::size_t i = 0; i < c.size(); ++i)
                if (!std::isfinite(c[i])) bad = std::min<std::size_t>(bad, row[first + i]);
        });
        const std::vector<double> all = s.sums.all(static_cast<double>(bad));
        const auto first_bad = static_cast<std::size_t>(*std::ranges::min_element(all));
        finite[k] = first_bad == size ? 1 : 0;
        const std::size_t end = first_bad == size ? size : first_bad / outer_order::kPart * outer_order::kPart;
        corrections([&](std::size_t first, std::span<const double> c) {
            for (std::size_t i = 0; i < c.size() && row[first + i] < end; ++i)
                s.u[s.local.owned[first + i]] += scale * c[i];
        });
    });
    return finite.front() != 0;
}

} // namespace mantissa::detail
