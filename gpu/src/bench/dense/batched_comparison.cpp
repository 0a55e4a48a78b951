// LU of many systems at once beside cuBLAS, with partial pivoting on uniform matrices.
#include <algorithm>
#include <array>
#include <cmath>

#include <cublas_v2.h>

#include <fmt/format.h>

#include "comparison.hpp"
#include "mantissa/gpu/device.hpp"
#include "mantissa/gpu/lu_batched.hpp"
#include "systems.hpp"
#include "vendor_library.hpp"

namespace mantissa::gpu {

namespace {

template <class Function> Function call(const char* name) {
    return cublas().function<Function>(name);
}

void expect(cublasStatus_t status, const char* name) {
    if (status != CUBLAS_STATUS_SUCCESS) throw DeviceError(name, fmt::format("status {}", static_cast<int>(status)));
}

/// cublas<S|D>getrfBatched and getrsBatched.
template <class T> class CublasBatchedLu {
    static constexpr bool kSingle = sizeof(T) == 4;
    using Factor = std::conditional_t<kSingle, decltype(&cublasSgetrfBatched), decltype(&cublasDgetrfBatched)>;
    using Solve = std::conditional_t<kSingle, decltype(&cublasSgetrsBatched), decltype(&cublasDgetrsBatched)>;

public:
    /// Matrices of `stride` elements a column, `distance` apart from `a` on; right-hand sides from `b` on.
    CublasBatchedLu(std::size_t n, std::size_t batch, T* a, std::size_t stride, std::size_t distance, T* b)
        : n_(static_cast<int>(n)), stride_(static_cast<int>(stride)), batch_(static_cast<int>(batch)),
          pivots_(n * batch), info_(batch) {
        expect(call<decltype(&cublasCreate_v2)>("cublasCreate_v2")(&handle_), "cublasCreate");
        std::vector<T*> matrices, right;
        for (std::size_t s = 0; s < batch; ++s) {
            matrices.push_back(a + s * distance);
            right.push_back(b + s * n);
        }
        matrices_ = to_device(matrices);
        right_ = to_device(right);
    }
    ~CublasBatchedLu() {
        if (handle_ != nullptr) static_cast<void>(call<decltype(&cublasDestroy_v2)>("cublasDestroy_v2")(handle_));
    }
    CublasBatchedLu(const CublasBatchedLu&) = delete;
    CublasBatchedLu& operator=(const CublasBatchedLu&) = delete;

    void factor() {
        expect(factor_(handle_, n_, matrices_.data(), stride_, pivots_.data(), info_.data(), batch_), "getrfBatched");
    }
    void solve() {
        int info = 0;
        expect(solve_(handle_, CUBLAS_OP_N, n_, 1, matrices_.data(), stride_, pivots_.data(), right_.data(), n_, &info,
                      batch_),
               "getrsBatched");
    }

private:
    Factor factor_ = call<Factor>(kSingle ? "cublasSgetrfBatched" : "cublasDgetrfBatched");
    Solve solve_ = call<Solve>(kSingle ? "cublasSgetrsBatched" : "cublasDgetrsBatched");
    cublasHandle_t handle_ = nullptr;
    int n_, stride_, batch_;
    Buffer<int> pivots_, info_;
    Buffer<T*> matrices_, right_;
};

/// A few systems, which the batch repeats.
template <class T> struct Batch {
    static constexpr std::size_t kDistinct = 8;

    Batch(std::size_t size, std::size_t systems, std::size_t stride)
        : n(size), batch(systems), matrices(stride * size * systems), right(size * systems), x(size * systems) {
        for (std::size_t s = 0; s < std::min(kDistinct, batch); ++s) distinct.emplace_back(n, false, s);
        for (std::size_t s = 0; s < batch; ++s) {
            const DenseSystem<T>& system = distinct[s % distinct.size()];
            check(cudaMemcpy2D(matrices.data() + s * stride * n, stride * sizeof(T), system.a.data(), n * sizeof(T),
                               n * sizeof(T), n, cudaMemcpyHostToDevice),
                  "cudaMemcpy2D");
            right.upload(system.b, s * n);
        }
    }
    void start_solution() {
        check(cudaMemcpyAsync(x.data(), right.data(), n * batch * sizeof(T), cudaMemcpyDeviceToDevice, nullptr),
              "cudaMemcpy");
    }
    /// The greatest of the first and the last systems of the batch.
    [[nodiscard]] double error() const {
        std::vector<T> answer(n);
        double worst = 0;
        for (std::size_t k = 0; k < distinct.size(); ++k)
            for (const std::size_t s : {k, batch - 1 - k}) {
                x.download(answer, s * n);
                worst = std::max(worst, distinct[s % distinct.size()].backward_error(answer));
            }
        return worst;
    }

    std::size_t n, batch;
    std::vector<DenseSystem<T>> distinct;
    Buffer<T> matrices, right, x;
};

template <class T> void one_size(std::size_t n, std::size_t batch, int repeats, Json& runs, const Say& say) {
    BatchedLu<T> ours(n, batch);
    Batch<T> given(n, batch, ours.stride());
    T* const matrices = ours.device_matrices(); // theirs are the same, in turn
    CublasBatchedLu<T> vendor(n, batch, matrices, ours.stride(), ours.distance(), given.x.data());
    const auto prepare = [&] {
        check(cudaMemcpyAsync(matrices, given.matrices.data(), given.matrices.size() * sizeof(T),
                              cudaMemcpyDeviceToDevice, nullptr),
              "cudaMemcpy");
    };
    const Json timed = timed_in_turn({{"mantissa", prepare, [&] { ours.start_factor(); },
                                       [&] {
                                           if (!ours.finish_factor().factored()) return static_cast<double>(INFINITY);
                                           given.start_solution();
                                           ours.start_solve(given.x.data());
                                           return given.error();
                                       }},
                                      {"cuBLAS getrfBatched", prepare, [&] { vendor.factor(); },
                                       [&] {
                                           given.start_solution();
                                           vendor.solve();
                                           return given.error();
                                       }}},
                                     repeats);
    const double size = static_cast<double>(n),
                 operations = 2.0 / 3.0 * size * size * size * static_cast<double>(batch);
    const char* const arithmetic = sizeof(T) == 4 ? "float" : "double";
    runs.push_back({{"contest", "batched"},
                    {"arithmetic", arithmetic},
                    {"pivoting", to_string(LuPivoting::partial)},
                    {"n", n},
                    {"batch", batch},
                    {"operations", operations},
                    {"entrants", timed},
                    {"lead", lead(timed)}});
    say(fmt::format(
        "batched {:<6} {:>5} of n = {:>4} {:9.4f} ms {:6.2f} TFlop/s, {:.2f} x {}, backward errors {:.1e} {:.1e}",
        arithmetic, batch, n, 1e3 * timed[0]["seconds"].get<double>(),
        1e-12 * operations / timed[0]["seconds"].get<double>(), lead(timed).get<double>(),
        timed[1]["name"].get<std::string>(), timed[0]["error"].get<double>(), timed[1]["error"].get<double>()));
}

} // namespace

/// Sizes of its own: request.sizes are of single matrices.
void batched_comparison(const DenseBenchRequest& request, Json& runs, const Say& say) {
    struct Size {
        std::size_t n, batch;
    };
    for (const Size s : {Size{32, 10000},
                         {48, 6000},
                         {64, 5000},
                         {100, 2500},
                         {128, 2000},
                         {200, 1200},
                         {256, 1000},
                         {333, 700},
                         {512, 500},
                         {1024, 154}}) {
        one_size<float>(s.n, s.batch, request.repeats, runs, say);
        one_size<double>(s.n, s.batch, request.repeats, runs, say);
    }
}

} // namespace mantissa::gpu
