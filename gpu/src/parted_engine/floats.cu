#include <string>
#include <vector>

#include "engine/engine_outer.cuh"
#include "engine/engine_rows.cuh"
#include "float_pass.cuh"
#include "launch.cuh"
#include "mantissa/row_forms.hpp"
#include "outer.hpp"
#include "part_array.cuh"
#include "sessions.hpp"

namespace mantissa::gpu {

namespace {

template <class Unit, class Element> class PartedFloats final : public Session {
    using T = typename Unit::Carrier;
    using Pass = FloatPass<Unit, Element>;

public:
    PartedFloats(const System& system, const DatapathSpec& spec, std::shared_ptr<Peers> peers, CutMethod method)
        : spec_(spec), size_(system.size()), places_(peers, part_maps(system, peers->parts(), method)), u_(places_),
          r_(places_), p_(places_, system.row_length() + 1), q_(places_), runner_(places_, p_, system.row_length()) {
        const auto converted = converted_for(spec.order, system);
        const System& m = converted ? *converted : system;
        std::vector<T> values;
        if (m.kind() == System::Kind::sparse)
            values = rounded_coefficients<T>(spec, std::get<CompressedRows>(m.matrix()).value());
        for (int k = 0; k < places_.parts(); ++k) load_part(k, m, values);
    }

    void write(Vec v, std::size_t first, std::span<const double> values) override {
        inside(first, values.size());
        std::vector<T> host(values.size());
        const Format f[] = {spec_.u, spec_.r, spec_.p, spec_.q};
        VectorUnit<T>(f[static_cast<std::size_t>(v)]).convert(values, std::span<T>(host));
        if (v == Vec::u) return u_.write(first, host);
        std::vector<Element> elements;
        to_elements(host, elements);
        array(v).write(first, elements);
    }
    void read(Vec v, std::size_t first, std::span<double> values) const override {
        inside(first, values.size());
        const auto take = [&](const auto& from, auto&& host) {
            from.read(first, host);
            std::ranges::transform(host, values.begin(), [](auto x) { return to_value(x); });
        };
        if (v == Vec::u) take(u_, std::vector<T>(values.size()));
        else take(const_cast<PartedFloats*>(this)->array(v), std::vector<Element>(values.size()));
    }
    void clear(Vec v) override {
        if (v == Vec::u) u_.zero();
        else array(v).zero();
    }
    void set_scalars(double alpha, double beta) override {
        scalars_ = {};
        scalars_.alpha = exact::convert(spec_.scalar, alpha);
        scalars_.beta = exact::convert(spec_.scalar, beta);
    }
    [[nodiscard]] Scalars scalars() const override { return scalars_; }

    RunReport run(const RunRequest& request) override {
        return runner_.run_all(
            request, spec_.scalar, scalars_, [](int) {}, [](RunReport&) {});
    }

    std::unique_ptr<OuterVectors> outer(const System& given, std::unique_ptr<OuterVectors> host) override {
        if (!DeviceOuter::takes(given)) return host;
        return std::make_unique<Outer>(*this, given);
    }

private:
    class Outer final : public PartedOuter {
    public:
        Outer(PartedFloats& session, const System& given) : PartedOuter(session.places_, given), session_(session) {}

    private:
        void form_direction(int k, double scale, bool keep) override {
            const auto& a = session_.runner_.params(k);
            outer_direction<<<blocks(k), kOuterThreads>>>(d_.data(k), scale, a.p, keep, a.size, direction_.data(k),
                                                          scratch_.data(k));
            check(cudaGetLastError(), "launch of outer_direction");
        }
        void begin(int k, double share, bool keep) override {
            outer_restart<Unit, Element>
                <<<blocks(k), kOuterThreads>>>(session_.runner_.params(k), direction_.data(k), share, keep);
            check(cudaGetLastError(), "launch of outer_restart");
        }
        void form_correction(int k, double alpha) override {
            outer_correction<Unit, Element><<<blocks(k), kOuterThreads>>>(
                session_.runner_.params(k), alpha, scratch_.data(k), broken_[static_cast<std::size_t>(k)].data());
            check(cudaGetLastError(), "launch of outer_correction");
        }

        PartedFloats& session_;
    };

    PartArray<Element>& array(Vec v) { return v == Vec::r ? r_ : v == Vec::p ? p_ : q_; }
    void inside(std::size_t first, std::size_t count) const {
        if (first > size_ || count > size_ - first)
            throw InvalidInput("session: elements outside the vector; stay below the system's size");
    }
    void load_part(int k, const System& system, const std::vector<T>& values) {
        const OnDevice here(places_.peers->device(k));
        const PartMap& m = places_.maps[static_cast<std::size_t>(k)];
        auto& a = runner_.params(k);
        set_formats(spec_, system.kind(), a);
        a.size = static_cast<long long>(m.elements);
        a.row_length = static_cast<long long>(system.row_length());
        EngineRows<Unit, Element>& rows = rows_.emplace_back();
        if (m.strip) {
            rows.load_grid(system, spec_, static_cast<std::size_t>(m.first), m.elements, a);
        } else {
            std::vector<T> own(m.entry.size());
            for (std::size_t e = 0; e < own.size(); ++e) own[e] = values[m.entry[e]];
            rows.load_sparse(m.row_begin, m.column, own, a);
        }
        a.u = u_.data(k);
        a.r = r_.data(k);
        a.p = p_.data(k);
        a.q = q_.data(k);
    }

    DatapathSpec spec_;
    std::size_t size_;
    PartPlaces places_;
    PartArray<T> u_;
    PartArray<Element> r_, p_, q_;
    PartRunner<Pass> runner_;
    std::vector<EngineRows<Unit, Element>> rows_;
    Scalars scalars_;
};

} // namespace

std::unique_ptr<Session> make_parted_floats(const System& system, const DatapathSpec& spec,
                                            std::shared_ptr<Peers> peers, CutMethod method) {
    return with_element_kind(spec, [&]<class Unit, class Element>() -> std::unique_ptr<Session> {
        return std::make_unique<PartedFloats<Unit, Element>>(system, spec, std::move(peers), method);
    });
}

} // namespace mantissa::gpu
