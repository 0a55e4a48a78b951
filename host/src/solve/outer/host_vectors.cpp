#include "host_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "../inner.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/outer/elements.hpp"

namespace mantissa::solving {

namespace {

class HostVectors final : public OuterVectors {
public:
    HostVectors(const HostPlace& place, Session& session, const DatapathSpec& spec)
        : place_(place), session_(session), elements_(spec), r_part_(std::min(place.u.size(), kTransfer)),
          p_part_(r_part_.size()) {}

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
            elements_.step(alpha, p, c);
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
    void direction(std::size_t at, double scale, std::span<double> r) const {
        elements_.direction(scale, std::span<const double>(place_.d).subspan(at, r.size()), r);
    }

    HostPlace place_;
    Session& session_;
    outer::Elements elements_;
    std::vector<double> r_part_, p_part_;
};

} // namespace

std::unique_ptr<OuterVectors> make_host_vectors(const HostPlace& place, Session& session, const DatapathSpec& spec) {
    return std::make_unique<HostVectors>(place, session, spec);
}

} // namespace mantissa::solving
