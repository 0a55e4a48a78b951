// Who stands before the judge: every implementation of the contract, applied to a block of operands.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "judge.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/float.hpp"
#include "mantissa/kernels.hpp"

namespace mantissa::judge {

/// Operands and what MPFR makes of them, one list for each policy.
template <std::size_t Policies> struct Block {
    explicit Block(std::size_t n) : a(n), b(n), c(n), got(n) {
        for (auto& list : expected) list.resize(n);
    }
    [[nodiscard]] std::size_t size() const { return a.size(); }
    std::vector<double> a, b, c, got;
    std::array<std::vector<double>, Policies> expected;
};

/// The value type, in the plain loops that it is made for.
template <Format F> class FloatSubject {
public:
    explicit FloatSubject(std::size_t n) : a_(n), b_(n), c_(n), out_(n) {}

    void apply(Op op, const std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& c,
               std::vector<double>& out, std::size_t n) {
        if (op == Op::convert) {
            for (std::size_t i = 0; i < n; ++i) out_[i] = Float<F>(a[i]);
        } else {
            using Carrier = typename Float<F>::carrier_type;
            for (std::size_t i = 0; i < n; ++i) a_[i] = Float<F>::from_carrier(static_cast<Carrier>(a[i]));
            for (std::size_t i = 0; i < n; ++i) b_[i] = Float<F>::from_carrier(static_cast<Carrier>(b[i]));
            for (std::size_t i = 0; i < n; ++i) c_[i] = Float<F>::from_carrier(static_cast<Carrier>(c[i]));
        }
        switch (op) {
        case Op::add:
            for (std::size_t i = 0; i < n; ++i) out_[i] = a_[i] + b_[i];
            break;
        case Op::sub:
            for (std::size_t i = 0; i < n; ++i) out_[i] = a_[i] - b_[i];
            break;
        case Op::mul:
            for (std::size_t i = 0; i < n; ++i) out_[i] = a_[i] * b_[i];
            break;
        case Op::div:
            for (std::size_t i = 0; i < n; ++i) out_[i] = a_[i] / b_[i];
            break;
        case Op::sqrt:
            for (std::size_t i = 0; i < n; ++i) out_[i] = sqrt(a_[i]);
            break;
        case Op::fma:
            for (std::size_t i = 0; i < n; ++i) out_[i] = fma(a_[i], b_[i], c_[i]);
            break;
        default: // converted above
            break;
        }
        // Which NaN a carrier holds is not specified; that bits() gives the canonical one is tested elsewhere.
        for (std::size_t i = 0; i < n; ++i)
            out[i] = isnan(out_[i]) ? exact::detail::kNaN : static_cast<double>(out_[i]);
    }

private:
    std::vector<Float<F>> a_, b_, c_, out_;
};

/// The vector kernels on arrays of T.
template <class T> class KernelSubject {
public:
    KernelSubject(const Format& f, typename VectorUnit<T>::Path path, std::size_t n)
        : unit_(f, path), a_(n), b_(n), c_(n), out_(n) {}

    [[nodiscard]] std::string name() const {
        return "kernel in " + std::string(sizeof(T) == 4 ? "float" : "double") + ", " + std::string(unit_.path());
    }
    void apply(Op op, const std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& c,
               std::vector<double>& out, std::size_t n) {
        const auto load = [n](const std::vector<double>& from, std::vector<T>& to) {
            for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<T>(from[i]);
            return std::span<const T>(to.data(), n);
        };
        const std::span<T> result(out_.data(), n);
        if (op == Op::convert) unit_.convert(std::span<const double>(a.data(), n), result);
        else unit_.apply(op, load(a, a_), load(b, b_), load(c, c_), T{}, result);
        for (std::size_t i = 0; i < n; ++i)
            out[i] = out_[i] != out_[i] ? exact::detail::kNaN : static_cast<double>(out_[i]);
    }

private:
    VectorUnit<T> unit_;
    std::vector<T> a_, b_, c_, out_;
};

/// Compares results, prints the first few that differ.
class Verdict {
public:
    void compare(const Format& f, std::string_view subject, Op op, const std::vector<double>& a,
                 const std::vector<double>& b, const std::vector<double>& c, const std::vector<double>& got,
                 const std::vector<double>& expected, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            if (same(got[i], expected[i])) continue;
            if (++mismatches_ <= 4) ADD_FAILURE() << mismatch(f, subject, op, a[i], b[i], c[i], got[i], expected[i]);
        }
        compared_ += count;
    }
    [[nodiscard]] std::size_t mismatches() const { return mismatches_; }
    [[nodiscard]] std::size_t compared() const { return compared_; }

private:
    std::size_t mismatches_ = 0, compared_ = 0;
};

