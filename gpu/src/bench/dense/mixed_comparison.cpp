// Uniform systems to double accuracy: factors in 16-bit words on the tensor cores, beside all ways cuSOLVER has.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "comparison.hpp"
#include "dense/cusolver_lu.hpp"
#include "mantissa/gpu/device.hpp"
#include "mantissa/gpu/lu.hpp"
#include "mantissa/gpu/lu_mixed.hpp"
#include "mantissa/lu/native.hpp"
#include "systems.hpp"
#include "vendor_gesv.hpp"

namespace mantissa::gpu {

namespace {

struct Bench {
    DenseSystem<double> system;
    Buffer<double> matrix, right, theirs, b, x;

    explicit Bench(std::size_t n)
        : system(n, false), matrix(to_device(system.a)), right(to_device(system.b)), theirs(n * n), b(n), x(n) {}
    void bring_back() {
        copy(theirs, matrix);
        copy(b, right);
    }
    [[nodiscard]] double error(const Buffer<double>& solution) const {
        std::vector<double> host(system.n);
        solution.download(host);
        return system.backward_error(host);
    }
    /// The solution is all ones.
    [[nodiscard]] double forward(const Buffer<double>& solution) const {
        std::vector<double> host(system.n);
        solution.download(host);
        double worst = 0;
        for (const double value : host) worst = std::max(worst, std::fabs(value - 1.0));
        return worst;
    }

private:
    static void copy(Buffer<double>& to, const Buffer<double>& from) {
        check(cudaMemcpyAsync(to.data(), from.data(), from.size() * sizeof(double), cudaMemcpyDeviceToDevice, nullptr),
              "cudaMemcpy");
    }
};

/// Below, a solve to double accuracy is Lu's in double, by whoever is faster; beside cuSOLVER's two calls.
void in_double(Bench& bench, int repeats, Json& runs, const Say& say) {
    const std::size_t n = bench.system.n;
    Lu<double> ours(n, LuPivoting::partial, LuBy::automatic);
    CusolverLu<double> plain(n, true);
    const Json timed = timed_in_turn(
        {{"mantissa in double",
          [&] {
              check(cudaMemcpy2DAsync(ours.device_matrix(), ours.stride() * sizeof(double), bench.matrix.data(),
                                      n * sizeof(double), n * sizeof(double), n, cudaMemcpyDeviceToDevice, nullptr),
                    "cudaMemcpy2D");
          },
          [&] {
              ours.start_factor();
              static_cast<void>(ours.finish_factor());
              ours.start_solve(bench.right.data(), bench.x.data());
          },
          [&] { return bench.error(bench.x); }},
         {"cuSOLVER Dgetrf, getrs", [&] { bench.bring_back(); },
          [&] {
              plain.factor(bench.theirs.data());
              plain.solve(bench.theirs.data(), bench.b.data());
          },
          [&] { return bench.error(bench.b); }}},
        repeats);
    const double size = static_cast<double>(n);
    runs.push_back({{"contest", "mixed"},
                    {"arithmetic", "double"},
                    {"pivoting", "partial"},
                    {"n", n},
                    {"operations", 2.0 / 3.0 * size * size * size},
                    {"by", fmt::format("{}, {}", to_string(ours.by().factor), to_string(ours.by().solve))},
                    {"entrants", timed},
                    {"lead", lead(timed)}});
    say(fmt::format("mixed {:<11} {:>6} {:10.3f} ms (below {} rows mixed precision does not pay: Lu in double, factors "
                    "by {}, solve by {}), {:.2f} x cuSOLVER; backward errors {:.1e} {:.1e}",
                    "double", n, 1e3 * timed[0]["seconds"].get<double>(), kTensorLuFrom, to_string(ours.by().factor),
                    to_string(ours.by().solve), lead(timed).get<double>(), timed[0]["error"].get<double>(),
                    timed[1]["error"].get<double>()));
}

/// One kind of words against cuSOLVER's factorisation in double with a plain solve, and against its refining solvers.
void one_run(Bench& bench, MixedWords words, int repeats, Json& runs, const Say& say) {
    const std::size_t n = bench.system.n;
    MixedOptions options;
    options.words = words;
    MixedSolver ours(static_cast<int>(n), options);
    MixedResult result;
    CusolverLu<double> plain(n, true);
    double forward = 0, their_forward = 0;
    std::vector<TimedSolver> solvers{
        {fmt::format("mantissa {}", to_string(words)),
         {},
         [&] { result = ours.solve(bench.matrix.data(), static_cast<long>(n), bench.right.data(), bench.x.data()); },
         [&] {
             forward = bench.forward(bench.x);
             return result.status == MixedStatus::converged ? bench.error(bench.x) : double(INFINITY);
         }},
        {"cuSOLVER Dgetrf, getrs", [&] { bench.bring_back(); },
         [&] {
             plain.factor(bench.theirs.data());
             plain.solve(bench.theirs.data(), bench.b.data());
         },
         [&] {
             their_forward = bench.forward(bench.b);
             return bench.error(bench.b);
         }}};
    constexpr std::array<const char*, 4> kinds{"DD", "DS", "DX", "DH"};
    std::vector<std::unique_ptr<CusolverGesv>> vendors;
    for (const char* const kind : kinds) {
        vendors.push_back(std::make_unique<CusolverGesv>(kind, n));
        solvers.push_back({fmt::format("cuSOLVER {}gesv", kind), [&] { bench.bring_back(); },
                           [&bench, vendor = vendors.back().get()] {
                               vendor->solve(bench.theirs.data(), bench.b.data(), bench.x.data());
                           },
                           [&] { return bench.error(bench.x); }});
    }
    const Json timed = timed_in_turn(solvers, repeats);
    const double size = static_cast<double>(n), operations = 2.0 / 3.0 * size * size * size;
    runs.push_back({{"contest", "mixed"},
                    {"arithmetic", std::string(to_string(words))},
                    {"pivoting", "partial"},
                    {"n", n},
                    {"operations", operations},
                    {"prepare_seconds", result.prepare_seconds},
                    {"factor_seconds", result.factor_seconds},
                    {"refine_seconds", result.refine_seconds},
                    {"residuals", result.residuals},
                    {"corrections", result.corrections},
                    {"hpl_residual", result.hpl_residual},
                    {"forward_error", forward},
                    {"double_forward_error", their_forward},
                    {"entrants", timed},
                    {"lead", lead(timed)}});
    say(fmt::format("mixed {:<11} {:>6} {:10.3f} ms (factors {:.3f}, {} corrections), {:.2f} x the best of cuSOLVER; "
                    "backward errors {:.1e} {:.1e}, forward {:.1e} {:.1e}",
                    to_string(words), n, 1e3 * timed[0]["seconds"].get<double>(), 1e3 * result.factor_seconds,
                    result.corrections, lead(timed).get<double>(), timed[0]["error"].get<double>(),
                    timed[1]["error"].get<double>(), forward, their_forward));
}

} // namespace

void mixed_comparison(const DenseBenchRequest& request, Json& runs, const Say& say) {
    for (const std::size_t n : request.sizes) {
        Bench bench(n);
        if (n < kTensorLuFrom) {
            in_double(bench, request.repeats, runs, say);
            continue;
        }
        for (const MixedWords words : {MixedWords::half_pair, MixedWords::half})
            if (words == MixedWords::half_pair || n >= 2 * kTensorLuFrom) // (single words take more corrections)
                one_run(bench, words, request.repeats, runs, say);
    }
}

} // namespace mantissa::gpu
