#include "vendor_cg.hpp"

#include <cublas_v2.h>
#include <cusparse.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <memory>
#include <thread>

#include "../../vendor_library.hpp"
#include "mantissa/format.hpp"
#include "mantissa/gpu/peers.hpp"
#include "mantissa/partition/partition.hpp"

namespace mantissa::gpu {

namespace {

/// NCCL's functions, as its header has them: a stable interface, and no header that a build would need.
struct Nccl {
    using Comm = void*;
    static constexpr int kFloat = 7, kDouble = 8, kSum = 0;
    static const VendorLibrary& library() {
        static const VendorLibrary l("libnccl.so.2", "libnccl.so");
        return l;
    }
    int (*init)(Comm*, int, const int*) = library().function<int (*)(Comm*, int, const int*)>("ncclCommInitAll");
    int (*destroy)(Comm) = library().function<int (*)(Comm)>("ncclCommDestroy");
    int (*group_start)() = library().function<int (*)()>("ncclGroupStart");
    int (*group_end)() = library().function<int (*)()>("ncclGroupEnd");
    int (*send)(const void*, std::size_t, int, int, Comm, cudaStream_t) =
        library().function<int (*)(const void*, std::size_t, int, int, Comm, cudaStream_t)>("ncclSend");
    int (*receive)(void*, std::size_t, int, int, Comm, cudaStream_t) =
        library().function<int (*)(void*, std::size_t, int, int, Comm, cudaStream_t)>("ncclRecv");
    int (*all_reduce)(const void*, void*, std::size_t, int, int, Comm, cudaStream_t) =
        library().function<int (*)(const void*, void*, std::size_t, int, int, Comm, cudaStream_t)>("ncclAllReduce");
    const char* (*error)(int) = library().function<const char* (*)(int)>("ncclGetErrorString");
    static const Nccl& get() {
        // Plain peer memory: without these, NCCL was seen to fail or to wait for ever where a machine's containers
        // share no handles. What the user has set stays.
        for (const char* const off : {"NCCL_CUMEM_ENABLE", "NCCL_CUMEM_HOST_ENABLE", "NCCL_NVLS_ENABLE"})
            static_cast<void>(::setenv(off, "0", 0));
        static_cast<void>(::setenv("NCCL_SHM_DISABLE", "1", 0));
        static const Nccl n;
        return n;
    }
    void check(int status, const char* call) const {
        if (status != 0) throw DeviceError(call, error(status));
    }
};

#define MANTISSA_RIVAL_CALL(library, name) static const auto name = library().function<decltype(&::name)>(#name)

void check_sparse(cusparseStatus_t status, const char* call) {
    MANTISSA_RIVAL_CALL(cusparse, cusparseGetErrorString);
    if (status != CUSPARSE_STATUS_SUCCESS) throw DeviceError(call, cusparseGetErrorString(status));
}
void check_blas(cublasStatus_t status, const char* call) {
    if (status != CUBLAS_STATUS_SUCCESS) throw DeviceError(call, "cuBLAS status " + std::to_string(status));
}

template <class T> __global__ void pack(const T* p, const std::uint32_t* row, T* to, std::uint32_t count) {
    for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        to[i] = p[row[i]];
}
/// scalars: rho, pq, alpha, -alpha, beta, rho'
template <class T> __global__ void step_along(T* s) {
    s[2] = s[0] / s[1];
    s[3] = -s[2];
}
template <class T> __global__ void new_direction(T* s) {
    s[4] = s[5] / s[0];
    s[0] = s[5];
}

template <class T> class VendorPart {
public:
    VendorPart(const CompressedRows& a, const Partition& partition, std::uint32_t part, int device, Nccl::Comm comm)
        : part_(partition.parts()[part]), device_(device), comm_(comm) {
        const OnDevice here(device);
        const LocalRows local = local_rows(a, partition, part);
        rows_ = static_cast<std::int64_t>(part_.row.size());
        columns_ = rows_ + local.ghosts;
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
        MANTISSA_RIVAL_CALL(cusparse, cusparseCreate);
        MANTISSA_RIVAL_CALL(cusparse, cusparseSetStream);
        MANTISSA_RIVAL_CALL(cublas, cublasCreate_v2);
        MANTISSA_RIVAL_CALL(cublas, cublasSetStream_v2);
        MANTISSA_RIVAL_CALL(cublas, cublasSetPointerMode_v2);
        MANTISSA_RIVAL_CALL(cublas, cublasSetWorkspace_v2);
        check_sparse(cusparseCreate(&sparse_), "cusparseCreate");
        check_sparse(cusparseSetStream(sparse_, stream_), "cusparseSetStream");
        check_blas(cublasCreate_v2(&blas_), "cublasCreate");
        check_blas(cublasSetStream_v2(blas_, stream_), "cublasSetStream");
        blas_space_.allocate(8 << 20);
        check_blas(cublasSetWorkspace_v2(blas_, blas_space_.data(), blas_space_.size()), "cublasSetWorkspace");
        check_blas(cublasSetPointerMode_v2(blas_, CUBLAS_POINTER_MODE_DEVICE), "cublasSetPointerMode");
        for (Buffer<T>* v : {&x_, &r_, &q_}) v->allocate(static_cast<std::size_t>(rows_));
        p_.allocate(static_cast<std::size_t>(columns_));
        scalars_.allocate(8);
        make_lists();
        upload(local);
        choose_product();
    }
    ~VendorPart() {
        const OnDevice here(device_);
        MANTISSA_RIVAL_CALL(cusparse, cusparseDestroy);
        MANTISSA_RIVAL_CALL(cublas, cublasDestroy_v2);
        if (executable_ != nullptr) static_cast<void>(cudaGraphExecDestroy(executable_));
        static_cast<void>(cusparseDestroy(sparse_));
        static_cast<void>(cublasDestroy_v2(blas_));
        static_cast<void>(cudaStreamDestroy(stream_));
    }
    VendorPart(const VendorPart&) = delete;
    VendorPart& operator=(const VendorPart&) = delete;

    /// x = 0, r = p = ones, rho.
    void reset() {
        const OnDevice here(device_);
        x_.zero();
        const std::vector<T> ones(static_cast<std::size_t>(rows_), T(1));
        r_.upload(ones);
        p_.upload(ones);
        dot(r_.data(), r_.data(), 0);
        check(cudaStreamSynchronize(stream_), "cublas dot");
    }
    /// An iteration that is not captured: NCCL makes its connections in it, which no capture allows.
    void warm() {
        const OnDevice here(device_);
        iterate();
        check(cudaStreamSynchronize(stream_), "a rival's iteration");
    }
    void capture(int batch) {
        const OnDevice here(device_);
        cudaGraph_t graph = nullptr;
        check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
        for (int i = 0; i < batch; ++i) iterate();
        check(cudaStreamEndCapture(stream_, &graph), "cudaStreamEndCapture");
        check(cudaGraphInstantiate(&executable_, graph, 0), "cudaGraphInstantiate");
        static_cast<void>(cudaGraphDestroy(graph));
    }
    void launch() {
        const OnDevice here(device_);
        check(cudaGraphLaunch(executable_, stream_), "cudaGraphLaunch");
    }
    void wait() const {
        const OnDevice here(device_);
        check(cudaStreamSynchronize(stream_), "a rival's iteration");
    }
    void read(std::vector<double>& x) const {
        const OnDevice here(device_);
        std::vector<T> own(static_cast<std::size_t>(rows_));
        x_.download(own);
        for (std::size_t i = 0; i < own.size(); ++i) x[part_.row[i]] = static_cast<double>(own[i]);
    }
    [[nodiscard]] const std::string& product() const { return product_; }

private:
    static constexpr bool kWide = sizeof(T) == 8;
    static constexpr cudaDataType kType = kWide ? CUDA_R_64F : CUDA_R_32F;

    void make_lists() {
        std::vector<std::uint32_t> rows;
        for (const Exchange& e : part_.send)
            for (const std::uint32_t row : e.row)
                rows.push_back(
                    static_cast<std::uint32_t>(std::ranges::lower_bound(part_.row, row) - part_.row.begin()));
        send_row_ = to_device(rows);
        packed_.allocate(rows.size());
    }
    void upload(const LocalRows& local) {
        std::vector<std::int32_t> begin(local.row_begin.begin(), local.row_begin.end());
        std::vector<std::int32_t> column(local.column.begin(), local.column.end());
        csr_begin_ = to_device(begin);
        csr_column_ = to_device(column);
        csr_value_ = to_device(std::vector<T>(local.value.begin(), local.value.end()));
        const auto nonzeros = static_cast<std::int64_t>(column.size());
        MANTISSA_RIVAL_CALL(cusparse, cusparseCreateCsr);
        check_sparse(cusparseCreateCsr(&csr_, rows_, columns_, nonzeros, csr_begin_.data(), csr_column_.data(),
                                       csr_value_.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                       CUSPARSE_INDEX_BASE_ZERO, kType),
                     "cusparseCreateCsr");
        // Slices of 32 rows, column by column, padded with column -1.
        std::vector<std::int32_t> offset{0}, sell_column;
        std::vector<T> sell_value;
        for (std::int64_t first = 0; first < rows_; first += 32) {
            std::int32_t width = 0;
            for (std::int64_t r = first; r < std::min(rows_, first + 32); ++r)
                width = std::max(width, begin[r + 1] - begin[r]);
            for (std::int32_t k = 0; k < width; ++k)
                for (std::int64_t r = first; r < first + 32; ++r) {
                    const bool there = r < rows_ && begin[r] + k < begin[r + 1];
                    sell_column.push_back(there ? column[begin[r] + k] : -1);
                    sell_value.push_back(there ? static_cast<T>(local.value[begin[r] + k]) : T(0));
                }
            offset.push_back(static_cast<std::int32_t>(sell_column.size()));
            if (sell_column.size() > 3 * column.size()) return; // too uneven to be of use
        }
        sell_offset_ = to_device(offset);
        sell_column_ = to_device(sell_column);
        sell_value_ = to_device(sell_value);
        MANTISSA_RIVAL_CALL(cusparse, cusparseCreateSlicedEll);
        if (cusparseCreateSlicedEll(&sell_, rows_, columns_, nonzeros, static_cast<std::int64_t>(sell_value.size()), 32,
                                    sell_offset_.data(), sell_column_.data(), sell_value_.data(), CUSPARSE_INDEX_32I,
                                    CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, kType) != CUSPARSE_STATUS_SUCCESS)
            sell_ = nullptr;
    }
    void prepare(cusparseSpMatDescr_t a, cusparseSpMVAlg_t way) {
        MANTISSA_RIVAL_CALL(cusparse, cusparseSpMV_bufferSize);
        MANTISSA_RIVAL_CALL(cusparse, cusparseSpMV_preprocess);
        const T one = 1, zero = 0;
        std::size_t bytes = 0;
        check_sparse(cusparseSpMV_bufferSize(sparse_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, from_, &zero, to_,
                                             kType, way, &bytes),
                     "cusparseSpMV_bufferSize");
        spaces_.emplace_back(std::max<std::size_t>(bytes, 16));
        check_sparse(cusparseSpMV_preprocess(sparse_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, from_, &zero, to_,
                                             kType, way, spaces_.back().data()),
                     "cusparseSpMV_preprocess");
    }
    void multiply(cusparseSpMatDescr_t a, cusparseSpMVAlg_t way, void* space) {
        MANTISSA_RIVAL_CALL(cusparse, cusparseSpMV);
        const T one = 1, zero = 0;
        check_sparse(
            cusparseSpMV(sparse_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, from_, &zero, to_, kType, way, space),
            "cusparseSpMV");
    }
    void choose_product() {
        MANTISSA_RIVAL_CALL(cusparse, cusparseCreateDnVec);
        check_sparse(cusparseCreateDnVec(&from_, columns_, p_.data(), kType), "cusparseCreateDnVec");
        check_sparse(cusparseCreateDnVec(&to_, rows_, q_.data(), kType), "cusparseCreateDnVec");
        p_.zero();
        check(cudaDeviceSynchronize(), "cudaMemset");
        struct Way {
            const char* name;
            cusparseSpMatDescr_t a;
            cusparseSpMVAlg_t way;
        };
        const Way ways[] = {{"CSR ALG1", csr_, CUSPARSE_SPMV_CSR_ALG1},
                            {"CSR ALG2", csr_, CUSPARSE_SPMV_CSR_ALG2},
                            {"SELL", sell_, CUSPARSE_SPMV_SELL_ALG1}};
        double best = 1e300;
        for (const Way& w : ways) {
            if (w.a == nullptr) continue;
            prepare(w.a, w.way);
            void* const space = spaces_.back().data();
            double fastest = 1e300;
            for (int i = 0; i < 6; ++i) {
                check(cudaStreamSynchronize(stream_), "cusparseSpMV");
                const auto begin = std::chrono::steady_clock::now();
                for (int k = 0; k < 8; ++k) multiply(w.a, w.way, space);
                check(cudaStreamSynchronize(stream_), "cusparseSpMV");
                fastest =
                    std::min(fastest, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
            }
            if (fastest >= best) continue;
            best = fastest;
            product_ = w.name;
            matrix_ = w.a;
            way_ = w.way;
            space_ = space;
        }
    }
    void dot(const T* a, const T* b, int to) {
        MANTISSA_RIVAL_CALL(cublas, cublasDdot_v2);
        MANTISSA_RIVAL_CALL(cublas, cublasSdot_v2);
        const auto n = static_cast<int>(rows_);
        if constexpr (kWide) check_blas(cublasDdot_v2(blas_, n, a, 1, b, 1, scalars_.data() + to), "cublasDdot");
        else check_blas(cublasSdot_v2(blas_, n, a, 1, b, 1, scalars_.data() + to), "cublasSdot");
        if (comm_ == nullptr) return;
        const Nccl& nccl = Nccl::get();
        nccl.check(nccl.all_reduce(scalars_.data() + to, scalars_.data() + to, 1, kWide ? Nccl::kDouble : Nccl::kFloat,
                                   Nccl::kSum, comm_, stream_),
                   "ncclAllReduce");
    }
    void axpy(int scalar, const T* x, T* y) {
        MANTISSA_RIVAL_CALL(cublas, cublasDaxpy_v2);
        MANTISSA_RIVAL_CALL(cublas, cublasSaxpy_v2);
        const auto n = static_cast<int>(rows_);
        if constexpr (kWide) check_blas(cublasDaxpy_v2(blas_, n, scalars_.data() + scalar, x, 1, y, 1), "cublasDaxpy");
        else check_blas(cublasSaxpy_v2(blas_, n, scalars_.data() + scalar, x, 1, y, 1), "cublasSaxpy");
    }
    void exchange() {
        if (comm_ == nullptr) return;
        const Nccl& nccl = Nccl::get();
        const auto count = static_cast<std::uint32_t>(send_row_.size());
        if (count != 0) {
            pack<T><<<std::min(528U, (count + 255) / 256), 256, 0, stream_>>>(p_.data(), send_row_.data(),
                                                                              packed_.data(), count);
            check(cudaGetLastError(), "launch of pack");
        }
        const int type = kWide ? Nccl::kDouble : Nccl::kFloat;
        nccl.check(nccl.group_start(), "ncclGroupStart");
        const T* from = packed_.data();
        for (const Exchange& e : part_.send) {
            nccl.check(nccl.send(from, e.row.size(), type, static_cast<int>(e.peer), comm_, stream_), "ncclSend");
            from += e.row.size();
        }
        T* to = p_.data() + rows_;
        for (const Exchange& e : part_.receive) {
            nccl.check(nccl.receive(to, e.row.size(), type, static_cast<int>(e.peer), comm_, stream_), "ncclRecv");
            to += e.row.size();
        }
        nccl.check(nccl.group_end(), "ncclGroupEnd");
    }
    void iterate() {
        MANTISSA_RIVAL_CALL(cublas, cublasDscal_v2);
        MANTISSA_RIVAL_CALL(cublas, cublasSscal_v2);
        exchange();
        multiply_host_scalars();
        dot(p_.data(), q_.data(), 1);
        step_along<T><<<1, 1, 0, stream_>>>(scalars_.data());
        check(cudaGetLastError(), "launch of step_along");
        axpy(2, p_.data(), x_.data());
        axpy(3, q_.data(), r_.data());
        dot(r_.data(), r_.data(), 5);
        new_direction<T><<<1, 1, 0, stream_>>>(scalars_.data());
        check(cudaGetLastError(), "launch of new_direction");
        const auto n = static_cast<int>(rows_);
        if constexpr (kWide) check_blas(cublasDscal_v2(blas_, n, scalars_.data() + 4, p_.data(), 1), "cublasDscal");
        else check_blas(cublasSscal_v2(blas_, n, scalars_.data() + 4, p_.data(), 1), "cublasSscal");
        if (!one_there_) throw DeviceError("a rival's iteration", "not prepared");
        axpy(6, r_.data(), p_.data());
    }
    void multiply_host_scalars() { multiply(matrix_, way_, space_); }

public:
    /// The scalar one, for p += r.
    void put_one() {
        const OnDevice here(device_);
        const T one = 1;
        scalars_.upload(std::span(&one, 1), 6);
        one_there_ = true;
    }

private:
    const Part& part_;
    int device_;
    Nccl::Comm comm_;
    std::int64_t rows_ = 0, columns_ = 0;
    cudaStream_t stream_ = nullptr;
    cusparseHandle_t sparse_ = nullptr;
    cublasHandle_t blas_ = nullptr;
    cusparseSpMatDescr_t csr_ = nullptr, sell_ = nullptr, matrix_ = nullptr;
    cusparseDnVecDescr_t from_ = nullptr, to_ = nullptr;
    cusparseSpMVAlg_t way_ = CUSPARSE_SPMV_CSR_ALG1;
    void* space_ = nullptr;
    std::string product_;
    bool one_there_ = false;
    cudaGraphExec_t executable_ = nullptr;
    Buffer<unsigned char> blas_space_;
    std::vector<Buffer<unsigned char>> spaces_;
    Buffer<std::int32_t> csr_begin_, csr_column_, sell_offset_, sell_column_;
    Buffer<T> csr_value_, sell_value_, x_, r_, p_, q_, packed_, scalars_;
    Buffer<std::uint32_t> send_row_;
};

/// A thread for each part; the first exception is thrown again.
template <class Work> void on_each(std::size_t parts, Work&& work) {
    std::vector<std::exception_ptr> failed(parts);
    {
        std::vector<std::jthread> threads;
        for (std::size_t p = 0; p < parts; ++p)
            threads.emplace_back([&, p] {
                try {
                    work(p);
                } catch (...) {
                    failed[p] = std::current_exception();
                }
            });
    }
    for (const auto& f : failed)
        if (f) std::rethrow_exception(f);
}

template <class T>
PartedVendorCg run(const CompressedRows& a, const Partition& partition, const std::vector<int>& devices,
                   std::uint32_t iterations, int repeats) {
    constexpr int kBatch = 10;
    const std::size_t parts = devices.size();
    std::vector<Nccl::Comm> comm(parts, nullptr);
    if (parts > 1)
        Nccl::get().check(Nccl::get().init(comm.data(), static_cast<int>(parts), devices.data()), "ncclCommInitAll");
    PartedVendorCg result;
    {
        std::vector<std::unique_ptr<VendorPart<T>>> part(parts);
        on_each(parts, [&](std::size_t p) {
            part[p] = std::make_unique<VendorPart<T>>(a, partition, static_cast<std::uint32_t>(p), devices[p], comm[p]);
            part[p]->put_one();
        });
        const auto reset = [&] { on_each(parts, [&](std::size_t p) { part[p]->reset(); }); };
        reset();
        on_each(parts, [&](std::size_t p) { part[p]->warm(); });
        reset();
        on_each(parts, [&](std::size_t p) { part[p]->capture(kBatch); });
        const auto batch = [&] {
            for (auto& one : part) one->launch();
            for (auto& one : part) one->wait();
        };
        for (result.iterations = 0; result.iterations < iterations; result.iterations += kBatch) batch();
        std::vector<double> x(a.rows(), 0.0);
        for (auto& one : part) one->read(x);
        double sum = 0;
        for (std::size_t i = 0; i < a.rows(); ++i) {
            double d = 1;
            for (std::uint64_t k = a.row_begin()[i]; k < a.row_begin()[i + 1]; ++k)
                d -= a.value()[k] * x[a.column()[k]];
            sum += d * d;
        }
        result.residual = std::sqrt(sum / static_cast<double>(a.rows()));
        std::vector<double> seconds;
        constexpr int kBatches = 10; // in one timing: gaps between graphs do not count
        for (int i = 0; i < repeats; ++i) {
            reset();
            for (auto& one : part) one->launch();
            for (auto& one : part) one->wait();
            const auto begin = std::chrono::steady_clock::now();
            for (int k = 0; k < kBatches; ++k)
                for (auto& one : part) one->launch();
            for (auto& one : part) one->wait();
            seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() /
                              (kBatch * kBatches));
        }
        std::ranges::sort(seconds);
        result.seconds = seconds[seconds.size() / 2];
        result.product = part[0]->product();
    }
    for (const Nccl::Comm c : comm)
        if (c != nullptr) static_cast<void>(Nccl::get().destroy(c));
    return result;
}

} // namespace

PartedVendorCg parted_vendor_cg(const CompressedRows& a, const Partition& partition, const std::vector<int>& devices,
                                bool single_precision, std::uint32_t iterations, int repeats) {
    if (partition.parts().size() != devices.size()) throw InvalidInput("rival over GPUs: as many devices as parts");
    return single_precision ? run<float>(a, partition, devices, iterations, repeats)
                            : run<double>(a, partition, devices, iterations, repeats);
}

} // namespace mantissa::gpu