/// Formats with M and E under every policy.
template <int M, int E>
inline constexpr std::array<Format, 8> kAllPolicies = [] {
    std::array<Format, 8> all{};
    std::size_t i = 0;
    for (Rounding r : {Rounding::toward_zero, Rounding::nearest_even})
        for (Subnormals s : {Subnormals::flush, Subnormals::gradual})
            for (Overflow o : {Overflow::infinity, Overflow::saturate}) all[i++] = Format{M, E, r, s, o};
    return all;
}();

/// The same without the two that no operation can tell from others: truncation never overflows.
template <int M, int E>
inline constexpr std::array<Format, 6> kDistinctPolicies = [] {
    std::array<Format, 6> some{};
    std::size_t i = 0;
    for (const Format& f : kAllPolicies<M, E>)
        if (f == f.canonical()) some[i++] = f;
    return some;
}();

/// Every implementation under every policy against the judge, block by block.
template <const auto& kFormats> class Court {
    static constexpr std::size_t kCount = kFormats.size();

public:
    Court(std::size_t block_size, int operand_precision)
        : judge_(kFormats[0], operand_precision), block_(block_size),
          subjects_(make_subjects(block_size, std::make_index_sequence<kCount>())) {
        for (const Format& f : kFormats) {
            if (f.template fits<float>()) {
                in_float_.emplace_back(f, VectorUnit<float>::Path::fastest, block_size);
                portable_float_.emplace_back(f, VectorUnit<float>::Path::portable, block_size);
            }
            in_double_.emplace_back(f, VectorUnit<double>::Path::fastest, block_size);
            portable_double_.emplace_back(f, VectorUnit<double>::Path::portable, block_size);
        }
    }

    Block<kCount>& block() { return block_; }
    Verdict& verdict() { return verdict_; }

    struct Docket {
        bool gradual_only = false; ///< operands are subnormal: formats that flush are left out
        bool exact_only = false;   ///< operands are not the format's: only mantissa::exact takes them
        bool portable = true;      ///< the kernels' portable path, which calls mantissa::exact, too
    };

    /// Judges the first `count` operands of the block.
    void judge(Op op, std::size_t count, const Docket& docket) {
        for (std::size_t i = 0; i < count; ++i) {
            judge_.form(op, block_.a[i], block_.b[i], block_.c[i]);
            for (std::size_t k = 0; k < kCount; ++k) block_.expected[k][i] = judge_.result(kFormats[k]);
        }
        judge_all(op, count, docket, std::make_index_sequence<kCount>());
    }

private:
    template <std::size_t... K> static auto make_subjects(std::size_t n, std::index_sequence<K...>) {
        return std::tuple<FloatSubject<kFormats[K]>...>(((void)K, n)...);
    }

    template <std::size_t... K>
    void judge_all(Op op, std::size_t count, const Docket& docket, std::index_sequence<K...>) {
        (judge_one<K>(op, count, docket), ...);
    }

    template <std::size_t K> void judge_one(Op op, std::size_t count, const Docket& docket) {
        constexpr Format kF = kFormats[K];
        if (docket.gradual_only && kF.flushes()) return;
        if (op == Op::sqrt && kF.overflow == Overflow::saturate) return; // roots never overflow
        auto& [a, b, c, got, expected] = block_;
        for (std::size_t i = 0; i < count; ++i) got[i] = exact::apply(op, kF, a[i], b[i], c[i], 0);
        verdict_.compare(kF, "exact", op, a, b, c, got, expected[K], count);
        if (docket.exact_only) return;
        const auto hear = [&](auto& subject, const std::string& name) {
            subject.apply(op, a, b, c, got, count);
            verdict_.compare(kF, name, op, a, b, c, got, expected[K], count);
        };
        hear(std::get<K>(subjects_), "Float");
        constexpr bool kInFloat = kF.template fits<float>();
        if constexpr (kInFloat) hear(in_float_[K], in_float_[K].name());
        hear(in_double_[K], in_double_[K].name());
        if (!docket.portable) return;
        if constexpr (kInFloat) hear(portable_float_[K], portable_float_[K].name());
        else hear(portable_double_[K], portable_double_[K].name());
    }

    Judge judge_;
    Block<kCount> block_;
    decltype(make_subjects(0, std::make_index_sequence<kCount>())) subjects_;
    std::vector<KernelSubject<float>> in_float_, portable_float_;
    std::vector<KernelSubject<double>> in_double_, portable_double_;
    Verdict verdict_;
};

} // namespace mantissa::judge
