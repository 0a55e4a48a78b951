#include "vendor_recurrences.hpp"

#include <cublas_v2.h>
#include <cusparse.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../vendor_library.hpp"
#include "mantissa/gpu/device.hpp"
#include "mantissa/sparse/formats.hpp"

namespace mantissa::gpu {

namespace {

#define MANTISSA_RIVAL_CALL(library, name, symbol)                                                                     \
    const decltype(&::symbol) name = library().function<decltype(&::symbol)>(#symbol)

struct Calls {
    MANTISSA_RIVAL_CALL(cusparse, sparse_create, cusparseCreate);
    MANTISSA_RIVAL_CALL(cusparse, create_csr, cusparseCreateCsr);
    MANTISSA_RIVAL_CALL(cusparse, create_vector, cusparseCreateDnVec);
    MANTISSA_RIVAL_CALL(cusparse, sparse_destroy, cusparseDestroy);
    MANTISSA_RIVAL_CALL(cusparse, destroy_vector, cusparseDestroyDnVec);
    MANTISSA_RIVAL_CALL(cusparse, destroy_matrix, cusparseDestroySpMat);
    MANTISSA_RIVAL_CALL(cusparse, product, cusparseSpMV);
    MANTISSA_RIVAL_CALL(cusparse, product_size, cusparseSpMV_bufferSize);
    MANTISSA_RIVAL_CALL(cusparse, product_prepare, cusparseSpMV_preprocess);
    MANTISSA_RIVAL_CALL(cublas, blas_create, cublasCreate_v2);
    MANTISSA_RIVAL_CALL(cublas, blas_destroy, cublasDestroy_v2);
    MANTISSA_RIVAL_CALL(cublas, ddot, cublasDdot_v2);
    MANTISSA_RIVAL_CALL(cublas, sdot, cublasSdot_v2);
    MANTISSA_RIVAL_CALL(cublas, daxpy, cublasDaxpy_v2);
    MANTISSA_RIVAL_CALL(cublas, saxpy, cublasSaxpy_v2);
    MANTISSA_RIVAL_CALL(cublas, dscal, cublasDscal_v2);
    MANTISSA_RIVAL_CALL(cublas, sscal, cublasSscal_v2);
    MANTISSA_RIVAL_CALL(cublas, dgemv, cublasDgemv_v2);
    MANTISSA_RIVAL_CALL(cublas, sgemv, cublasSgemv_v2);
    MANTISSA_RIVAL_CALL(cusparse, point_vector, cusparseDnVecSetValues);
};
const Calls& calls() {
    static const Calls all;
    return all;
}
void sparse_ok(cusparseStatus_t status, const char* call) {
    if (status != CUSPARSE_STATUS_SUCCESS) throw DeviceError(call, "cuSPARSE status " + std::to_string(status));
}
void blas_ok(cublasStatus_t status, const char* call) {
    if (status != CUBLAS_STATUS_SUCCESS) throw DeviceError(call, "cuBLAS status " + std::to_string(status));
}

/// cuBLAS on vectors of one length.
template <class T> class Blas {
public:
    explicit Blas(int n) : n_(n) { blas_ok(calls().blas_create(&handle_), "cublasCreate"); }
    Blas(const Blas&) = delete;
    Blas& operator=(const Blas&) = delete;
    ~Blas() { static_cast<void>(calls().blas_destroy(handle_)); }
    [[nodiscard]] T dot(const Buffer<T>& x, const Buffer<T>& y) const {
        T s = 0;
        if constexpr (sizeof(T) == 8) blas_ok(calls().ddot(handle_, n_, x.data(), 1, y.data(), 1, &s), "cublasDdot");
        else blas_ok(calls().sdot(handle_, n_, x.data(), 1, y.data(), 1, &s), "cublasSdot");
        return s;
    }
    void axpy(T a, const Buffer<T>& x, const Buffer<T>& y) const {
        if constexpr (sizeof(T) == 8) blas_ok(calls().daxpy(handle_, n_, &a, x.data(), 1, y.data(), 1), "cublasDaxpy");
        else blas_ok(calls().saxpy(handle_, n_, &a, x.data(), 1, y.data(), 1), "cublasSaxpy");
    }
    void scale(T a, const Buffer<T>& x) const { scale_at(a, x.data()); }
    void scale_at(T a, T* x) const {
        if constexpr (sizeof(T) == 8) blas_ok(calls().dscal(handle_, n_, &a, x, 1), "cublasDscal");
        else blas_ok(calls().sscal(handle_, n_, &a, x, 1), "cublasSscal");
    }
    /// y = a V x + b y, or V^T x; V has `columns` of them.
    void product(bool transposed, int columns, T a, const T* v, const T* x, T b, T* y) const {
        const cublasOperation_t op = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
        if constexpr (sizeof(T) == 8)
            blas_ok(calls().dgemv(handle_, op, n_, columns, &a, v, n_, x, 1, &b, y, 1), "cublasDgemv");
        else blas_ok(calls().sgemv(handle_, op, n_, columns, &a, v, n_, x, 1, &b, y, 1), "cublasSgemv");
    }

private:
    int n_;
    cublasHandle_t handle_ = nullptr;
};

/// v = A p and t = A r by cusparseSpMV.
template <class T> class Products {
public:
    Products(const CompressedRows& a, const Buffer<T>& p, const Buffer<T>& v, const Buffer<T>& r, const Buffer<T>& t)
        : begin_(to_device(signed_copy(narrow_row_begin(a)))), column_(to_device(signed_copy(a.column()))),
          value_(to_device(std::vector<T>(a.value().begin(), a.value().end()))) {
        const auto n = static_cast<std::int64_t>(a.rows());
        sparse_ok(calls().sparse_create(&handle_), "cusparseCreate");
        sparse_ok(calls().create_csr(&matrix_, n, n, static_cast<std::int64_t>(a.nonzeros()), begin_.data(),
                                     column_.data(), value_.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                     CUSPARSE_INDEX_BASE_ZERO, kType),
                  "cusparseCreateCsr");
        const Buffer<T>* const vectors[4] = {&p, &v, &r, &t};
        for (int k = 0; k < 4; ++k)
            sparse_ok(calls().create_vector(&vector_[k], n, vectors[k]->data(), kType), "cusparseCreateDnVec");
        std::size_t bytes = 0;
        sparse_ok(calls().product_size(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, vector_[0], &zero_,
                                       vector_[1], kType, CUSPARSE_SPMV_ALG_DEFAULT, &bytes),
                  "cusparseSpMV_bufferSize");
        workspace_.allocate(std::max<std::size_t>(bytes, 16));
        sparse_ok(calls().product_prepare(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, vector_[0], &zero_,
                                          vector_[1], kType, CUSPARSE_SPMV_ALG_DEFAULT, workspace_.data()),
                  "cusparseSpMV_preprocess");
    }
    Products(const Products&) = delete;
    Products& operator=(const Products&) = delete;
    ~Products() {
        for (cusparseDnVecDescr_t v : vector_) static_cast<void>(calls().destroy_vector(v));
        static_cast<void>(calls().destroy_matrix(matrix_));
        static_cast<void>(calls().sparse_destroy(handle_));
    }
    void of_direction() const { product(0); }
    void of_residual() const { product(2); }
    /// to = A from.
    void of(T* from, T* to) const {
        sparse_ok(calls().point_vector(vector_[0], from), "cusparseDnVecSetValues");
        sparse_ok(calls().point_vector(vector_[1], to), "cusparseDnVecSetValues");
        product(0);
    }

private:
    static constexpr cudaDataType kType = sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F;
    static std::vector<std::int32_t> signed_copy(const std::vector<std::uint32_t>& v) { return {v.begin(), v.end()}; }
    void product(int from) const {
        sparse_ok(calls().product(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, vector_[from], &zero_,
                                  vector_[from + 1], kType, CUSPARSE_SPMV_ALG_DEFAULT, workspace_.data()),
                  "cusparseSpMV");
    }

    Buffer<std::int32_t> begin_, column_;
    Buffer<T> value_;
    Buffer<unsigned char> workspace_;
    cusparseHandle_t handle_ = nullptr;
    cusparseSpMatDescr_t matrix_ = nullptr;
    cusparseDnVecDescr_t vector_[4] = {};
    T one_ = 1, zero_ = 0;
};

template <class T>
VendorRecurrence run(const CompressedRows& a, std::span<const double> b, double tolerance, std::uint32_t limit) {
    const std::vector<T> right(b.begin(), b.end());
    const Buffer<T> r = to_device(right), h = to_device(right);
    Buffer<T> u(a.rows()), p(a.rows()), v(a.rows()), t(a.rows());
    for (Buffer<T>* x : {&u, &p, &v, &t}) x->zero();
    const Products<T> products(a, p, v, r, t);
    const Blas<T> blas(static_cast<int>(a.rows()));
    products.of_direction(); // loads the kernels
    T square = blas.dot(r, r), rho = square, alpha = 0, omega = 0, beta = 0;
    const double first = static_cast<double>(square), goal = tolerance * tolerance * first;
    VendorRecurrence result;
    Timer timer;
    timer.start();
    while (result.iterations<limit&& static_cast<double>(square)> goal) {
        blas.axpy(-omega, v, p);
        blas.scale(beta, p);
        blas.axpy(T(1), r, p);
        products.of_direction();
        alpha = rho / blas.dot(h, v);
        blas.axpy(alpha, p, u);
        blas.axpy(-alpha, v, r);
        products.of_residual();
        omega = blas.dot(t, r) / blas.dot(t, t);
        blas.axpy(omega, r, u);
        blas.axpy(-omega, t, r);
        square = blas.dot(r, r);
        const T next = blas.dot(h, r);
        beta = next / rho * (alpha / omega);
        rho = next;
        ++result.iterations;
    }
    result.seconds = timer.stop();
    result.recursive_residual = std::sqrt(static_cast<double>(square) / first);
    return result;
}

template <class T>
VendorRecurrence run_chebyshev(const CompressedRows& a, std::span<const double> b, double low, double high,
                               double tolerance, std::uint32_t limit) {
    constexpr std::uint32_t kBetweenLooks = 32;
    const Buffer<T> r = to_device(std::vector<T>(b.begin(), b.end()));
    Buffer<T> u(a.rows()), p(a.rows()), q(a.rows());
    for (Buffer<T>* x : {&u, &p, &q}) x->zero();
    const Products<T> products(a, p, q, p, q);
    const Blas<T> blas(static_cast<int>(a.rows()));
    products.of_direction(); // loads the kernels
    blas.scale(T(0), q);
    const double theta = (high + low) / 2, delta = (high - low) / 2;
    const double first = static_cast<double>(blas.dot(r, r)), goal = tolerance * tolerance * first;
    double square = first, alpha = 1 / theta, beta = 0;
    VendorRecurrence result;
    Timer timer;
    timer.start();
    while (result.iterations < limit && square > goal) {
        blas.scale(static_cast<T>(beta), p);
        blas.axpy(T(1), r, p);
        products.of_direction();
        blas.axpy(static_cast<T>(alpha), p, u);
        blas.axpy(static_cast<T>(-alpha), q, r);
        beta = delta * alpha * (delta * alpha) * (result.iterations == 0 ? 0.5 : 0.25);
        alpha = 1 / (theta - beta / alpha);
        if (++result.iterations % kBetweenLooks == 0) square = static_cast<double>(blas.dot(r, r));
    }
    result.seconds = timer.stop();
    result.recursive_residual = std::sqrt(square / first);
    return result;
}

/// A cycle's least-squares problem, on the host.
class Rotations {
public:
    explicit Rotations(std::size_t steps) : c_(steps), s_(steps), g_(steps + 1), column_(steps) {}
    void begin(double norm) {
        steps_ = 0;
        g_[0] = norm;
    }
    /// Takes the products with the basis, the norm after them last. Returns what is left of the residual's norm.
    double add(std::vector<double> h) {
        const std::size_t j = steps_++;
        for (std::size_t k = 0; k < j; ++k) {
            const double upper = h[k], lower = h[k + 1];
            h[k] = c_[k] * upper + s_[k] * lower;
            h[k + 1] = c_[k] * lower - s_[k] * upper;
        }
        const double d = std::hypot(h[j], h[j + 1]);
        c_[j] = h[j] / d;
        s_[j] = h[j + 1] / d;
        h[j] = d;
        g_[j + 1] = -s_[j] * g_[j];
        g_[j] *= c_[j];
        column_[j] = std::move(h);
        return std::fabs(g_[j + 1]);
    }
    [[nodiscard]] std::vector<double> solution() const {
        std::vector<double> y(steps_);
        for (std::size_t i = steps_; i-- > 0;) {
            y[i] = g_[i];
            for (std::size_t k = i + 1; k < steps_; ++k) y[i] -= column_[k][i] * y[k];
            y[i] /= column_[i][i];
        }
        return y;
    }

private:
    std::vector<double> c_, s_, g_;
    std::vector<std::vector<double>> column_;
    std::size_t steps_ = 0;
};

/// Classical Gram-Schmidt twice, by gemv: what cuBLAS does best.
template <class T>
VendorRecurrence run_gmres(const CompressedRows& a, std::span<const double> b, double tolerance, std::uint32_t limit,
                           std::size_t restart) {
    const std::size_t n = a.rows();
    const Buffer<T> right = to_device(std::vector<T>(b.begin(), b.end()));
    Buffer<T> u(n), w(n), basis(n * (restart + 1)), small(restart + 1);
    for (Buffer<T>* x : {&u, &w}) x->zero();
    const Products<T> products(a, u, w, u, w);
    const Blas<T> blas(static_cast<int>(n));
    products.of_direction(); // loads the kernels
    const double first = std::sqrt(static_cast<double>(blas.dot(right, right))), goal = tolerance * first;
    Rotations rotations(restart);
    VendorRecurrence result;
    double norm = first;
    Timer timer;
    timer.start();
    const auto unit = [&](T* to, double length) { // w / length
        check(cudaMemcpyAsync(to, w.data(), n * sizeof(T), cudaMemcpyDeviceToDevice, nullptr), "cudaMemcpy");
        blas.scale_at(static_cast<T>(1 / length), to);
    };
    while (norm > goal && result.iterations < limit) {
        products.of(u.data(), w.data());
        blas.scale(T(-1), w);
        blas.axpy(T(1), right, w);
        norm = std::sqrt(static_cast<double>(blas.dot(w, w)));
        if (!(norm > goal)) break;
        rotations.begin(norm);
        unit(basis.data(), norm);
        double left = norm;
        std::size_t j = 0;
        while (j < restart && left > goal && result.iterations < limit) {
            products.of(basis.data() + j * n, w.data());
            const int columns = static_cast<int>(++j);
            std::vector<double> h(j + 1, 0.0);
            for (int twice = 0; twice < 2; ++twice) {
                blas.product(true, columns, T(1), basis.data(), w.data(), T(0), small.data());
                blas.product(false, columns, T(-1), basis.data(), small.data(), T(1), w.data());
                std::vector<T> part(j);
                small.download(part);
                for (std::size_t i = 0; i < j; ++i) h[i] += static_cast<double>(part[i]);
            }
            h[j] = std::sqrt(static_cast<double>(blas.dot(w, w)));
            unit(basis.data() + j * n, h[j]);
            left = rotations.add(std::move(h));
            ++result.iterations;
        }
        const std::vector<double> y = rotations.solution();
        small.upload(std::vector<T>(y.begin(), y.end()));
        blas.product(false, static_cast<int>(j), T(1), basis.data(), small.data(), T(1), u.data());
        norm = left;
    }
    result.seconds = timer.stop();
    result.recursive_residual = norm / first;
    return result;
}

} // namespace

VendorRecurrence library_gmres(const CompressedRows& a, std::span<const double> b, bool single_precision,
                               double tolerance, std::uint32_t limit, std::size_t restart) {
    static_cast<void>(require_device());
    return single_precision ? run_gmres<float>(a, b, tolerance, limit, restart)
                            : run_gmres<double>(a, b, tolerance, limit, restart);
}

VendorRecurrence library_bicgstab(const CompressedRows& a, std::span<const double> b, bool single_precision,
                                  double tolerance, std::uint32_t limit) {
    static_cast<void>(require_device());
    return single_precision ? run<float>(a, b, tolerance, limit) : run<double>(a, b, tolerance, limit);
}

VendorRecurrence library_chebyshev(const CompressedRows& a, std::span<const double> b, double low, double high,
                                   bool single_precision, double tolerance, std::uint32_t limit) {
    static_cast<void>(require_device());
    return single_precision ? run_chebyshev<float>(a, b, low, high, tolerance, limit)
                            : run_chebyshev<double>(a, b, low, high, tolerance, limit);
}

} // namespace mantissa::gpu
