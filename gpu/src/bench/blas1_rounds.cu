#include "bench/blas1_rounds.hpp"

#include <cublas_v2.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>

#include "bench/bench_samples.hpp"
#include "mantissa/blas1.hpp"
#include "mantissa/gpu/blas1.hpp"
#include "schedules/graph.hpp"
#include "vendor_library.hpp"

namespace mantissa::gpu {

namespace {

#define MANTISSA_TEXT_OF(x) #x
#define MANTISSA_TEXT(x) MANTISSA_TEXT_OF(x)
#define MANTISSA_CALL(name)                                                                                            \
    const decltype(&::name) name = ::mantissa::gpu::cublas().function<decltype(&::name)>(MANTISSA_TEXT(name))

struct Calls {
    MANTISSA_CALL(cublasCreate);
    MANTISSA_CALL(cublasDaxpy);
    MANTISSA_CALL(cublasDdot);
    MANTISSA_CALL(cublasDestroy);
    MANTISSA_CALL(cublasDgemm);
    MANTISSA_CALL(cublasDnrm2);
    MANTISSA_CALL(cublasGetStatusString);
    MANTISSA_CALL(cublasSaxpy);
    MANTISSA_CALL(cublasSdot);
    MANTISSA_CALL(cublasSetPointerMode);
    MANTISSA_CALL(cublasSetStream);
    MANTISSA_CALL(cublasSetWorkspace);
    MANTISSA_CALL(cublasSgemm);
    MANTISSA_CALL(cublasSnrm2);
};
const Calls& calls() {
    static const Calls found;
    return found;
}
void check_blas(cublasStatus_t status, const char* call) {
    if (status != CUBLAS_STATUS_SUCCESS) throw DeviceError(call, calls().cublasGetStatusString(status));
}

/// cuBLAS with a workspace of its own, so that what it launches can be captured.
struct Blas {
    cublasHandle_t handle = nullptr;
    Buffer<unsigned char> workspace{std::size_t{32} << 20};
    Blas() { check_blas(calls().cublasCreate(&handle), "cublasCreate"); }
    ~Blas() { static_cast<void>(calls().cublasDestroy(handle)); }
    Blas(const Blas&) = delete;
    Blas& operator=(const Blas&) = delete;
    void use(cudaStream_t stream, cublasPointerMode_t mode) const {
        check_blas(calls().cublasSetStream(handle, stream), "cublasSetStream");
        check_blas(calls().cublasSetWorkspace(handle, workspace.data(), workspace.size()), "cublasSetWorkspace");
        check_blas(calls().cublasSetPointerMode(handle, mode), "cublasSetPointerMode");
    }
};

void vendor(const Blas& b, Blas1Operation operation, int n, float a, const float* x, float* y, float* result) {
    if (operation == Blas1Operation::axpy) check_blas(calls().cublasSaxpy(b.handle, n, &a, x, 1, y, 1), "cublasSaxpy");
    else if (operation == Blas1Operation::dot)
        check_blas(calls().cublasSdot(b.handle, n, x, 1, y, 1, result), "cublasSdot");
    else check_blas(calls().cublasSnrm2(b.handle, n, x, 1, result), "cublasSnrm2");
}
void vendor(const Blas& b, Blas1Operation operation, int n, double a, const double* x, double* y, double* result) {
    if (operation == Blas1Operation::axpy) check_blas(calls().cublasDaxpy(b.handle, n, &a, x, 1, y, 1), "cublasDaxpy");
    else if (operation == Blas1Operation::dot)
        check_blas(calls().cublasDdot(b.handle, n, x, 1, y, 1, result), "cublasDdot");
    else check_blas(calls().cublasDnrm2(b.handle, n, x, 1, result), "cublasDnrm2");
}
template <class T>
void ours(const Blas1<T>& b, Blas1Operation operation, std::size_t n, T a, const T* x, T* y, T* result,
          cudaStream_t stream) {
    if (operation == Blas1Operation::axpy) b.axpy(n, a, x, y, stream);
    else if (operation == Blas1Operation::dot) b.dot(n, x, y, result, stream);
    else b.nrm2(n, x, result, stream);
}

/// Values in [-1, 1) that look random.
template <class T> __global__ void fill(std::size_t n, unsigned long long seed, T* x) {
    for (std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x; i < n; i += std::size_t{256} * gridDim.x) {
        unsigned long long h = (i + seed) * 0x9E3779B97F4A7C15ull;
        h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9ull;
        h = (h ^ (h >> 27)) * 0x94D049BB133111EBull;
        x[i] = static_cast<T>(static_cast<double>((h ^ (h >> 31)) >> 11) * 0x1p-52 - 1);
    }
}

constexpr int kBatch = 20;
constexpr std::size_t kBeyondCache = std::size_t{320} << 20;
constexpr double kFactor = 0x1p-12;

template <class T> class Rounds {
public:
    Rounds(std::size_t largest, int repeats, int threads)
        : repeats_(repeats), threads_(threads), room_(std::max(largest, kBeyondCache / sizeof(T))), x_(room_),
          y_(room_), result_(1) {}

    Blas1Round round(Blas1Operation operation, std::size_t n) {
        Blas1Round r;
        r.operation = operation;
        r.single_precision = sizeof(T) == 4;
        r.n = n;
        compare(r);
        time(r);
        return r;
    }

private:
    void fresh(std::size_t n) {
        fill<T><<<1024, 256>>>(n, 1, x_.data());
        fill<T><<<1024, 256>>>(n, 977, y_.data());
        check(cudaGetLastError(), "launch of fill");
        check(cudaMemset(result_.data(), 0xFF, sizeof(T)), "cudaMemset"); // no number
    }
    T number() const {
        T value{};
        result_.download(std::span(&value, 1));
        return value;
    }

    /// One call each on fresh values: bits, cuBLAS's difference, and the processor's time.
    void compare(Blas1Round& r) {
        const std::size_t n = r.n;
        const T factor = static_cast<T>(kFactor);
        fresh(n);
        std::vector<T> x(n), y(n), got(n);
        x_.download(x);
        y_.download(y);
        ours(blas_, r.operation, n, factor, x_.data(), y_.data(), result_.data(), cudaStream_t{});
        check(cudaDeviceSynchronize(), "kernel");
        T number_here{};
        if (r.operation == Blas1Operation::axpy) y_.download(got);
        else number_here = number();
        fresh(n);
        vendor_.use(nullptr, mode(r.operation));
        vendor(vendor_, r.operation, static_cast<int>(n), factor, x_.data(), y_.data(), result_.data());
        check(cudaDeviceSynchronize(), "cuBLAS");
        // A long vector has work for all threads; a short one only pays for waking them.
        r.processor_threads = n >= 32768 ? threads_ : 1;
        T number_processor{};
        const auto on_processor = [&] {
            if (r.operation == Blas1Operation::axpy) axpy<T>(factor, x, y, r.processor_threads);
            else if (r.operation == Blas1Operation::dot) number_processor = dot<T>(x, y, r.processor_threads);
            else number_processor = nrm2<T>(x, r.processor_threads);
        };
        on_processor();
        if (r.operation == Blas1Operation::axpy) {
            r.same_bits = std::ranges::equal(got, y, [](T a, T b) { return a == b; });
            y_.download(y);
            double error = 0, largest = 0;
            for (std::size_t i = 0; i < n; ++i) {
                error = std::max(error, std::abs(static_cast<double>(got[i]) - static_cast<double>(y[i])));
                largest = std::max(largest, std::abs(static_cast<double>(got[i])));
            }
            r.cublas_error = error / largest;
        } else {
            r.same_bits = number_here == number_processor;
            r.cublas_error = std::abs(static_cast<double>(number()) - static_cast<double>(number_here)) /
                             std::abs(static_cast<double>(number_here));
        }
        r.processor = processor_seconds(n, on_processor);
    }

    template <class Work> static double processor_seconds(std::size_t n, const Work& work) {
        using Clock = std::chrono::steady_clock;
        const int calls = static_cast<int>(std::clamp<std::size_t>((std::size_t{1} << 20) / n, 1, 200));
        std::vector<double> seconds;
        for (int i = 0; i < 5; ++i) {
            const auto begin = Clock::now();
            for (int k = 0; k < calls; ++k) work();
            seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count() / calls);
        }
        return median(seconds);
    }
    static cublasPointerMode_t mode(Blas1Operation operation) {
        return operation == Blas1Operation::axpy ? CUBLAS_POINTER_MODE_HOST : CUBLAS_POINTER_MODE_DEVICE;
    }

