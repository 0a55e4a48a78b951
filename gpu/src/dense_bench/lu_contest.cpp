// LU and solves in float and double beside cuSOLVER: without pivoting on dominant matrices, with partial pivoting on
// uniform ones.
#include <fmt/format.h>

#include "contest.hpp"
#include "mantissa/gpu/device.hpp"
#include "mantissa/gpu/lu.hpp"
#include "solver_rivals.hpp"
#include "systems.hpp"

namespace mantissa::gpu {

namespace {

template <class T> void device_copy(T* to, const T* from, std::size_t count) {
    check(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDeviceToDevice, nullptr), "cudaMemcpy");
}

/// One size: two runs, the factorisation and the solve.
template <class T> void one_size(std::size_t n, LuPivoting pivoting, int repeats, Json& runs, const Say& say) {
    const DenseSystem<T> system(n, pivoting == LuPivoting::none);
    const Buffer<T> matrix = to_device(system.a), right = to_device(system.b);
    Buffer<T> theirs(n * n), x(n), y(n);
    Lu<T> ours(n, pivoting);
    CusolverLu<T> rival(n, pivoting == LuPivoting::partial);
    const auto error = [&](const Buffer<T>& solution) {
        std::vector<T> host(n);
        solution.download(host);
        return system.backward_error(host);
    };
    const auto our_solve = [&] { ours.start_solve(right.data(), x.data()); };
    const auto their_solve = [&] { rival.solve(theirs.data(), y.data()); };
    const auto fill = [&] {
        check(cudaMemcpy2DAsync(ours.device_matrix(), ours.stride() * sizeof(T), matrix.data(), n * sizeof(T),
                                n * sizeof(T), n, cudaMemcpyDeviceToDevice, nullptr),
              "cudaMemcpy2D");
    };
    const Json factored = race({{"mantissa", fill, [&] { ours.start_factor(); },
                                 [&] {
                                     if (ours.finish_factor().end != LuEnd::factored) return double(INFINITY);
                                     our_solve();
                                     return error(x);
                                 }},
                                {"cuSOLVER getrf", [&] { device_copy(theirs.data(), matrix.data(), n * n); },
                                 [&] { rival.factor(theirs.data()); },
                                 [&] {
                                     device_copy(y.data(), right.data(), n);
                                     their_solve();
                                     return error(y);
                                 }}},
                               repeats);
    const Json solved = race(
        {{"mantissa", {}, our_solve, [&] { return error(x); }},
         {"cuSOLVER getrs", [&] { device_copy(y.data(), right.data(), n); }, their_solve, [&] { return error(y); }}},
        repeats);
    const double size = static_cast<double>(n);
    for (const bool factors : {true, false}) {
        const Json& raced = factors ? factored : solved;
        const double operations = factors ? 2.0 / 3.0 * size * size * size : 2.0 * size * size;
        runs.push_back({{"contest", factors ? "lu" : "lu solve"},
                        {"arithmetic", sizeof(T) == 4 ? "float" : "double"},
                        {"pivoting", to_string(pivoting)},
                        {"n", n},
                        {"operations", operations},
                        {"entrants", raced},
                        {"lead", lead(raced)}});
        say(fmt::format(
            "{:<9} {:<6} {:<7} {:>6} {:10.3f} ms {:7.2f} TFlop/s, {:.2f} x {}, backward errors {:.1e} {:.1e}",
            factors ? "lu" : "lu solve", sizeof(T) == 4 ? "float" : "double", to_string(pivoting), n,
            1e3 * raced[0]["seconds"].get<double>(), 1e-12 * operations / raced[0]["seconds"].get<double>(),
            lead(raced).get<double>(), raced[1]["name"].get<std::string>(), raced[0]["error"].get<double>(),
            raced[1]["error"].get<double>()));
    }
}

} // namespace

void lu_contest(const DenseBenchRequest& request, Json& runs, const Say& say) {
    for (const std::size_t n : request.sizes)
        for (const LuPivoting pivoting : {LuPivoting::partial, LuPivoting::none}) {
            one_size<float>(n, pivoting, request.repeats, runs, say);
            one_size<double>(n, pivoting, request.repeats, runs, say);
        }
}

} // namespace mantissa::gpu
