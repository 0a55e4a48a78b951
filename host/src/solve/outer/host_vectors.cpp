#include "host_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "../inner.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/fixed_kernels.hpp"

namespace mantissa::solving {

namespace {

/// c += rnd(alpha p) on u's grid: the next pass's u. Word: an integer that holds u's words.
template <class Word> void step_along(const Format& u, double alpha, std::span<const double> p, std::span<double> c) {
    const FixedUnit<Word> unit(u);
    Word words[1024];
    double steps[1024];
    for (std::size_t at = 0; at < c.size(); at += std::size(words)) {
        const std::size_t n = std::min(std::size(words), c.size() - at);
        // (alpha p is exact: a short significand and a short word. One that does not fit is a step that is not useful.)
        for (std::size_t i = 0; i < n; ++i) steps[i] = alpha * p[at + i];
        static_cast<void>(unit.convert(std::span<const double>(steps, n), std::span<Word>(words, n)));
        unit.to_doubles(std::span<const Word>(words, n), std::span<double>(steps, n));
        for (std::size_t i = 0; i < n; ++i) c[at + i] += steps[i];
    }
}

class HostVectors final : public OuterVectors {
public:
    HostVectors(const HostPlace& place, Session& session, const DatapathSpec& spec)
        : place_(place), session_(session), u_format_(spec.u), fixed_(spec.fixed_vectors()),
          r_part_(std::min(place.u.size(), kTransfer)), p_part_(r_part_.size()) {}

    /// (Nothing moves where the vectors are the place's own.)
    void load(std::span<const double> u, std::span<const double> b, std::span<const double> d) override {
        if (u.size() != place_.u.size() || b.size() != u.size() || d.size() != u.size())
            throw InvalidInput("outer vectors: u, b and d must have as many elements as the system");
        copy(u, place_.u);
        place_.b = b;
        copy(d, place_.d);
    }
    void read(std::span<double> u, std::span<double> d) const override {
        copy(place_.u, u);
        copy(place_.d, d);
    }

    double dot(double scale) override {
        BlockDot dot;
        for_parts([&](std::size_t at, std::span<double> r, std::span<double> p) {
            session_.read(Vec::p, at, p);
            direction(at, scale, r);
            dot.add(r, p);
        });
        return dot.total();
    }
    void restart(double scale, std::optional<double> share) override {
        for_parts([&](std::size_t at, std::span<double> r, std::span<double> p) {
            direction(at, scale, r);
            session_.write(Vec::r, at, r);
            if (!share) return;
            session_.read(Vec::p, at, p);
            for (std::size_t i = 0; i < p.size(); ++i) p[i] -= *share * r[i];
            session_.write(Vec::p, at, p);
        });
        session_.clear(Vec::u);
        session_.clear(Vec::q);
    }
    bool correct(double scale, double alpha) override {
        bool finite = std::isfinite(alpha);
        for_parts([&](std::size_t at, std::span<double> c, std::span<double> p) {
            if (!finite) return;
            session_.read(Vec::u, at, c);
            session_.read(Vec::p, at, p);
            if (u_format_.is_fixed() && u_format_.word_bits <= 32) step_along<std::int32_t>(u_format_, alpha, p, c);
            else if (u_format_.is_fixed()) step_along<std::int64_t>(u_format_, alpha, p, c);
            else
                for (std::size_t i = 0; i < c.size(); ++i) c[i] += alpha * p[i];
            finite = std::all_of(c.begin(), c.end(), [](double x) { return std::isfinite(x); });
            if (finite) place_.arithmetic.correct(place_.u.subspan(at, c.size()), scale, c);
        });
        return finite;
    }
    void defect() override { place_.arithmetic.defect(place_.u, place_.b, place_.d); }
    double norm() override { return place_.arithmetic.norm(place_.d); }
    [[nodiscard]] bool overflow() const override { return place_.arithmetic.overflow(); }

private:
    static void copy(std::span<const double> from, std::span<double> to) {
        if (from.data() != to.data()) std::copy(from.begin(), from.end(), to.begin());
    }
    template <class Body> void for_parts(Body&& body) {
        for (std::size_t at = 0; at < place_.u.size(); at += r_part_.size()) {
            const std::size_t n = std::min(r_part_.size(), place_.u.size() - at);
            body(at, std::span<double>(r_part_.data(), n), std::span<double>(p_part_.data(), n));
        }
    }
    /// r = d / scale
    void direction(std::size_t at, double scale, std::span<double> r) const {
        if (fixed_) { // by a power of two: exact as a product, and faster
            const double reciprocal = 1 / scale;
            for (std::size_t i = 0; i < r.size(); ++i) r[i] = place_.d[at + i] * reciprocal;
            return;
        }
        for (std::size_t i = 0; i < r.size(); ++i) r[i] = place_.d[at + i] / scale;
    }

    HostPlace place_;
    Session& session_;
    Format u_format_;
    bool fixed_;
    std::vector<double> r_part_, p_part_;
};

} // namespace

std::unique_ptr<OuterVectors> make_host_vectors(const HostPlace& place, Session& session, const DatapathSpec& spec) {
    return std::make_unique<HostVectors>(place, session, spec);
}

} // namespace mantissa::solving
