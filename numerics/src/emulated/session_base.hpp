// What the emulated engine's two sessions share: storage of u, r, p, q with zero margins, reading and writing, the
// plain recurrence's pass and the Chebyshev recurrence's run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "mantissa/block_algebra.hpp"
#include "mantissa/chebyshev.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/kernels.hpp"
#include "mantissa/scalar_unit.hpp"

namespace mantissa::detail {

/// A cache-line aligned array with `margin` zeros on either side.
template <class T> class Padded {
public:
    Padded() = default;
    Padded(std::size_t size, std::size_t margin)
        : size_(size), lead_((margin + kLine - 1) / kLine * kLine), storage_(lead_ * 2 + size + kLine, T{}) {}
    [[nodiscard]] T* data() { return storage_.data() + lead_; }
    [[nodiscard]] const T* data() const { return storage_.data() + lead_; }
    [[nodiscard]] std::size_t size() const { return size_; }

private:
    static constexpr std::size_t kLine = 64;
    struct Aligned {
        using value_type = T;
        Aligned() = default;
        template <class U> explicit Aligned(const U&) {}
        T* allocate(std::size_t n) { return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{kLine})); }
        void deallocate(T* p, std::size_t) { ::operator delete (p, std::align_val_t{kLine}); }
        template <class U> struct rebind { using other = Aligned; };
        friend bool operator==(const Aligned&, const Aligned&) { return true; }
    };
    std::size_t size_ = 0, lead_ = 0;
    std::vector<T, Aligned> storage_;
};

template <class T> class SessionBase : public Session {
public:
    SessionBase(const DatapathSpec& spec, const System& system)
        : spec_(spec), margin_(system.row_length() + 1), units_{VectorUnit<T>(spec.u), VectorUnit<T>(spec.r),
                                                                VectorUnit<T>(spec.p), VectorUnit<T>(spec.q)} {
        for (auto& v : vectors_) v = Padded<T>(system.size(), margin_);
    }

    void write(Vec v, std::size_t first, std::span<const double> values) override {
        check(first, values.size());
        units_[index(v)].convert(values, std::span<T>(data(v) + first, values.size()));
    }
    void read(Vec v, std::size_t first, std::span<double> values) const override {
        check(first, values.size());
        const T* from = vectors_[index(v)].data() + first;
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = from[i];
    }
    void clear(Vec v) override { std::fill_n(data(v), size(), T{}); }
    void set_scalars(double alpha, double beta) override {
        scalars_ = {};
        scalars_.alpha = exact_scalar(alpha);
        scalars_.beta = exact_scalar(beta);
        rho_known_ = false;
    }
    [[nodiscard]] Scalars scalars() const override { return scalars_; }

protected:
    static std::size_t index(Vec v) { return static_cast<std::size_t>(v); }
    [[nodiscard]] T* data(Vec v) { return vectors_[index(v)].data(); }
    [[nodiscard]] std::size_t size() const { return vectors_[0].size(); }
    [[nodiscard]] double exact_scalar(double x) const { return exact::convert(spec_.scalar, x); }

    [[nodiscard]] std::span<T> vec(Vec v) { return {data(v), size()}; }
    [[nodiscard]] const VectorUnit<T>& unit(Vec v) const { return units_[index(v)]; }

    DatapathSpec spec_;
    std::size_t margin_;
    Scalars scalars_;
    bool rho_known_ = false; ///< plain recurrence: scalars_.rho is r.r already

private:
    void check(std::size_t first, std::size_t count) const {
        if (first > size() || count > size() - first)
            throw InvalidInput("session: elements outside the vector; stay below the system's size");
    }
    VectorUnit<T> units_[4];
    Padded<T> vectors_[4];
};

/// One pass of the plain recurrence (engine.hpp, Eq. 2) in a session's own vectors, its scalars by the library's kCg.
/// The session gives its parts:
///     rr()              r.r
///     direction(beta)   p = r + beta p
///     product()         q = A p; returns p.q
///     advance(alpha)    u += alpha p, r -= alpha q; returns r.r
/// `before` holds the scalars after the last pass; `rho_known` tells whether its rho is r.r already.
template <class Parts>
ScalarStep plain_pass(const DatapathSpec& spec, const Scalars& before, bool& rho_known, Parts&& parts) {
    using Walk = recurrence::ScalarWalk<recurrence::kCg>;
    Walk walk(spec.scalar);
    const auto finish = [&](RunEnd end) {
        ScalarStep step;
        step.end = end;
        if (end != RunEnd::passes) walk.ended(end);
        Scalars& s = step.scalars;
        s.rho = walk[Walk::at("rho")];
        s.pq = walk[Walk::at("pq")];
        s.alpha = walk[Walk::at("alpha")];
        s.sigma = walk[Walk::at("sigma")];
        s.beta = walk[Walk::at("beta")];
        return step;
    };
    double& rho = walk[Walk::at("rho")] = before.rho;
    if (!rho_known) {
        rho = 0;
        const DotResult rr = parts.rr();
        if (rr.overflow) return finish(RunEnd::window_overflow);
        rho = rr.value;
    }
    rho_known = true;
    RunEnd end = walk.next();
    if (end != RunEnd::passes) return finish(end);
    parts.direction(exact::convert(spec.operand, before.beta));
    const DotResult pq = parts.product();
    if (pq.overflow) return finish(RunEnd::window_overflow);
    walk[Walk::at("pq")] = pq.value;
    end = walk.next();
    if (end != RunEnd::passes) return finish(end);
    const DotResult rr = parts.advance(exact::convert(spec.operand, walk[Walk::at("alpha")]));
    if (rr.overflow) return finish(RunEnd::window_overflow);
    walk[Walk::at("sigma")] = rr.value; // what the pipelined form estimates
    return finish(walk.next());
}

/// A run of the Chebyshev recurrence. `pass(words)` runs one with the alpha and beta that `scalars` holds, adds the
/// words it saw, and returns whether one overflowed.
template <class Pass>
RunReport run_pairs(const DatapathSpec& spec, const RunRequest& request, Scalars& scalars, Pass&& pass) {
    const std::vector<StepPair> pairs = operand_pairs(spec, request);
    RunReport report;
    while (report.passes < request.passes && report.end == RunEnd::passes) {
        scalars = {};
        scalars.alpha = pairs[report.passes].alpha;
        scalars.beta = pairs[report.passes].beta;
        if (pass(report.words)) report.end = RunEnd::window_overflow;
        ++report.passes;
    }
    return report;
}

class PartLinks;

/// Sessions of the emulated engine. `links`: where `system` is one part of a larger one (part_links.hpp); it outlives
/// the session. The fused one returns nullptr when it has no loop for the spec.
std::unique_ptr<Session> make_fused_session(const System& system, const DatapathSpec& spec,
                                            const SessionOptions& options, PartLinks* links = nullptr);
/// Does the fused session carry this spec's values in float?
bool fused_in_floats(const DatapathSpec& spec);
std::unique_ptr<Session> make_block_session(const System& system, const DatapathSpec& spec,
                                            const SessionOptions& options, PartLinks* links = nullptr);

} // namespace mantissa::detail
