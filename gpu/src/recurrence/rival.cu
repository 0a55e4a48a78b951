#include "rival.hpp"

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

#define MANTISSA_BICGSTAB_CALL(library, name, symbol)                                                                  \
    const decltype(&::symbol) name = library().function<decltype(&::symbol)>(#symbol)

struct Calls {
    MANTISSA_BICGSTAB_CALL(cusparse, sparse_create, cusparseCreate);
    MANTISSA_BICGSTAB_CALL(cusparse, create_csr, cusparseCreateCsr);
    MANTISSA_BICGSTAB_CALL(cusparse, create_vector, cusparseCreateDnVec);
    MANTISSA_BICGSTAB_CALL(cusparse, sparse_destroy, cusparseDestroy);
    MANTISSA_BICGSTAB_CALL(cusparse, destroy_vector, cusparseDestroyDnVec);
    MANTISSA_BICGSTAB_CALL(cusparse, destroy_matrix, cusparseDestroySpMat);
    MANTISSA_BICGSTAB_CALL(cusparse, product, cusparseSpMV);
    MANTISSA_BICGSTAB_CALL(cusparse, product_size, cusparseSpMV_bufferSize);
    MANTISSA_BICGSTAB_CALL(cusparse, product_prepare, cusparseSpMV_preprocess);
    MANTISSA_BICGSTAB_CALL(cublas, blas_create, cublasCreate_v2);
    MANTISSA_BICGSTAB_CALL(cublas, blas_destroy, cublasDestroy_v2);
    MANTISSA_BICGSTAB_CALL(cublas, ddot, cublasDdot_v2);
    MANTISSA_BICGSTAB_CALL(cublas, sdot, cublasSdot_v2);
    MANTISSA_BICGSTAB_CALL(cublas, daxpy, cublasDaxpy_v2);
    MANTISSA_BICGSTAB_CALL(cublas, saxpy, cublasSaxpy_v2);
    MANTISSA_BICGSTAB_CALL(cublas, dscal, cublasDscal_v2);
    MANTISSA_BICGSTAB_CALL(cublas, sscal, cublasSscal_v2);
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
    void scale(T a, const Buffer<T>& x) const {
        if constexpr (sizeof(T) == 8) blas_ok(calls().dscal(handle_, n_, &a, x.data(), 1), "cublasDscal");
        else blas_ok(calls().sscal(handle_, n_, &a, x.data(), 1), "cublasSscal");
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
RivalBicgstab run(const CompressedRows& a, std::span<const double> b, double tolerance, std::uint32_t limit) {
    const std::vector<T> right(b.begin(), b.end());
    const Buffer<T> r = to_device(right), h = to_device(right);
    Buffer<T> u(a.rows()), p(a.rows()), v(a.rows()), t(a.rows());
    for (Buffer<T>* x : {&u, &p, &v, &t}) x->zero();
    const Products<T> products(a, p, v, r, t);
    const Blas<T> blas(static_cast<int>(a.rows()));
    products.of_direction(); // loads the kernels
    T square = blas.dot(r, r), rho = square, alpha = 0, omega = 0, beta = 0;
    const double first = static_cast<double>(square), goal = tolerance * tolerance * first;
    RivalBicgstab result;
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

} // namespace

RivalBicgstab library_bicgstab(const CompressedRows& a, std::span<const double> b, bool single_precision,
                               double tolerance, std::uint32_t limit) {
    static_cast<void>(require_device());
    return single_precision ? run<float>(a, b, tolerance, limit) : run<double>(a, b, tolerance, limit);
}

} // namespace mantissa::gpu
