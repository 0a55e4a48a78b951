#include "mantissa/kernels.hpp"

#include <limits>

#include <fmt/format.h>

#include "directed.hpp"
#include "mantissa/exact.hpp"

namespace mantissa {

namespace {

using detail::Finish;

constexpr const char* kLengths = "vector kernel: arrays of different lengths; give equal ones";

template <class T>
void run_portable(const Format& f, Operation op, const detail::OperandArrays<T>& in, detail::Sink<T> out,
                  std::size_t n) {
    const auto at = [](detail::Source<T> p, std::size_t i) {
        return p.address() == nullptr ? 0.0 : static_cast<double>(p[i]);
    };
    for (std::size_t i = 0; i < n; ++i)
        out[i] = static_cast<T>(exact::apply(op, f, in.a[i], at(in.b, i), at(in.c, i), in.s));
}

} // namespace

template <class T> VectorUnit<T>::VectorUnit(const Format& format, Path path) : format_(format.canonical()) {
    if (format.is_fixed())
        throw InvalidInput(
            fmt::format("vector kernel: {} is a fixed-point format; these are of floating ones", to_string(format)));
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
    if (path == Path::fastest) detail::best_isa(); // refuses a bad MANTISSA_ISA here, not in some thread
    finish_ = static_cast<std::uint8_t>(finish);
    convert_finish_ = static_cast<std::uint8_t>(convert);
}

template <class T> std::string_view VectorUnit<T>::path() const {
    constexpr std::string_view names[] = {"hardware", "native", "double", "directed", "portable"};
    return names[static_cast<int>(way_)];
}

template <class T> void VectorUnit<T>::require_format(const Format* elements) const {
    if (elements == nullptr || elements->canonical() == format_) return;
    throw InvalidInput(fmt::format("vector kernel: an array of {} numbers, but the unit's format is {}; make a "
                                   "VectorUnit of the array's format, or round() or convert() the array into another",
                                   to_string(*elements), to_string(format_)));
}

template <class T>
void VectorUnit<T>::run(Operation op, const Format* elements, detail::Readable a, detail::Readable b,
                        detail::Readable c, T s, detail::Writable out) const {
    require_format(elements);
    const bool equal =
        a.size == out.size && (!reads_b(op) || b.size == out.size) && (!reads_c(op) || c.size == out.size);
    if (!equal) throw InvalidInput(kLengths);
    if (op == Operation::convert) {
        if constexpr (sizeof(T) == 8) return convert_memory(elements, a, out);
        else return round_floats(a.address, out.address, out.size);
    }
    form(op, a.address, reads_b(op) ? b.address : nullptr, reads_c(op) ? c.address : nullptr, s, out.address, out.size);
}

template <class T>
void VectorUnit<T>::form(Operation op, const void* a, const void* b, const void* c, T s, void* to,
                         std::size_t n) const {
    const detail::OperandArrays<T> in{a, b, c, s};
    const detail::Sink<T> out(to);
    if (way_ == Way::portable) return run_portable(format_, op, in, out, n);
#if MANTISSA_HAS_FP_MODE
    const detail::KernelTable& table = detail::best_kernel_table();
    const detail::FinishParams params{params_.mask64,   params_.mask32,     params_.drop, params_.max,
                                      params_.overflow, params_.min_normal, params_.grid};
    bool directed = way_ == Way::directed || (op == Operation::fma && (way_ == Way::through_double || !table.has_fma));
    // Compilers do not vectorise two roundings through double in one loop.
    directed =
        directed || (way_ == Way::through_double && (op == Operation::add_scaled || op == Operation::sub_scaled));
    if ((directed || way_ == Way::through_double) && detail::has_fused<T>(table, format_))
        return detail::run_fused(table, format_, op, in, out, n);
    if (directed) {
        if (detail::has_directed<T>(table, op)) return detail::run_directed(table, format_, op, in, out, n);
        return run_portable(format_, op, in, out, n);
    }
    const auto op_index = static_cast<int>(op);
    if constexpr (sizeof(T) == 4) {
        const auto odd = table.f32[op_index][static_cast<int>(Finish::rne_odd)];
        if (finish_ == static_cast<std::uint8_t>(Finish::rne_float) && format_.fraction_bits <= 21 && odd != nullptr) {
            const detail::FpScope scope({detail::FpRounding::toward_zero, op != Operation::mul});
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

template <class T>
void VectorUnit<T>::convert_memory(const Format* elements, detail::Readable from, detail::Writable to) const {
    require_format(elements);
    if (from.size != to.size) throw InvalidInput(kLengths);
    const std::size_t n = to.size;
    const detail::Source<double> a(from.address);
    const detail::Sink<T> out(to.address);
    if (way_ == Way::portable) {
        for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<T>(exact::convert(format_, a[i]));
        return;
    }
#if MANTISSA_HAS_FP_MODE
    const detail::KernelTable& table = detail::best_kernel_table();
    const bool hardware = way_ == Way::native || (way_ == Way::hardware && format_.flushes());
    if (!hardware) return detail::convert_directed(table, format_, a, out, n);
    const detail::FinishParams params{params_.mask64,   params_.mask32,     params_.drop, params_.max,
                                      params_.overflow, params_.min_normal, params_.grid};
    const detail::FpScope scope(
        {format_.truncates() ? detail::FpRounding::toward_zero : detail::FpRounding::nearest, format_.flushes()});
    if constexpr (sizeof(T) == 4) table.convert32[convert_finish_](a, out, n, params);
    else if (way_ == Way::hardware && format_.exponent_bits == 8 && format_.fraction_bits <= 23)
        table.convert_through_float(a, out, n, params);
    else table.convert64[convert_finish_](a, out, n, params);
#endif
}

template <class T>
void VectorUnit<T>::round_floats(const void* from, void* to, std::size_t n) const requires(sizeof(T) == 4) {
    const detail::Source<float> a(from);
    const detail::Sink<float> out(to);
#if MANTISSA_HAS_FP_MODE
    if (way_ != Way::portable) return detail::convert_directed(detail::best_kernel_table(), format_, a, out, n);
#endif
    run_portable<float>(format_, Operation::convert, {a, {}, {}, 0}, out, n);
}

template class VectorUnit<float>;
template class VectorUnit<double>;

std::string_view kernel_isa() {
    return detail::isa_name(detail::best_isa());
}

} // namespace mantissa