    void time(Blas1Round& r) {
        const std::size_t n = r.n, stride = (n + 31) / 32 * 32;
        const bool two = r.operation != Blas1Operation::nrm2;
        const std::size_t one = (two ? 2 : 1) * n * sizeof(T);
        const std::size_t sets = std::clamp<std::size_t>(std::min(kBeyondCache / one, room_ / stride), 1, kBatch);
        r.footprint = sets * one;
        fresh(sets * stride <= room_ ? sets * stride : n);
        const T factor = static_cast<T>(kFactor);
        Graph graph[3];
        graph[0].capture([&](cudaStream_t stream) {
            for (std::size_t i = 0; i < kBatch; ++i)
                ours(blas_, r.operation, n, factor, x_.data() + i % sets * stride, y_.data() + i % sets * stride,
                     result_.data(), stream);
        });
        graph[1].capture([&](cudaStream_t stream) {
            vendor_.use(stream, mode(r.operation));
            for (std::size_t i = 0; i < kBatch; ++i)
                vendor(vendor_, r.operation, static_cast<int>(n), factor, x_.data() + i % sets * stride,
                       y_.data() + i % sets * stride, result_.data());
        });
        // From x to y. (Captured copies of half a gigabyte and more were found to take half as long again as launched
        // ones, for which the launch is nothing.)
        const std::size_t half = moved_elements(r.operation) * n * sizeof(T) / 2, apart = (half + 255) / 256 * 256;
        const std::size_t room = room_ * sizeof(T);
        const std::size_t copies =
            std::clamp<std::size_t>(std::min(room / apart, kBeyondCache / (2 * half)), 1, kBatch);
        const auto copy = [&](cudaStream_t stream) {
            for (std::size_t i = 0; i < kBatch; ++i)
                for (std::size_t done = 0; done < half; done += room) // longer than the vectors: in pieces
                    check(cudaMemcpyAsync(reinterpret_cast<unsigned char*>(y_.data()) + i % copies * apart,
                                          reinterpret_cast<unsigned char*>(x_.data()) + i % copies * apart,
                                          std::min(room, half - done), cudaMemcpyDeviceToDevice, stream),
                          "cudaMemcpy");
        };
        const bool launched = half > (std::size_t{1} << 28);
        if (!launched) graph[2].capture(copy);
        vendor_.use(nullptr, mode(r.operation));
        Timer timer;
        std::vector<double> seconds[3];
        for (int i = 0; i < repeats_ + 3; ++i)
            for (int k = 0; k < 3; ++k) {
                const auto launch = [&] {
                    if (k == 2 && launched) copy(nullptr);
                    else graph[k].launch();
                };
                launch(); // what the one before left in the cache to be written is written after this
                timer.start();
                launch();
                const double s = timer.stop();
                if (i >= 3) seconds[k].push_back(s / kBatch);
            }
        r.ours = median(seconds[0]);
        r.cublas = median(seconds[1]);
        r.copy = median(seconds[2]);
    }

