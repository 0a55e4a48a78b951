#include "mantissa/kernels.hpp"

#include <limits>

#include <fmt/format.h>

#include "directed.hpp"
#include "mantissa/exact.hpp"

namespace mantissa {

namespace {

using detail::Finish;
using detail::Op;

void require(bool same) {
    if (!same) throw InvalidInput("vector kernel: arrays of different lengths; give equal ones");
}

double portable_op(Op op, const Format& f, double a, double b, double c, double s) {
    switch (op) {
    case Op::add:
        return exact::add(f, a, b);
    case Op::sub:
        return exact::sub(f, a, b);
    case Op::mul:
        return exact::mul(f, a, b);
    case Op::div:
        return exact::div(f, a, b);
    case Op::sqrt:
        return exact::sqrt(f, a);
    case Op::scale:
        return exact::mul(f, s, a);
    case Op::fma:
        return exact::fma(f, a, b, c);
    case Op::add_scaled:
        return exact::add(f, b, exact::mul(f, s, a));
    default:
        return exact::sub(f, b, exact::mul(f, s, a));
    }
}

template <class T>
void run_portable(const Format& f, Op op, const detail::OperandArrays<T>& in, T* out, std::size_t n) {
    const auto at = [](const T* p, std::size_t i) { return p == nullptr ? 0.0 : static_cast<double>(p[i]); };
    for (std::size_t i = 0; i < n; ++i)
        out[i] = static_cast<T>(portable_op(op, f, in.a[i], at(in.b, i), at(in.c, i), in.s));
}

} // namespace

template <class T> VectorUnit<T>::VectorUnit(const Format& format, Path path) : format_(format.canonical()) {
    if (!format.valid() || !format.fits<T>())
        throw InvalidInput(fmt::format("format {} does not fit a {}-bit carrier: use VectorUnit<double>",
                                       to_string(format), 8 * sizeof(T)));
    constexpr int kCarrierFraction = sizeof(T) == 4 ? 23 : 52, kCarrierExponent = sizeof(T) == 4 ? 8 : 11;
    const int m = format_.fraction_bits;
    params_.mask64 = ~((std::uint64_t{1} << (52 - m)) - 1);
    params_.mask32 = m <= 23 ? ~((std::uint32_t{1} << (23 - m)) - 1) : ~std::uint32_t{0};
    params_.drop = 52 - m;
    params_.max = format_.max();
    params_.overflow = format_.overflow == Overflow::saturate ? format_.max() : std::numeric_limits<double>::infinity();
    params_.min_normal = format_.min_normal();
    params_.grid = format_.flushes() ? 0.0 : Format::power_of_two(std::min(1023, 52 + format_.min_exponent() - m));

    const bool whole_range = format_.exponent_bits == kCarrierExponent;
    const bool whole = whole_range && m == kCarrierFraction;
    Finish finish = Finish::none, convert = Finish::none;
    if (path == Path::portable || !MANTISSA_HAS_FP_MODE) {
        way_ = Way::portable;
    } else if (format_.truncates() && (format_.flushes() || whole_range)) {
        way_ = Way::hardware;
        finish = whole_range ? Finish::mask : Finish::mask_range;
        convert = sizeof(T) == 4 ? finish : Finish::mask_range;
    } else if (!format_.truncates() && whole && format_.overflow == Overflow::infinity) {
        way_ = Way::native;
    } else if (!format_.truncates() && sizeof(T) == 4) {
        way_ = Way::through_double;
        finish = whole_range && format_.flushes() && format_.overflow == Overflow::infinity ? Finish::rne_float
                                                                                            : Finish::rne_range;
    } else {
        way_ = Way::directed;
    }
    if (way_ != Way::portable) detail::best_isa(); // refuses a bad MANTISSA_ISA here, not in some thread
    finish_ = static_cast<std::uint8_t>(finish);
    convert_finish_ = static_cast<std::uint8_t>(convert);
}

template <class T> std::string_view VectorUnit<T>::path() const {
    constexpr std::string_view names[] = {"hardware", "native", "double", "directed", "portable"};
    return names[static_cast<int>(way_)];
}

template <class T>
void VectorUnit<T>::run(int op_index, const T* a, const T* b, const T* c, T s, T* out, std::size_t n) const {
    const auto op = static_cast<Op>(op_index);
    const detail::OperandArrays<T> in{a, b, c, s};
    if (way_ == Way::portable) return run_portable(format_, op, in, out, n);
#if MANTISSA_HAS_FP_MODE
    const detail::KernelTable& table = detail::best_kernel_table();
    const detail::FinishParams params{params_.mask64,   params_.mask32,     params_.drop, params_.max,
                                      params_.overflow, params_.min_normal, params_.grid};
    bool directed = way_ == Way::directed || (op == Op::fma && (way_ == Way::through_double || !table.has_fma));
    // Compilers do not vectorise two roundings through double in one loop.
    directed = directed || (way_ == Way::through_double && (op == Op::add_scaled || op == Op::sub_scaled));
    if ((directed || way_ == Way::through_double) && detail::has_fused<T>(table, format_))
        return detail::run_fused(table, format_, op, in, out, n);
    if (directed) {
        if (detail::has_directed<T>(table, op)) return detail::run_directed(table, format_, op, in, out, n);
        return run_portable(format_, op, in, out, n);
    }
    if constexpr (sizeof(T) == 4) {
        const auto odd = table.f32[op_index][static_cast<int>(Finish::rne_odd)];
        if (finish_ == static_cast<std::uint8_t>(Finish::rne_float) && format_.fraction_bits <= 21 && odd != nullptr) {
            const detail::FpScope scope({detail::FpRounding::toward_zero, op != Op::mul});
            odd(in, out, n, params);
            return;
        }
    }
    const detail::FpScope scope(
        {format_.truncates() ? detail::FpRounding::toward_zero : detail::FpRounding::nearest, format_.flushes()});
    if constexpr (sizeof(T) == 4) table.f32[op_index][finish_](in, out, n, params);
    else table.f64[op_index][finish_](in, out, n, params);
#endif
}

template <class T> void VectorUnit<T>::add(std::span<const T> a, std::span<const T> b, std::span<T> out) const {
    require(a.size() == b.size() && a.size() == out.size());
    run(static_cast<int>(Op::add), a.data(), b.data(), nullptr, T{}, out.data(), a.size());
}
template <class T> void VectorUnit<T>::sub(std::span<const T> a, std::span<const T> b, std::span<T> out) const {
    require(a.size() == b.size() && a.size() == out.size());
    run(static_cast<int>(Op::sub), a.data(), b.data(), nullptr, T{}, out.data(), a.size());
}
template <class T> void VectorUnit<T>::mul(std::span<const T> a, std::span<const T> b, std::span<T> out) const {
    require(a.size() == b.size() && a.size() == out.size());
    run(static_cast<int>(Op::mul), a.data(), b.data(), nullptr, T{}, out.data(), a.size());
}
template <class T> void VectorUnit<T>::div(std::span<const T> a, std::span<const T> b, std::span<T> out) const {
    require(a.size() == b.size() && a.size() == out.size());
    run(static_cast<int>(Op::div), a.data(), b.data(), nullptr, T{}, out.data(), a.size());
}
template <class T> void VectorUnit<T>::sqrt(std::span<const T> a, std::span<T> out) const {
    require(a.size() == out.size());
    run(static_cast<int>(Op::sqrt), a.data(), nullptr, nullptr, T{}, out.data(), a.size());
}
template <class T> void VectorUnit<T>::scale(T s, std::span<const T> a, std::span<T> out) const {
    require(a.size() == out.size());
    run(static_cast<int>(Op::scale), a.data(), nullptr, nullptr, s, out.data(), a.size());
}
template <class T>
void VectorUnit<T>::add_scaled(std::span<const T> b, T s, std::span<const T> a, std::span<T> out) const {
    require(a.size() == b.size() && a.size() == out.size());
    run(static_cast<int>(Op::add_scaled), a.data(), b.data(), nullptr, s, out.data(), a.size());
}
template <class T>
void VectorUnit<T>::sub_scaled(std::span<const T> b, T s, std::span<const T> a, std::span<T> out) const {
    require(a.size() == b.size() && a.size() == out.size());
    run(static_cast<int>(Op::sub_scaled), a.data(), b.data(), nullptr, s, out.data(), a.size());
}

template <class T>
void VectorUnit<T>::fma(std::span<const T> a, std::span<const T> b, std::span<const T> c, std::span<T> out) const {
    require(a.size() == b.size() && a.size() == c.size() && a.size() == out.size());
    run(static_cast<int>(Op::fma), a.data(), b.data(), c.data(), T{}, out.data(), a.size());
}

template <class T> void VectorUnit<T>::convert(std::span<const double> a, std::span<T> out) const {
    require(a.size() == out.size());
    if (way_ == Way::portable) {
        for (std::size_t i = 0; i < a.size(); ++i) out[i] = static_cast<T>(exact::convert(format_, a[i]));
        return;
    }
#if MANTISSA_HAS_FP_MODE
    const detail::KernelTable& table = detail::best_kernel_table();
    const bool hardware = way_ == Way::native || (way_ == Way::hardware && format_.flushes());
    if (!hardware) return detail::convert_directed(table, format_, a.data(), out.data(), a.size());
    const detail::FinishParams params{params_.mask64,   params_.mask32,     params_.drop, params_.max,
                                      params_.overflow, params_.min_normal, params_.grid};
    const detail::FpScope scope(
        {format_.truncates() ? detail::FpRounding::toward_zero : detail::FpRounding::nearest, format_.flushes()});
    if constexpr (sizeof(T) == 4) table.convert32[convert_finish_](a.data(), out.data(), a.size(), params);
    else table.convert64[convert_finish_](a.data(), out.data(), a.size(), params);
#endif
}

template class VectorUnit<float>;
template class VectorUnit<double>;

std::string_view kernel_isa() {
    return detail::isa_name(detail::best_isa());
}

} // namespace mantissa
