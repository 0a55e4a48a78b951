// The operations of a datapath on whole vectors, in any combination of formats: every value is carried in double and
// every operation goes through a VectorUnit of its own format, block by block. The general (and slower) way to run a
// spec, and the building blocks of the reference CG variants.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mantissa/accumulate.hpp"
#include "mantissa/kernels.hpp"
#include "mantissa/spec.hpp"
#include "mantissa/system.hpp"

namespace mantissa {

/// One dot product's outcome, in the scalar format.
struct DotResult {
    double value = 0;
    bool overflow = false; ///< a fixed window overflowed; value is +0
};

/// A datapath's operations on whole vectors, in any combination of formats.
class BlockAlgebra {
public:
    /// Copies what it needs of `system`, coefficients rounded; the system need not outlive the call. Throws
    /// InvalidInput with row_form_refusal()'s line where the spec's order means nothing.
    BlockAlgebra(const System& system, const DatapathSpec& spec, int threads = 1);

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] const DatapathSpec& spec() const { return spec_; }

    /// out = A x: rows formed in the row format by the spec's order, the result in `result`'s format. `x` and `out`
    /// must not overlap.
    void apply(std::span<const double> x, const Format& result, std::span<double> out) const;
    /// out = x + (s y) in `f`, product and sum rounded; out may be x or y.
    void add_scaled(const Format& f, std::span<const double> x, double s, std::span<const double> y,
                    std::span<double> out) const;
    /// out = x - (s y) in `f`.
    void sub_scaled(const Format& f, std::span<const double> x, double s, std::span<const double> y,
                    std::span<double> out) const;
    /// a . b as the spec forms dot products, rounded into the scalar format.
    [[nodiscard]] DotResult dot(std::span<const double> a, std::span<const double> b) const;
    /// The same sum before it is rounded, of a spec whose sums go into a fixed window (dot.fixed).
    [[nodiscard]] FixedAccumulator window_sum(std::span<const double> a, std::span<const double> b) const;

    /// Elements that go through one operation at a time.
    static constexpr std::size_t kBlock = 4096;

private:
    static constexpr std::size_t kWindow = 1024;
    struct Scratch;

    /// Compressed rows as they came, with values rounded.
    struct Rows {
        std::vector<std::uint64_t> begin;
        std::vector<std::uint32_t> column;
        std::vector<double> value;
    };
    /// Sparse rows by windows of kWindow, for chained sums side by side: within a window the rows are ordered by
    /// length, the longest first, and step k holds entry k of every row that has one. Those rows are the first of the
    /// window, so a step is one product and one sum of contiguous arrays.
    struct Jagged {
        std::vector<std::uint32_t> order;        ///< row within its window, by place
        std::vector<std::uint64_t> window_begin; ///< first step of each window, and the end
        std::vector<std::uint64_t> step_begin;   ///< first entry of each step, and the end
        std::vector<std::uint32_t> column;
        std::vector<double> value;
    };
    void load(const Stencil& matrix);
    void load(const Bands& matrix);
    void load(const CompressedRows& matrix);
    void load(const SymmetricBands& matrix);
    void jag(const CompressedRows& rows, std::span<const double> rounded);
    void window_rows(std::size_t window, const double* x, double* out, Scratch& scratch) const;

    void rows(std::size_t begin, std::size_t end, const double* x, double* out, Scratch& scratch) const;
    void product_rows(std::size_t begin, std::size_t end, const double* x, double* out, Scratch& scratch) const;
    void flux_rows(std::size_t begin, std::size_t end, const double* x, double* out, Scratch& scratch) const;
    void second_difference_rows(std::size_t begin, std::size_t end, const double* x, double* out,
                                Scratch& scratch) const;
    void clear_edges(std::size_t begin, std::size_t end, double* out) const;
    void sparse_rows(std::size_t begin, std::size_t end, const double* x, double* out, Scratch& scratch) const;

    template <class Body> void for_blocks(Body&& body) const;

    DatapathSpec spec_;
    int threads_;
    std::size_t size_;
    System::Kind kind_ = System::Kind::stencil; ///< of what rows are formed from (converted_for())
    std::size_t row_length_ = 0;
    // The matrix with its coefficients rounded, which may leave them infinite.
    std::array<double, kBands> stencil_{};
    std::array<std::vector<double>, kBands> bands_;
    std::array<double, kWeights> constant_weight_{}; ///< a stencil's fluxes
    std::array<std::vector<double>, kWeights> weights_;
    double alpha_ = 0, beta_ = 0, gamma_ = 0; ///< second differences
    bool has_row_sums_ = false;
    double constant_row_sum_ = 0;
    std::vector<double> row_sums_;
    Rows rows_;     ///< tree order
    Jagged jagged_; ///< chain order
    VectorUnit<double> row_unit_, product_unit_, accumulator_unit_;
};

} // namespace mantissa
