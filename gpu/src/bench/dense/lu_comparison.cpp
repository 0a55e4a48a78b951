// LU and solves in float and double beside cuSOLVER: without pivoting on dominant matrices, with partial pivoting on
// uniform ones.
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "comparison.hpp"
#include "dense/cusolver_lu.hpp"
#include "mantissa/gpu/device.hpp"
#include "mantissa/gpu/lu.hpp"
#include "systems.hpp"

namespace mantissa::gpu {

namespace {

template <class T> void device_copy(T* to, const T* from, std::size_t count) {
    check(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDeviceToDevice, nullptr), "cudaMemcpy");
}

/// Those who factor or solve: ours by whoever it chose, cuSOLVER where it is there, and our own kernels where it was
/// chosen for them, so that the choice is seen to be right.
template <class T> struct Sides {
    Sides(std::size_t n, LuPivoting pivoting)
        : system(n, pivoting == LuPivoting::none), matrix(to_device(system.a)), right(to_device(system.b)),
          theirs(n * n), x(n), y(n), z(n), ours(n, pivoting, LuBy::automatic), own(n, pivoting, LuBy::own) {
        if (why_no_cusolver().empty()) vendor.emplace(n, pivoting == LuPivoting::partial);
    }

    [[nodiscard]] double error(const Buffer<T>& solution) const {
        std::vector<T> host(system.b.size());
        solution.download(host);
        return system.backward_error(host);
    }
    void fill(Lu<T>& lu) const {
        const std::size_t n = lu.size();
        check(cudaMemcpy2DAsync(lu.device_matrix(), lu.stride() * sizeof(T), matrix.data(), n * sizeof(T),
                                n * sizeof(T), n, cudaMemcpyDeviceToDevice, nullptr),
              "cudaMemcpy2D");
    }
    void copy_right(Buffer<T>& to) const { device_copy(to.data(), right.data(), right.size()); }
    double solved_error(Lu<T>& lu, Buffer<T>& solution) {
        if (lu.finish_factor().end != LuEnd::factored) return double(INFINITY);
        copy_right(solution);
        lu.start_solve(solution.data(), solution.data());
        return error(solution);
    }

    Json factored(int repeats) {
        std::vector<TimedSolver> solvers = {
            {"mantissa", [&] { fill(ours); }, [&] { ours.start_factor(); }, [&] { return solved_error(ours, x); }}};
        if (vendor)
            solvers.push_back({"cuSOLVER getrf", [&] { device_copy(theirs.data(), matrix.data(), matrix.size()); },
                               [&] { vendor->factor(theirs.data()); },
                               [&] {
                                   copy_right(y);
                                   vendor->solve(theirs.data(), y.data());
                                   return error(y);
                               }});
        Json timed = timed_in_turn(solvers, repeats);
        if (ours.by().factor != LuBy::own) // apart: launches after a graph's take longer than one after another
            timed.push_back(timed_in_turn({{"own kernels", [&] { fill(own); }, [&] { own.start_factor(); },
                                            [&] { return solved_error(own, z); }}},
                                          repeats)[0]);
        return timed;
    }
    /// After factored(). Every solve in place, but that our own kernels read b and write x.
    Json solved(int repeats) {
        std::vector<TimedSolver> solvers;
        if (ours.by().solve == LuBy::own)
            solvers.push_back(
                {"mantissa", {}, [&] { ours.start_solve(right.data(), x.data()); }, [&] { return error(x); }});
        else
            solvers.push_back({"mantissa", [&] { copy_right(x); }, [&] { ours.start_solve(x.data(), x.data()); },
                               [&] { return error(x); }});
        if (vendor)
            solvers.push_back({"cuSOLVER getrs", [&] { copy_right(y); },
                               [&] { vendor->solve(theirs.data(), y.data()); }, [&] { return error(y); }});
        if (ours.by().solve != LuBy::own) {
            fill(own);
            if (own.factor().end == LuEnd::factored)
                solvers.push_back(
                    {"own kernels", {}, [&] { own.start_solve(right.data(), z.data()); }, [&] { return error(z); }});
        }
        return timed_in_turn(solvers, repeats);
    }

    DenseSystem<T> system;
    Buffer<T> matrix, right, theirs, x, y, z;
    Lu<T> ours, own;
    std::optional<CusolverLu<T>> vendor;
};

/// A run's line: time, rate, and what stood beside.
std::string line_of(const Json& run) {
    const Json &ours = run["entrants"][0], *beside = nullptr;
    const double seconds = ours["seconds"].get<double>();
    std::string line = fmt::format("{:<9} {:<6} {:<7} {:>6} {:10.3f} ms {:7.2f} TFlop/s, by {}",
                                   run["contest"].get<std::string>(), run["arithmetic"].get<std::string>(),
                                   run["pivoting"].get<std::string>(), run["n"].get<std::size_t>(), 1e3 * seconds,
                                   1e-12 * run["operations"].get<double>() / seconds, run["by"].get<std::string>());
    for (const Json& solver : run["entrants"]) {
        if (&solver == &ours) continue;
        if (beside == nullptr) beside = &solver;
        line +=
            fmt::format(", {:.2f} x {}", solver["seconds"].get<double>() / seconds, solver["name"].get<std::string>());
    }
    if (beside == nullptr) return line + " (alone: " + why_no_cusolver() + ")";
    return line + fmt::format(", backward errors {:.1e} {:.1e}", ours["error"].get<double>(),
                              (*beside)["error"].get<double>());
}

/// One size: two runs, the factorisation and the solve.
template <class T> void one_size(std::size_t n, LuPivoting pivoting, int repeats, Json& runs, const Say& say) {
    Sides<T> sides(n, pivoting);
    const Json factored = sides.factored(repeats), solved = sides.solved(repeats);
    const double size = static_cast<double>(n);
    for (const bool factors : {true, false}) {
        const Json& timed = factors ? factored : solved;
        runs.push_back({{"contest", factors ? "lu" : "lu solve"},
                        {"arithmetic", sizeof(T) == 4 ? "float" : "double"},
                        {"pivoting", to_string(pivoting)},
                        {"n", n},
                        {"operations", factors ? 2.0 / 3.0 * size * size * size : 2.0 * size * size},
                        {"by", to_string(factors ? sides.ours.by().factor : sides.ours.by().solve)},
                        {"entrants", timed},
                        {"lead", lead(timed)}});
        say(line_of(runs.back()));
    }
}

} // namespace

void lu_comparison(const DenseBenchRequest& request, Json& runs, const Say& say) {
    for (const std::size_t n : request.sizes)
        for (const LuPivoting pivoting : {LuPivoting::partial, LuPivoting::none}) {
            one_size<float>(n, pivoting, request.repeats, runs, say);
            one_size<double>(n, pivoting, request.repeats, runs, say);
        }
}

} // namespace mantissa::gpu
