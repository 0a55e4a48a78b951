#include "directed.hpp"

#include <algorithm>
#include <bit>

namespace mantissa::detail {

#if MANTISSA_HAS_FP_MODE

namespace {

template <class C> struct CarrierOf;
template <> struct CarrierOf<float> { static constexpr int kFraction = 23, kExponent = 8; };
template <> struct CarrierOf<double> { static constexpr int kFraction = 52, kExponent = 11; };

template <class C> bool whole_range(const Format& f) {
    return f.exponent_bits == CarrierOf<C>::kExponent;
}

/// Where the result rounded to nearest in C decides: it is the result, or says what is flushed one bit below C's
/// precision, where the least number that rounds to the smallest normal one is none of C.
template <class C> bool needs_near(const Format& f) {
    if (f.truncates()) return false;
    return f.fraction_bits == CarrierOf<C>::kFraction ||
           (f.fraction_bits == CarrierOf<C>::kFraction - 1 && f.flushes() && whole_range<C>(f));
}

template <class C> DirectedParams<C> directed_params(const Format& f, bool exact_operand = false) {
    using Bits = typename DirectedParams<C>::Bits;
    const auto pattern = [](double x) { return std::bit_cast<Bits>(static_cast<C>(x)); };
    constexpr int kFraction = CarrierOf<C>::kFraction;
    DirectedParams<C> p;
    const int m = f.fraction_bits;
    const bool rounds = !f.truncates() && m < kFraction;
    p.drop = kFraction - m;
    p.mask = -(Bits{1} << p.drop);
    p.half_less_one = rounds ? (Bits{1} << (p.drop - 1)) - 1 : 0;
    p.odd = rounds ? 1 : 0;
    p.max = pattern(f.max());
    p.overflow = f.truncates() || f.overflow == Overflow::saturate ? p.max : pattern(__builtin_inf());
    p.min_normal = pattern(f.min_normal());
    p.whole = !f.truncates() && m == kFraction;
    if (f.flushes()) {
        // The least number that rounds to the smallest normal one as if the exponent had no bounds: half way from the
        // number below it. What is rounded to nearest already is compared with the smallest normal number.
        const bool half_way = rounds && (exact_operand ? !whole_range<C>(f) || m < kFraction - 1 : !needs_near<C>(f));
        p.least = half_way ? pattern(f.min_normal() - f.min_normal() * Format::power_of_two(-m - 2)) : p.min_normal;
    } else if (!whole_range<C>(f)) {
        p.unit = static_cast<C>(f.min_positive());
        p.grid = static_cast<C>(Format::power_of_two(kFraction) * f.min_positive());
    }
    return p;
}

template <class C> const DirectedKernels<C>& kernels_of(const KernelTable& table) {
    if constexpr (sizeof(C) == 4) return table.directed32;
    else return table.directed64;
}

constexpr std::size_t kBlock = 512;

template <class T> OperandArrays<T> at(const OperandArrays<T>& in, std::size_t i) {
    return {in.a + i, in.b + i, in.c + i, in.s};
}

/// One operation on at most kBlock elements. T is the type in memory, C that in which results are formed.
template <class T, class C> class Block {
public:
    Block(const KernelTable& table, const Format& f)
        : kernels_(kernels_of<C>(table)), table_(table), params_(directed_params<C>(f)), truncates_(f.truncates()),
          near_(needs_near<C>(f)), flush_near_(f.flushes() && params_.whole),
          finish_(kernels_.finish[static_cast<int>(kind(near_, params_.grid != 0))]) {}

    void run(FpScope& scope, Op op, const OperandArrays<T>& in, Sink<T> out, std::size_t n) {
        const FpMode mode{truncates_ ? FpRounding::toward_zero : FpRounding::nearest, false};
        if (truncates_) {
            scope.set(mode);
            form(op, in, down_, n);
        } else {
            scope.set({FpRounding::down, false});
            form(op, in, down_, n);
            scope.set({FpRounding::up, false});
            form(op, in, up_, n);
            if (near_) {
                // The processor flushes what its own precision does not round to the smallest normal number.
                scope.set({FpRounding::nearest, flush_near_});
                form(op, in, near_result_, n);
            }
            scope.set(mode);
        }
        const C* up = truncates_ ? down_ : up_;
        if constexpr (sizeof(T) == sizeof(C)) {
            finish_(down_, up, near_result_, out, n, params_);
        } else {
            finish_(down_, up, near_result_, wide_, n, params_);
            table_.narrow(wide_, out, n);
        }
    }

private:
    static constexpr Directed kind(bool near, bool grid) {
        if (near) return grid ? Directed::near_grid : Directed::near;
        return grid ? Directed::grid : Directed::plain;
    }
    void form(Op op, const OperandArrays<T>& in, C* out, std::size_t n) {
        if constexpr (sizeof(T) != sizeof(C)) {
            table_.exact_product_sum(in, out, n);
        } else {
            kernels_.form[static_cast<int>(op)](in, out, n);
        }
    }

    const DirectedKernels<C>& kernels_;
    const KernelTable& table_;
    DirectedParams<C> params_;
    bool truncates_, near_, flush_near_;
    void (*finish_)(const C*, const C*, const C*, Sink<C>, std::size_t, const DirectedParams<C>&);
    alignas(64) C down_[kBlock], up_[kBlock], near_result_[kBlock];
    alignas(64) C wide_[sizeof(T) == sizeof(C) ? 1 : kBlock];
};

} // namespace

template <class T> bool has_directed(const KernelTable& table, Op op) {
    return op != Op::fma || table.has_fma || sizeof(T) == 4;
}

template <class T>
void run_directed(const KernelTable& table, const Format& f, Op op, const OperandArrays<T>& in, Sink<T> out,
                  std::size_t n) {
    FpScope scope({});
    if constexpr (sizeof(T) == 4) {
        if (op == Op::fma && !table.has_fma) {
            Block<float, double> block(table, f);
            for (std::size_t i = 0; i < n; i += kBlock)
                block.run(scope, op, at(in, i), out + i, std::min(kBlock, n - i));
            return;
        }
    }
    Block<T, T> block(table, f);
    T product[kBlock];
    const bool scaled = op == Op::add_scaled || op == Op::sub_scaled;
    for (std::size_t i = 0; i < n; i += kBlock) {
        const std::size_t count = std::min(kBlock, n - i);
        OperandArrays<T> here = at(in, i);
        if (!scaled) {
            block.run(scope, op, here, out + i, count);
            continue;
        }
        block.run(scope, Op::scale, here, product, count);
        here.a = here.b;
        here.b = product;
        block.run(scope, op == Op::add_scaled ? Op::add : Op::sub, here, out + i, count);
    }
}

template <class T> bool has_fused(const KernelTable& table, const Format& f) {
    return kernels_of<T>(table).fused[0][0] != nullptr && !f.truncates() && f.overflow == Overflow::infinity &&
           whole_range<T>(f) && f.fraction_bits < CarrierOf<T>::kFraction;
}

template <class T>
void run_fused(const KernelTable& table, const Format& f, Op op, const OperandArrays<T>& in, Sink<T> out,
               std::size_t n) {
    const bool sum = sizeof(T) == 4 && (op == Op::add || op == Op::sub);
    const FpScope scope({FpRounding::nearest, sum && f.flushes()});
    const Fused kind = !f.flushes() ? Fused::gradual : needs_near<T>(f) ? Fused::flush_near : Fused::flush;
    kernels_of<T>(table).fused[static_cast<int>(op)][static_cast<int>(kind)](in, out, n, directed_params<T>(f));
}

template <class C, class T>
void convert_directed(const KernelTable& table, const Format& f, Source<C> a, Sink<T> out, std::size_t n) {
    const FpScope scope({f.truncates() ? FpRounding::toward_zero : FpRounding::nearest, false});
    const DirectedParams<C> params = directed_params<C>(f, true);
    const bool unlimited = whole_range<C>(f) && !f.flushes() && (f.truncates() || f.overflow == Overflow::infinity);
    const auto kind = static_cast<int>(unlimited          ? Rounds::unlimited
                                       : params.grid != 0 ? Rounds::on_grid
                                                          : Rounds::limited);
    if constexpr (sizeof(C) == 4) table.shorten[kind](a, out, n, params);
    else if constexpr (sizeof(T) == 4) table.round32[kind](a, out, n, params);
    else table.round64[kind](a, out, n, params);
}

template bool has_directed<float>(const KernelTable&, Op);
template bool has_directed<double>(const KernelTable&, Op);
template void run_directed<float>(const KernelTable&, const Format&, Op, const OperandArrays<float>&, Sink<float>,
                                  std::size_t);
template void run_directed<double>(const KernelTable&, const Format&, Op, const OperandArrays<double>&, Sink<double>,
                                   std::size_t);
template bool has_fused<float>(const KernelTable&, const Format&);
template bool has_fused<double>(const KernelTable&, const Format&);
template void run_fused<float>(const KernelTable&, const Format&, Op, const OperandArrays<float>&, Sink<float>,
                               std::size_t);
template void run_fused<double>(const KernelTable&, const Format&, Op, const OperandArrays<double>&, Sink<double>,
                                std::size_t);
template void convert_directed(const KernelTable&, const Format&, Source<double>, Sink<float>, std::size_t);
template void convert_directed(const KernelTable&, const Format&, Source<double>, Sink<double>, std::size_t);
template void convert_directed(const KernelTable&, const Format&, Source<float>, Sink<float>, std::size_t);

#endif

} // namespace mantissa::detail
