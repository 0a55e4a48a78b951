#include "bench/vendor_baselines.hpp"

#include <cublas_v2.h>
#include <cusparse.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <memory>

#include "mantissa/gpu/device.hpp"
#include "mantissa/sparse/formats.hpp"
#include "schedules/graph.hpp"
#include "vendor_library.hpp"

namespace mantissa::gpu {

namespace {

#define MANTISSA_TEXT_OF(x) #x
#define MANTISSA_TEXT(x) MANTISSA_TEXT_OF(x)
/// A member with a vendor's function: the header has its type, the library its address.
#define MANTISSA_CALL(library, name)                                                                                   \
    const decltype(&::name) name = library().function<decltype(&::name)>(MANTISSA_TEXT(name))

struct SparseCalls {
    MANTISSA_CALL(cusparse, cusparseCreate);
    MANTISSA_CALL(cusparse, cusparseCreateBsr);
    MANTISSA_CALL(cusparse, cusparseCreateCsr);
    MANTISSA_CALL(cusparse, cusparseCreateDnVec);
    MANTISSA_CALL(cusparse, cusparseCreateSlicedEll);
    MANTISSA_CALL(cusparse, cusparseDestroy);
    MANTISSA_CALL(cusparse, cusparseDestroyDnVec);
    MANTISSA_CALL(cusparse, cusparseDestroySpMat);
    MANTISSA_CALL(cusparse, cusparseGetErrorString);
    MANTISSA_CALL(cusparse, cusparseSetStream);
    MANTISSA_CALL(cusparse, cusparseSpMV);
    MANTISSA_CALL(cusparse, cusparseSpMV_bufferSize);
    MANTISSA_CALL(cusparse, cusparseSpMV_preprocess);
};
struct BlasCalls {
    MANTISSA_CALL(cublas, cublasCreate);
    MANTISSA_CALL(cublas, cublasDaxpy);
    MANTISSA_CALL(cublas, cublasDdot);
    MANTISSA_CALL(cublas, cublasDestroy);
    MANTISSA_CALL(cublas, cublasDscal);
    MANTISSA_CALL(cublas, cublasGetStatusString);
    MANTISSA_CALL(cublas, cublasSaxpy);
    MANTISSA_CALL(cublas, cublasSdot);
    MANTISSA_CALL(cublas, cublasSscal);
};

const SparseCalls& sparse_calls() {
    static const SparseCalls calls;
    return calls;
}
const BlasCalls& blas_calls() {
    static const BlasCalls calls;
    return calls;
}

void check_sparse(cusparseStatus_t status, const char* call) {
    if (status != CUSPARSE_STATUS_SUCCESS) throw DeviceError(call, sparse_calls().cusparseGetErrorString(status));
}
void check_blas(cublasStatus_t status, const char* call) {
    if (status != CUBLAS_STATUS_SUCCESS) throw DeviceError(call, blas_calls().cublasGetStatusString(status));
}

/// Handles and descriptors that free themselves.
struct Sparse {
    cusparseHandle_t handle = nullptr;
    Sparse() { check_sparse(sparse_calls().cusparseCreate(&handle), "cusparseCreate"); }
    ~Sparse() { static_cast<void>(sparse_calls().cusparseDestroy(handle)); }
    Sparse(const Sparse&) = delete;
    Sparse& operator=(const Sparse&) = delete;
};
struct Blas {
    cublasHandle_t handle = nullptr;
    Blas() { check_blas(blas_calls().cublasCreate(&handle), "cublasCreate"); }
    ~Blas() { static_cast<void>(blas_calls().cublasDestroy(handle)); }
    Blas(const Blas&) = delete;
    Blas& operator=(const Blas&) = delete;
};
struct Descriptor {
    cusparseSpMatDescr_t matrix = nullptr;
    ~Descriptor() {
        if (matrix != nullptr) static_cast<void>(sparse_calls().cusparseDestroySpMat(matrix));
    }
    Descriptor() = default;
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
};
struct DenseVector {
    cusparseDnVecDescr_t vector = nullptr;
    DenseVector(std::int64_t n, void* values, cudaDataType type) {
        check_sparse(sparse_calls().cusparseCreateDnVec(&vector, n, values, type), "cusparseCreateDnVec");
    }
    ~DenseVector() { static_cast<void>(sparse_calls().cusparseDestroyDnVec(vector)); }
    DenseVector(const DenseVector&) = delete;
    DenseVector& operator=(const DenseVector&) = delete;
};

template <class T> constexpr cudaDataType kType = sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F;

/// y = A x by cusparseSpMV with its workspace.
template <class T> class Product {
public:
    Product(const Sparse& sparse, const Descriptor& a, const DenseVector& x, const DenseVector& y,
            cusparseSpMVAlg_t way)
        : sparse_(sparse), a_(a), x_(x), y_(y), way_(way) {
        std::size_t bytes = 0;
        check_sparse(sparse_calls().cusparseSpMV_bufferSize(sparse.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_,
                                                            a.matrix, x.vector, &zero_, y.vector, kType<T>, way,
                                                            &bytes),
                     "cusparseSpMV_bufferSize");
        workspace_.allocate(std::max<std::size_t>(bytes, 16));
        check_sparse(sparse_calls().cusparseSpMV_preprocess(sparse.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_,
                                                            a.matrix, x.vector, &zero_, y.vector, kType<T>, way,
                                                            workspace_.data()),
                     "cusparseSpMV_preprocess");
    }
    void operator()() const {
        check_sparse(sparse_calls().cusparseSpMV(sparse_.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, a_.matrix,
                                                 x_.vector, &zero_, y_.vector, kType<T>, way_, workspace_.data()),
                     "cusparseSpMV");
    }

private:
    const Sparse& sparse_;
    const Descriptor& a_;
    const DenseVector &x_, &y_;
    cusparseSpMVAlg_t way_;
    T one_ = 1, zero_ = 0;
    Buffer<unsigned char> workspace_;
};

/// Seconds of one `work` on the handle's stream, at every call of what is returned: in batches, captured as a graph, as
/// the products here are, so that what a launch costs the host counts for neither.
std::function<double()> captured_batches(const Sparse& sparse, const std::function<void()>& work) {
    constexpr int kBatch = 20;
    const auto graph = std::make_shared<Graph>();
    graph->capture([&](cudaStream_t stream) {
        check_sparse(sparse_calls().cusparseSetStream(sparse.handle, stream), "cusparseSetStream");
        for (int k = 0; k < kBatch; ++k) work();
    });
    check_sparse(sparse_calls().cusparseSetStream(sparse.handle, nullptr), "cusparseSetStream");
    return [graph, timer = std::make_shared<Timer>()] {
        timer->start();
        graph->launch();
        return timer->stop() / kBatch;
    };
}

/// Sliced ELL: slices of 32 rows, column by column, padded with column -1.
struct Sliced {
    std::vector<std::int32_t> offset, column;
    std::vector<double> value;
};
Sliced to_sliced(const CompressedRows& a) {
    const auto rows = static_cast<std::uint32_t>(a.rows());
    const std::vector<std::uint32_t> row_begin = narrow_row_begin(a);
    constexpr std::uint32_t kSlice = 32;
    Sliced s;
    s.offset.push_back(0);
    for (std::uint32_t first = 0; first < rows; first += kSlice) {
        std::uint32_t width = 0;
        for (std::uint32_t r = first; r < std::min(rows, first + kSlice); ++r)
            width = std::max(width, row_begin[r + 1] - row_begin[r]);
        for (std::uint32_t k = 0; k < width; ++k)
            for (std::uint32_t r = first; r < first + kSlice; ++r) {
                const bool there = r < rows && row_begin[r] + k < row_begin[r + 1];
                s.column.push_back(there ? static_cast<std::int32_t>(a.column()[row_begin[r] + k]) : -1);
                s.value.push_back(there ? a.value()[row_begin[r] + k] : 0.0);
            }
        s.offset.push_back(static_cast<std::int32_t>(s.column.size()));
    }
    return s;
}

/// Everything that the captured products of one matrix need, as long as one of them is there.
template <class T> struct Products {
    Sparse sparse;
    Buffer<T> x, y;
    std::deque<Buffer<std::int32_t>> indices;
    std::deque<Buffer<T>> values;
    std::deque<Descriptor> matrices;
    std::deque<DenseVector> vectors;
    std::deque<Product<T>> products;

    const std::int32_t* keep(const std::vector<std::uint32_t>& v) {
        return indices.emplace_back(to_device(std::vector<std::int32_t>(v.begin(), v.end()))).data();
    }
    const std::int32_t* keep(const std::vector<std::int32_t>& v) { return indices.emplace_back(to_device(v)).data(); }
    const T* keep(const std::vector<double>& v) {
        return values.emplace_back(to_device(std::vector<T>(v.begin(), v.end()))).data();
    }
};

template <class T> std::vector<VendorProduct> vendor_products(const CompressedRows& a) {
    const auto all = std::make_shared<Products<T>>();
    const auto rows = static_cast<std::uint32_t>(a.rows());
    const std::size_t padded = (a.rows() + 3) / 4 * 4;
    std::vector<T> host(padded, T(0));
    for (std::uint32_t i = 0; i < rows; ++i) host[i] = static_cast<T>(1.0 + 1e-3 * (i % 97));
    std::vector<double> want(rows, 0.0);
    double largest = 0;
    for (std::uint32_t i = 0; i < rows; ++i) {
        for (std::uint64_t k = a.row_begin()[i]; k < a.row_begin()[i + 1]; ++k)
            want[i] += a.value()[k] * static_cast<double>(host[a.column()[k]]);
        largest = std::max(largest, std::abs(want[i]));
    }
    all->x = to_device(host);
    all->y.allocate(padded);
    std::vector<VendorProduct> list;
    const auto add = [&](const std::string& name, std::int64_t size, cusparseSpMVAlg_t way) {
        try {
            const auto& vx = all->vectors.emplace_back(size, all->x.data(), kType<T>);
            const auto& vy = all->vectors.emplace_back(size, all->y.data(), kType<T>);
            const Product<T>& product = all->products.emplace_back(all->sparse, all->matrices.back(), vx, vy, way);
            check(cudaMemset(all->y.data(), 0xFF, padded * sizeof(T)), "cudaMemset"); // no element may stay so
            product();
            std::vector<T> got(padded);
            all->y.download(got);
            double error = 0;
            for (std::uint32_t i = 0; i < rows; ++i) {
                const double e = std::abs(static_cast<double>(got[i]) - want[i]);
                if (!(e <= error)) error = e;
            }
            list.push_back({name, largest == 0 ? 0 : error / largest,
                            [all, batch = captured_batches(all->sparse, [&] { product(); })] { return batch(); }});
        } catch (const DeviceError& e) {
            if (e.code() != cudaErrorUnknown) throw; // a CUDA fault is one; a refusal of the library is not
        }
    };
    {
        const auto *const begin = all->keep(narrow_row_begin(a)), *const column = all->keep(a.column());
        const auto* const value = all->keep(a.value());
        check_sparse(sparse_calls().cusparseCreateCsr(
                         &all->matrices.emplace_back().matrix, rows, rows, static_cast<std::int64_t>(a.nonzeros()),
                         const_cast<std::int32_t*>(begin), const_cast<std::int32_t*>(column), const_cast<T*>(value),
                         CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, kType<T>),
                     "cusparseCreateCsr");
        add("cuSPARSE CSR default", rows, CUSPARSE_SPMV_ALG_DEFAULT);
        add("cuSPARSE CSR ALG1", rows, CUSPARSE_SPMV_CSR_ALG1);
        add("cuSPARSE CSR ALG2", rows, CUSPARSE_SPMV_CSR_ALG2);
    }
    {
        const Sliced s = to_sliced(a);
        const auto *const offset = all->keep(s.offset), *const column = all->keep(s.column);
        const auto* const value = all->keep(s.value);
        check_sparse(sparse_calls().cusparseCreateSlicedEll(
                         &all->matrices.emplace_back().matrix, rows, rows, static_cast<std::int64_t>(a.nonzeros()),
                         static_cast<std::int64_t>(s.value.size()), 32, const_cast<std::int32_t*>(offset),
                         const_cast<std::int32_t*>(column), const_cast<T*>(value), CUSPARSE_INDEX_32I,
                         CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, kType<T>),
                     "cusparseCreateSlicedEll");
        add("cuSPARSE SELL", rows, CUSPARSE_SPMV_SELL_ALG1);
    }
    for (const std::uint32_t block : {2U, 4U}) {
        const Bcrs b = to_bcrs(a, block);
        const auto *const begin = all->keep(b.row_begin), *const column = all->keep(b.column);
        const auto* const value = all->keep(b.value);
        check_sparse(sparse_calls().cusparseCreateBsr(
                         &all->matrices.emplace_back().matrix, b.block_rows(), b.block_rows(),
                         static_cast<std::int64_t>(b.column.size()), block, block, const_cast<std::int32_t*>(begin),
                         const_cast<std::int32_t*>(column), const_cast<T*>(value), CUSPARSE_INDEX_32I,
                         CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, kType<T>, CUSPARSE_ORDER_ROW),
                     "cusparseCreateBsr");
        add("cuSPARSE BSR " + std::to_string(block), std::int64_t{b.block_rows()} * block, CUSPARSE_SPMV_BSR_ALG1);
    }
    return list;
}

/// The interior Poisson matrix of m x m points, rows by grid rows, nine points: 8/3 and -1/3.
template <class T> __global__ void poisson_rows(int m, std::int32_t* begin, std::int32_t* column, T* value) {
    const long long n = static_cast<long long>(m) * m;
    // Entries before column x of a grid row with three neighbours across, and before grid row y.
    const auto before = [](int x) { return x == 0 ? 0 : 3 * x - 1; };
    const int whole = 3 * m - 2;
    for (long long i = blockIdx.x * 256LL + threadIdx.x; i <= n; i += 256LL * gridDim.x) {
        if (i == n) {
            begin[n] = whole * whole;
            continue;
        }
        const int x = static_cast<int>(i % m), y = static_cast<int>(i / m);
        const int high = 3 - (y == 0 ? 1 : 0) - (y == m - 1 ? 1 : 0);
        std::int32_t k = before(y) * whole + high * before(x);
        begin[i] = k;
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) {
                if (x + dx < 0 || x + dx >= m || y + dy < 0 || y + dy >= m) continue;
                column[k] = static_cast<std::int32_t>(i + dy * m + dx);
                value[k++] = dx == 0 && dy == 0 ? T(8.0 / 3) : T(-1.0 / 3);
            }
    }
}
template <class T> __global__ void poisson_rhs(int m, T* b) {
    const double h = 1.0 / (m + 1);
    for (long long i = blockIdx.x * 256LL + threadIdx.x; i < static_cast<long long>(m) * m; i += 256LL * gridDim.x) {
        const double x = h * static_cast<double>(i % m + 1), y = h * static_cast<double>(i / m + 1);
        b[i] = static_cast<T>(h * h * 2 * (x * (1 - x) + y * (1 - y)));
    }
}

float dot(const Blas& b, int n, const float* x, const float* y) {
    float s = 0;
    check_blas(blas_calls().cublasSdot(b.handle, n, x, 1, y, 1, &s), "cublasSdot");
    return s;
}
double dot(const Blas& b, int n, const double* x, const double* y) {
    double s = 0;
    check_blas(blas_calls().cublasDdot(b.handle, n, x, 1, y, 1, &s), "cublasDdot");
    return s;
}
void axpy(const Blas& b, int n, float a, const float* x, float* y) {
    check_blas(blas_calls().cublasSaxpy(b.handle, n, &a, x, 1, y, 1), "cublasSaxpy");
}
void axpy(const Blas& b, int n, double a, const double* x, double* y) {
    check_blas(blas_calls().cublasDaxpy(b.handle, n, &a, x, 1, y, 1), "cublasDaxpy");
}
void scale(const Blas& b, int n, float a, float* x) {
    check_blas(blas_calls().cublasSscal(b.handle, n, &a, x, 1), "cublasSscal");
}
void scale(const Blas& b, int n, double a, double* x) {
    check_blas(blas_calls().cublasDscal(b.handle, n, &a, x, 1), "cublasDscal");
}

template <class T> VendorCg poisson_cg(int level, double tolerance, std::uint32_t limit) {
    const int m = (1 << level) - 1, n = m * m;
    const std::size_t nonzeros = static_cast<std::size_t>(3 * m - 2) * static_cast<std::size_t>(3 * m - 2);
    Buffer<std::int32_t> begin(static_cast<std::size_t>(n) + 1), column(nonzeros);
    Buffer<T> value(nonzeros), x(n), r(n), p(n), q(n);
    poisson_rows<T><<<1024, 256>>>(m, begin.data(), column.data(), value.data());
    poisson_rhs<T><<<1024, 256>>>(m, r.data());
    check(cudaGetLastError(), "launch of poisson_rows");
    x.zero();
    check(cudaMemcpy(p.data(), r.data(), static_cast<std::size_t>(n) * sizeof(T), cudaMemcpyDeviceToDevice),
          "cudaMemcpy");
    const Sparse sparse;
    const Blas blas;
    Descriptor a;
    check_sparse(sparse_calls().cusparseCreateCsr(&a.matrix, n, n, static_cast<std::int64_t>(nonzeros), begin.data(),
                                                  column.data(), value.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                                  CUSPARSE_INDEX_BASE_ZERO, kType<T>),
                 "cusparseCreateCsr");
    const DenseVector vp(n, p.data(), kType<T>), vq(n, q.data(), kType<T>);
    const Product<T> product(sparse, a, vp, vq, CUSPARSE_SPMV_ALG_DEFAULT);
    product(); // warm-up
    VendorCg result;
    T rho = dot(blas, n, r.data(), r.data());
    const double first = static_cast<double>(rho), goal = tolerance * tolerance * first;
    Timer timer;
    timer.start();
    while (result.iterations < limit && (tolerance == 0 || static_cast<double>(rho) > goal)) {
        product();
        const T alpha = rho / dot(blas, n, p.data(), q.data());
        axpy(blas, n, alpha, p.data(), x.data());
        axpy(blas, n, -alpha, q.data(), r.data());
        const T next = dot(blas, n, r.data(), r.data());
        scale(blas, n, next / rho, p.data());
        axpy(blas, n, T(1), r.data(), p.data());
        rho = next;
        ++result.iterations;
    }
    result.seconds = timer.stop();
    result.recursive_residual = std::sqrt(static_cast<double>(rho) / first);
    return result;
}

} // namespace

std::vector<VendorProduct> cusparse_products(const CompressedRows& a, bool single_precision) {
    static_cast<void>(require_device());
    return single_precision ? vendor_products<float>(a) : vendor_products<double>(a);
}

VendorCg library_cg_poisson(int level, bool single_precision, double tolerance, std::uint32_t max_iterations) {
    static_cast<void>(require_device());
    return single_precision ? poisson_cg<float>(level, tolerance, max_iterations)
                            : poisson_cg<double>(level, tolerance, max_iterations);
}

} // namespace mantissa::gpu
