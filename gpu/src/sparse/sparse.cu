// Sparse matrices on the device: the public class in either arithmetic, and the choice of a format by measurement.
#include "mantissa/gpu/sparse_solver.hpp"

#include <algorithm>
#include <functional>
#include <memory>

#include "mantissa/sparse/reorder.hpp"
#include "sparse/sparse_matrix_formats.cuh"
#include "sparse/sparse_matrix_several.cuh"
#include "sparse/sparse_matrix_solve.cuh"

namespace mantissa::gpu {

struct SparseMatrix::Impl {
    std::unique_ptr<DeviceMatrixBase> matrix;
};

SparseMatrix::SparseMatrix(const CompressedRows& a, SparseFormat format, SparsePrecision precision)
    : impl_(std::make_unique<Impl>()) {
    if (precision == SparsePrecision::single_precision)
        impl_->matrix = std::make_unique<DeviceMatrix<float>>(a, format);
    else impl_->matrix = std::make_unique<DeviceMatrix<double>>(a, format);
}
SparseMatrix::SparseMatrix(const CompressedRows& a, const SlicedOptions& options, SparsePrecision precision)
    : impl_(std::make_unique<Impl>()) {
    if (precision == SparsePrecision::single_precision)
        impl_->matrix = std::make_unique<DeviceMatrix<float>>(a, options);
    else impl_->matrix = std::make_unique<DeviceMatrix<double>>(a, options);
}
SparseMatrix::SparseMatrix(const System& system, SparsePrecision precision) : impl_(std::make_unique<Impl>()) {
    if (precision == SparsePrecision::single_precision) impl_->matrix = std::make_unique<DeviceMatrix<float>>(system);
    else impl_->matrix = std::make_unique<DeviceMatrix<double>>(system);
}
SparseMatrix::~SparseMatrix() = default;
SparseMatrix::SparseMatrix(SparseMatrix&&) noexcept = default;

void SparseMatrix::apply(std::span<const double> x, std::span<double> y) const {
    impl_->matrix->apply(x, y);
}
bool SparseMatrix::fits_chip() const {
    return impl_->matrix->fits_chip();
}
double SparseMatrix::time_product(int repeats) const {
    const std::function<double()> batch = product_batches();
    std::vector<double> seconds;
    for (int i = 0; i < repeats + 2; ++i) {
        const double s = batch();
        if (i >= 2) seconds.push_back(s);
    }
    std::ranges::sort(seconds);
    return seconds[seconds.size() / 2];
}
std::function<double()> SparseMatrix::product_batches(bool dependent) const {
    return impl_->matrix->product_batches(dependent);
}
SparseCgReport SparseMatrix::solve(std::span<const double> b, double tolerance, std::uint32_t max_iterations,
                                   bool jacobi, std::vector<double>* x, SparseHistory* history) const {
    return impl_->matrix->solve(b, tolerance, max_iterations, jacobi, x, history);
}
TextbookReport SparseMatrix::textbook(std::span<const double> b, const TextbookOptions& options,
                                      std::vector<double>* x) const {
    return impl_->matrix->textbook(b, options, x);
}

void SparseMatrix::apply_several(std::span<const std::vector<double>> x, std::vector<std::vector<double>>& y) const {
    impl_->matrix->apply_several(x, y);
}
std::vector<SparseCgReport> SparseMatrix::solve_several(std::span<const std::vector<double>> b, double tolerance,
                                                        std::uint32_t max_iterations,
                                                        std::vector<std::vector<double>>* x, SeveralPlan plan,
                                                        const SparseLook& look) const {
    return impl_->matrix->solve_several(b, tolerance, max_iterations, x, plan, look);
}

namespace {

TimedChoice choose_as_it_is(const CompressedRows& a, SparsePrecision precision) {
    TimedChoice timed;
    timed.reports = report_formats(a, precision == SparsePrecision::single_precision ? 4 : 8);
    for (const FormatReport& r : timed.reports)
        timed.seconds.push_back(SparseMatrix(a, r.format, precision).time_product());
    timed.choice = choose_format(timed.reports, timed.seconds);
    return timed;
}

} // namespace

TimedChoice choose_on_device(const CompressedRows& a, SparsePrecision precision, bool try_reordered) {
    TimedChoice timed = choose_as_it_is(a, precision);
    if (!try_reordered) return timed;
    TimedChoice other = choose_as_it_is(permuted(a, reverse_cuthill_mckee(a)), precision);
    other.reordered = true;
    other.choice.why += ", both after reverse Cuthill-McKee";
    return *std::ranges::min_element(other.seconds) < *std::ranges::min_element(timed.seconds) ? other : timed;
}

} // namespace mantissa::gpu
