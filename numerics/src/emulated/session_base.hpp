// What the emulated engine's two sessions share: storage of u, r, p, q with zero margins, reading and writing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "mantissa/engine.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/kernels.hpp"

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
        for (auto& v : vectors_) v = Padded<T>(system.size, margin_);
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

/// Sessions of the emulated engine. The fused one returns nullptr when it has no loop for the spec.
std::unique_ptr<Session> make_fused_session(const System& system, const DatapathSpec& spec,
                                            const SessionOptions& options);
std::unique_ptr<Session> make_block_session(const System& system, const DatapathSpec& spec,
                                            const SessionOptions& options);

} // namespace mantissa::detail
