// A sparse matrix on the device in one of the formats, with its products and its solves. Here is the class; what its
// methods do stands in sparse_matrix_formats.cuh (upload, products), sparse_matrix_solve.cuh (one right-hand side) and
// sparse_matrix_several.cuh (several at once).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "mantissa/gpu/device.hpp"
#include "mantissa/gpu/sparse_solver.hpp"
#include "mantissa/sparse/formats.hpp"
#include "mantissa/sparse/sliced_ell.hpp"
#include "schedules/textbook_cg.cuh"
#include "sparse/sparse_kernels.cuh"
#include "sparse/sparse_products_complex.cuh"
#include "sparse/sparse_resident.hpp"
#include "sparse/sparse_several.cuh"

namespace mantissa::gpu {

/// A matrix on the device in either arithmetic; the methods are those of SparseMatrix.
class DeviceMatrixBase {
public:
    DeviceMatrixBase() = default;
    virtual ~DeviceMatrixBase() = default;
    DeviceMatrixBase(const DeviceMatrixBase&) = delete;
    DeviceMatrixBase& operator=(const DeviceMatrixBase&) = delete;
    virtual void apply(std::span<const double> x, std::span<double> y) const = 0;
    [[nodiscard]] virtual bool fits_chip() const = 0;
    [[nodiscard]] virtual std::function<double()> product_batches(bool dependent) const = 0;
    virtual SparseCgReport solve(std::span<const double> b, double tolerance, std::uint32_t limit, bool jacobi,
                                 std::vector<double>* x, SparseHistory* history) const = 0;
    virtual TextbookReport textbook(std::span<const double> b, const TextbookOptions& options,
                                    std::vector<double>* x) const = 0;
    virtual void apply_several(std::span<const std::vector<double>> x, std::vector<std::vector<double>>& y) const = 0;
    virtual std::vector<SparseCgReport> solve_several(std::span<const std::vector<double>> b, double tolerance,
                                                      std::uint32_t limit, std::vector<std::vector<double>>* x,
                                                      SeveralPlan plan, const SparseLook& look) const = 0;
};

template <class T> class DeviceMatrix final : public DeviceMatrixBase {
public:
    DeviceMatrix(const CompressedRows& a, SparseFormat format);
    DeviceMatrix(const CompressedRows& a, const SlicedOptions& options);
    explicit DeviceMatrix(const System& system);
    void apply(std::span<const double> x, std::span<double> y) const override;
    [[nodiscard]] bool fits_chip() const override { return resident_one_.of(host_) != nullptr; }
    std::function<double()> product_batches(bool dependent) const override;
    SparseCgReport solve(std::span<const double> b, double tolerance, std::uint32_t limit, bool jacobi,
                         std::vector<double>* solution, SparseHistory* history) const override;
    TextbookReport textbook(std::span<const double> b, const TextbookOptions& options,
                            std::vector<double>* solution) const override;
    void apply_several(std::span<const std::vector<double>> x, std::vector<std::vector<double>>& y) const override;
    std::vector<SparseCgReport> solve_several(std::span<const std::vector<double>> b, double tolerance,
                                              std::uint32_t limit, std::vector<std::vector<double>>* x,
                                              SeveralPlan plan, const SparseLook& look) const override;

private:
    static constexpr int kMostTogether = 3;
    /// Made when it is first wanted.
    template <int N> struct Resident {
        bool tried = false;
        std::unique_ptr<ResidentMatrix<N, T>> matrix;
        const ResidentMatrix<N, T>* of(const CompressedRows& a) {
            if (!tried) matrix = ResidentMatrix<N, T>::make(a);
            tried = true;
            return matrix.get();
        }
    };
    using Operator =
        std::variant<CrsProduct<T>, ShortRowsProduct<T>, BlockProduct<T, 2>, BlockProduct<T, 4>, ComplexProduct<T>,
                     JdsRowProduct<T>, JdsProduct<T>, SlicedProduct<T, 4>, SlicedProduct<T, 8>, OrderedProduct<T, 4>,
                     OrderedProduct<T, 8>, SlicedComplexProduct<T>, BandProduct<T>>;

    // sparse_matrix_formats.cuh
    template <class Kind> double threads_of(const Kind& a) const;
    static Buffer<T> values_to_device(const std::vector<double>& value);
    void upload(const std::vector<std::uint32_t>& begin, const std::vector<std::uint32_t>& column,
                const std::vector<double>& value);
    template <int B> BlockProduct<T, B> blocks(const CompressedRows& a);
    void upload(const SlicedEll& s);
    SlicedComplexProduct<T> sliced_complex(const SlicedEll& s);
    template <int U> SlicedProduct<T, U> sliced(const SlicedEll& s);
    /// Rows that take many steps have more of them under way.
    void take_sliced(const CompressedRows& a, const SlicedOptions& options);
    void take_ordered(const CompressedRows& a);
    void allocate_vectors();
    /// How many blocks of 256 threads a product has: as many as are at work at once on this card, each with its share
    /// of the rows, or a thread for every row.
    enum class Grid : std::uint8_t { at_once, all };
    template <class Kind> [[nodiscard]] unsigned blocks_for(const Kind& a, Grid grid) const;
    /// Whether the two differ.
    [[nodiscard]] bool grids_differ() const;
    void product(cudaStream_t stream = nullptr, bool dependent = false, Grid grid = Grid::at_once) const;
    void cg_product(cudaStream_t stream, const T* inverse, double* partial, SparseStatus* status, bool counts) const;

    // sparse_matrix_solve.cuh
    /// 1 / a_ii, or ones.
    [[nodiscard]] std::vector<T> inverse_diagonal(bool jacobi) const;
    /// x += c with A c = d, solved from c = 0 until the recursion's ||r|| is below `goal` or the report's iterations
    /// reach `limit`; counts and the end go to the report.
    void correct(const Buffer<T>& inverse, const std::vector<double>& d, double goal, std::uint32_t limit,
                 std::vector<double>& x, SparseCgReport& report, const HistoryRecorder* history) const;

    // sparse_matrix_several.cuh
    /// The elements of a row of all vectors together, zeros where there is none.
    template <int N> std::vector<T> together(std::span<const std::vector<double>> vectors) const;
    /// work(operator, buffers for its sums of N vectors).
    template <int N, class Work> void with_operator(Work&& work) const;
    /// As many blocks as have work, and no more than run at once.
    template <class Kernel> static unsigned blocks_at_once(Kernel kernel, double threads, double most_blocks = 1e9);
    template <int N>
    void apply_together(std::span<const std::vector<double>> x, std::vector<std::vector<double>>& y) const;
    template <int N>
    std::vector<SparseCgReport> solve_together(std::span<const std::vector<double>> b, double tolerance,
                                               std::uint32_t limit, std::vector<std::vector<double>>* solution,
                                               Resident<N>& resident, SeveralPlan plan, const SparseLook& look) const;
    /// As correct(), for all active columns. `norm`: of each b, what `look` counts in.
    template <int N>
    void correct_together(const Buffer<T>& inverse, std::span<const std::vector<double>> d,
                          const std::vector<double>& goal, const std::vector<bool>& active, std::uint32_t limit,
                          bool again, const Buffer<T>& p, const Buffer<T>& q, std::vector<std::vector<double>>& x,
                          std::vector<SparseCgReport>& report, const ResidentMatrix<N, T>* on_chip,
                          const std::vector<double>& norm, const SparseLook& look) const;
    /// Two kernels an iteration until all columns have ended, or go_on() of the state says no; returns seconds.
    template <int N>
    double stream_together(const Buffer<T>& inverse, const Buffer<T>& c, const Buffer<T>& r, const Buffer<T>& p,
                           const Buffer<T>& q, bool again, const Buffer<SeveralState<N>>& device_state,
                           SeveralState<N>& state, const std::function<bool()>& go_on) const;

    std::uint32_t rows_;
    std::size_t padded_;
    CompressedRows host_; ///< for the diagonal and the true residual
    Buffer<std::uint32_t> begin_, column_, permutation_, count_;
    Buffer<std::uint8_t> entries_; ///< of each row
    Buffer<T> value_, sums_;
    Buffer<DeviceSlice> slice_;
    Buffer<uint2> long_row_;
    Buffer<double> late_sums_;
    LateProducts late_;
    std::array<Buffer<T>, 9> band_;
    mutable Buffer<T> p_, q_;
    mutable Resident<1> resident_one_;
    mutable Resident<kMostTogether> resident_;
    Operator operator_;
};

} // namespace mantissa::gpu
