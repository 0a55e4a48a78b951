// What a session in floating vectors takes from its spec and its matrix: formats, and coefficients on the device.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "engine/engine_differences.cuh"
#include "engine/engine_params.cuh"
#include "mantissa/gpu/device.hpp"
#include "mantissa/kernels.hpp"

namespace mantissa::gpu {

/// Vectors on the host in a session's element type.
template <class Carrier> void to_elements(const std::vector<Carrier>& from, std::vector<UpperHalf>& to) {
    to.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i)
        to[i].bits = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(from[i])) >> 16);
}
template <class Carrier> void to_elements(std::vector<Carrier>& from, std::vector<Carrier>& to) {
    to.swap(from);
}
inline double to_value(UpperHalf x) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16);
}
inline double to_value(float x) {
    return x;
}
inline double to_value(double x) {
    return x;
}

inline bool all_truncating(const DatapathSpec& s) {
    for (const Format& f : {s.u, s.r, s.p, s.q, s.coefficient, s.operand, s.row})
        if (!TruncatingUnit::fits(f)) return false;
    return s.dot.exact_product || TruncatingUnit::fits(s.dot.product);
}
inline bool all_float(const DatapathSpec& s) {
    for (const Format& f : {s.u, s.r, s.p, s.q, s.coefficient, s.operand, s.row})
        if (!float_unit_fits(f)) return false;
    if (s.dot.fixed && (s.dot.window.lsb < -1000 || s.dot.window.lsb > 1000)) return false;
    return s.dot.exact_product || float_unit_fits(s.dot.product);
}
inline bool short_vectors(const DatapathSpec& s) {
    return s.r.fraction_bits <= 7 && s.p.fraction_bits <= 7 && s.q.fraction_bits <= 7;
}

/// make.operator()<Unit, Element>() with the arithmetic and the storage that a spec takes.
template <class Make> auto with_element_kind(const DatapathSpec& spec, Make&& make) {
    if (!all_float(spec)) {
        if (all_truncating(spec)) return make.template operator()<TruncatingUnit, double>();
        return make.template operator()<DoubleUnit, double>();
    }
    if (short_vectors(spec)) return make.template operator()<FloatUnit, UpperHalf>();
    return make.template operator()<FloatUnit, float>();
}

/// Formats, orders and the kind of matrix; sizes, rows and vectors are left.
template <class Unit, class Element>
void set_formats(const DatapathSpec& spec, System::Kind kind, EngineParams<Unit, Element>& a) {
    a.u_unit = Unit(spec.u);
    a.r_unit = Unit(spec.r);
    a.p_unit = Unit(spec.p);
    a.q_unit = Unit(spec.q);
    a.operand = Unit(spec.operand);
    a.row = Unit(spec.row);
    if (!spec.dot.exact_product) a.product = Unit(spec.dot.product);
    if (!spec.dot.fixed) a.accumulator = DoubleUnit(spec.dot.accumulator);
    a.scalar = DoubleUnit(spec.scalar);
    a.kind = kind == System::Kind::symmetric ? System::Kind::bands : kind;
    a.order = spec.order;
    a.exact_product = spec.dot.exact_product;
    a.window = spec.dot.window;
    a.window_unit = std::ldexp(1.0, -a.window.lsb);
    a.window_limit = std::ldexp(1.0, a.window.width() - 1);
    a.partials = spec.partials();
}

template <class T> std::vector<T> rounded_coefficients(const DatapathSpec& spec, std::span<const double> values) {
    std::vector<T> host(values.size());
    VectorUnit<T>(spec.coefficient).convert(values, std::span<T>(host));
    return host;
}

/// The coefficients of a session, or of one part's.
template <class Unit, class Element> class EngineRows {
    using T = typename Unit::Carrier;
    using Params = EngineParams<Unit, Element>;

public:
    /// Of a grid, as converted_for() leaves it: of `count` elements from `first` on.
    void load_grid(const System& system, const DatapathSpec& spec, std::size_t first, std::size_t count, Params& a) {
        if (!adds_products(spec.order)) {
            differences_.load(system, spec, first, count);
            a.differences = differences_.rows();
        } else if (system.kind() == System::Kind::stencil) {
            std::ranges::copy(rounded_coefficients<T>(spec, std::get<Stencil>(system.matrix()).coefficients()),
                              a.coefficient);
        } else {
            for (int b = 0; b < kBands; ++b) {
                const std::span<const double> band = std::get<Bands>(system.matrix()).band(static_cast<std::size_t>(b));
                band_[b] = to_device(rounded_coefficients<T>(spec, band.subspan(first, count)));
                a.band[b] = band_[b].data();
            }
        }
    }
    /// Values already rounded.
    void load_sparse(const std::vector<std::uint64_t>& row_begin, const std::vector<std::uint32_t>& column,
                     const std::vector<T>& value, Params& a) {
        row_begin_ = to_device(row_begin);
        column_ = to_device(column);
        value_ = to_device(value);
        a.row_begin = row_begin_.data();
        a.column = column_.data();
        a.value = value_.data();
    }

private:
    std::array<Buffer<T>, kBands> band_;
    DifferenceRows<T> differences_;
    Buffer<std::uint64_t> row_begin_;
    Buffer<std::uint32_t> column_;
    Buffer<T> value_;
};

} // namespace mantissa::gpu