    int repeats_, threads_;
    std::size_t room_;
    Buffer<T> x_, y_, result_;
    Blas1<T> blas_;
    Blas vendor_;
};

template <class T>
void add_rounds(const std::vector<std::size_t>& sizes, int repeats, int threads,
                const std::function<void(const std::string&)>& say, std::vector<Blas1Round>& all) {
    Rounds<T> rounds(*std::ranges::max_element(sizes), repeats, threads);
    for (const std::size_t n : sizes) {
        if (say) say((sizeof(T) == 4 ? "float, " : "double, ") + std::to_string(n) + " elements");
        for (const Blas1Operation o : {Blas1Operation::axpy, Blas1Operation::dot, Blas1Operation::nrm2})
            all.push_back(rounds.round(o, n));
    }
}

} // namespace

std::string to_string(Blas1Operation operation) {
    constexpr const char* kNames[] = {"axpy", "dot", "nrm2"};
    return kNames[static_cast<int>(operation)];
}
int moved_elements(Blas1Operation operation) {
    return 3 - static_cast<int>(operation);
}

std::vector<Blas1Round> blas1_rounds(const std::vector<std::size_t>& sizes, int repeats, int threads,
                                     const std::function<void(const std::string&)>& say) {
    static_cast<void>(require_device());
    std::vector<Blas1Round> all;
    if (sizes.empty()) return all;
    add_rounds<float>(sizes, repeats, threads, say, all);
    add_rounds<double>(sizes, repeats, threads, say, all);
    return all;
}

double gemm_rate(bool single_precision, int n, int repeats) {
    static_cast<void>(require_device());
    const Blas blas;
    blas.use(nullptr, CUBLAS_POINTER_MODE_HOST);
    const std::size_t size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    std::vector<double> seconds;
    Timer timer;
    const auto run = [&]<class T>(T one, const auto& product) {
        Buffer<T> a(size), b(size), c(size);
        fill<T><<<1024, 256>>>(size, 1, a.data());
        fill<T><<<1024, 256>>>(size, 977, b.data());
        c.zero();
        const T zero = 0;
        for (int i = 0; i < repeats + 2; ++i) {
            timer.start();
            check_blas(product(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a.data(), n, b.data(), n, &zero,
                               c.data(), n),
                       "cublas gemm");
            const double s = timer.stop();
            if (i >= 2) seconds.push_back(s);
        }
    };
    if (single_precision) run(1.0F, calls().cublasSgemm);
    else run(1.0, calls().cublasDgemm);
    return 2 * std::pow(static_cast<double>(n), 3) / median(seconds);
}

DevicePeaks device_peaks() {
    const DeviceInfo& info = require_device();
    int device = 0, clock = 0, memory_clock = 0, bus = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, device), "cudaDeviceGetAttribute");
    check(cudaDeviceGetAttribute(&memory_clock, cudaDevAttrMemoryClockRate, device), "cudaDeviceGetAttribute");
    check(cudaDeviceGetAttribute(&bus, cudaDevAttrGlobalMemoryBusWidth, device), "cudaDeviceGetAttribute");
    // 128 float and 64 double multiply-adds a clock and multiprocessor (compute capability 9.0); two transfers a clock.
    const double units = 1e3 * clock * info.multiprocessors;
    return {2 * 128 * units, 2 * 64 * units, 2e3 * memory_clock * (bus / 8.0)};
}

} // namespace mantissa::gpu
