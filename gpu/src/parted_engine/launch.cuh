// Launches of a session over parts: what all kinds of vectors have alike.
#pragma once

#include <algorithm>
#include <array>
#include <mutex>
#include <vector>

#include "mantissa/engine.hpp"
#include "mantissa/exact.hpp"
#include "part_array.cuh"
#include "run.cuh"

namespace mantissa::gpu {

#ifdef __CUDACC__

/// Passes of a launch at most, so that rounds are as good as without end.
inline constexpr std::uint64_t kMostPasses = 1u << 20;

template <class Pass> class PartRunner {
    using Element = typename Pass::Element;

public:
    /// p: the vector that is exchanged.
    PartRunner(const PartPlaces& places, const PartArray<Element>& p, std::size_t row_length) : places_(places) {
        Peers& peers = *places.peers;
        const auto kernel = reinterpret_cast<const void*>(parted_run<Pass>);
        std::size_t most = 0;
        for (const PartMap& m : places.maps) most = std::max(most, m.owned());
        unsigned each = 4;
        for (const int device : peers.distinct()) { // (which loads the kernel there, before anybody waits for it)
            const OnDevice here(device);
            int fit = 0;
            check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, Pass::kThreads, 0),
                  "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
            if (fit < 1) throw DeviceError("parted_run", "not one block fits a multiprocessor");
            each = std::min(each, static_cast<unsigned>(fit));
        }
        const std::size_t wanted = (most + Pass::kThreads - 1) / Pass::kThreads;
        blocks_ = static_cast<unsigned>(
            std::clamp<std::size_t>(wanted, 1, std::size_t{each} * static_cast<std::size_t>(peers.multiprocessors())));
        for (int k = 0; k < peers.parts(); ++k) {
            const OnDevice here(peers.device(k));
            sums_.emplace_back(2 * kPartLine + 1);
            result_.emplace_back(1);
            plan_part(k, p, static_cast<long long>(row_length));
        }
    }
    /// The parameters of a part; its vectors, rows and formats are the caller's to fill in.
    typename Pass::Params& params(int part) { return entry_[static_cast<std::size_t>(part)].params; }
    [[nodiscard]] auto* result(int part) const { return result_[static_cast<std::size_t>(part)].data(); }

    /// One launch of params(0).passes passes. All parts have the same scalars, and so the same result.
    auto run(std::uint64_t passes) {
        static std::mutex one; // flags and boxes are the devices'
        const std::lock_guard alone(one);
        Peers& peers = *places_.peers;
        const unsigned long long round = peers.next_round(passes);
        for (int k = 0; k < peers.parts(); ++k) {
            const OnDevice here(peers.device(k));
            sums_[static_cast<std::size_t>(k)].zero();
            PartEntry<Pass>& e = entry_[static_cast<std::size_t>(k)];
            e.shape.view = peers.view(k);
            e.shape.first_round = round;
            e.params.passes = passes;
            e.params.result = result(k);
        }
        for (const int device : peers.distinct()) {
            const OnDevice here(device);
            check(cudaDeviceSynchronize(), "what comes before a run"); // (streams of parts do not wait for others)
        }
        for (const int device : peers.distinct()) {
            const OnDevice here(device);
            const std::vector<int> parts = peers.parts_of(device);
            for (std::size_t i = 0; i < parts.size(); ++i)
                launch_->part[i] = entry_[static_cast<std::size_t>(parts[i])];
            void* arguments[] = {launch_.get()};
            check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(parted_run<Pass>),
                                              dim3(blocks_, static_cast<unsigned>(parts.size())), dim3(Pass::kThreads),
                                              arguments, 0, peers.stream(device)),
                  "launch over parts");
        }
        peers.wait();
        auto result = decltype(Pass::Shared::run){};
        result_[0].download(std::span(&result, 1));
        return result;
    }

    /// Launches until the run ends, from `scalars`, which become the run's; scalar: their format. prepare(k): what else
    /// a launch wants of part k; then(report): when the launch has been counted.
    template <class Prepare, class Then>
    RunReport run_all(const RunRequest& request, const Format& scalar, Scalars& scalars, Prepare&& prepare,
                      Then&& then) {
        RunReport report;
        while (report.passes < request.passes && report.end == RunEnd::passes) {
            for (int k = 0; k < places_.parts(); ++k) {
                auto& a = params(k);
                a.start = scalars;
                a.rho_stop = exact::convert(scalar, request.rho_stop);
                a.rho_stop_from = request.rho_stop_from > report.passes ? request.rho_stop_from - report.passes : 1;
                prepare(k);
            }
            const auto result = run(std::min(request.passes - report.passes, kMostPasses));
            scalars = result.scalars;
            report.passes += result.passes;
            report.sigma_guards += result.guards;
            report.end = result.end;
            then(report);
        }
        return report;
    }

private:
    void plan_part(int k, const PartArray<Element>& p, long long n) {
        const PartMap& m = places_.maps[static_cast<std::size_t>(k)];
        PartEntry<Pass>& e = entry_.emplace_back();
        PartShape& s = e.shape;
        s.own_begin = static_cast<long long>(m.own_begin);
        s.own_end = static_cast<long long>(m.own_end);
        s.inner_begin = static_cast<long long>(m.inner_begin);
        s.inner_end = static_cast<long long>(m.inner_end);
        s.sums = sums_.back().data();
        s.sends = static_cast<int>(m.send_to.size());
        s.receives = static_cast<int>(m.receive_from.size());
        std::ranges::copy(m.send_to, s.send_to);
        std::ranges::copy(m.receive_from, s.receive_from);
        e.halo = make_halo(places_, p, k, n);
    }

    const PartPlaces& places_;
    unsigned blocks_ = 1;
    std::vector<PartEntry<Pass>> entry_;
    std::unique_ptr<PartLaunch<Pass>> launch_ = std::make_unique<PartLaunch<Pass>>();
    std::vector<Buffer<unsigned long long>> sums_;
    std::vector<Buffer<decltype(Pass::Shared::run)>> result_;
};

#endif

} // namespace mantissa::gpu
