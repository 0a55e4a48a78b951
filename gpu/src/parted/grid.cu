// The driver of the grid solver over parts: plans, launches, the verdict.
#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <vector>

#include "../peers/part_timer.hpp"
#include "exact_residual.cuh"
#include "grid_driver.hpp"
#include "grid_launches.hpp"
#include "mantissa/format.hpp"
#include "mantissa/reached.hpp"
#include "part_block.cuh"

namespace mantissa::gpu {

namespace {

__global__ void part_to_float(const double* from, float* to, long long n) {
    for (long long i = blockIdx.x * 256LL + threadIdx.x; i < n; i += 256LL * gridDim.x)
        to[i] = static_cast<float>(from[i]);
}

struct Cut {
    int strips, segments, rows;
};
Cut cut_strips(int columns, int rows, int width, int warps) {
    const int strips = (columns + width - 1) / width;
    int segments = std::max(1, std::min(rows, warps / strips));
    const int each = (rows + segments - 1) / segments;
    segments = (rows + each - 1) / each;
    return {strips, segments, each};
}

} // namespace

double PartedGridSolver::Impl::norm(const std::vector<Buffer<double>>& v) const {
    constexpr int kBlocks = 512;
    double s = 0;
    for (std::size_t p = 0; p < memory.size(); ++p) {
        const OnDevice here(peers.device(static_cast<int>(p)));
        const PartMemory& m = memory[p];
        sum_of_squares<<<kBlocks, 256>>>(v.empty() ? m.b.data() : v[p].data(), elements(m), m.partial.data());
        check(cudaGetLastError(), "sum_of_squares");
        std::vector<double> host(kBlocks);
        m.partial.download(host);
        for (const double x : host) s += x;
    }
    return std::sqrt(s);
}

ControlParams PartedGridSolver::Impl::control_of(const PartedRequest& q) const {
    const bool wide = q.arithmetic == Arithmetic::double_precision;
    if (!(*q.replace >= 0 && *q.replace < 1))
        throw InvalidInput("replace: it is a reduction of the residual norm, below 1, or 0 for none");
    ControlParams ask{};
    ask.max_passes = q.max_passes != 0 ? q.max_passes : static_cast<std::uint32_t>(40 * rows + 1000);
    ask.tolerance = q.tolerance;
    ask.inner = wide ? 0 : q.inner;
    ask.gain = wide ? *q.replace : 0;
    ask.patience = wide ? 10 : 100;
    ask.guided = true;
    ask.first_norm = b_norm;
    const double magnitudes = std::abs(centre) + 2 * std::abs(east) + 2 * std::abs(north) + 4 * std::abs(diagonal);
    ask.coefficient_exponent = std::ilogb(magnitudes) + 1;
    return ask;
}

int PartedGridSolver::Impl::resident_depth(const PartedRequest& q) const {
    if (q.plan == Plan::stream) return 0;
    int most = 0;
    for (const PartMemory& m : memory) most = std::max(most, m.rows);
    // (64 rows, which only float has room for, are slower than a stream)
    const int deepest = q.arithmetic != Arithmetic::double_precision && q.plan == Plan::resident ? 64 : 32;
    for (int depth = 4; depth <= deepest; depth *= 2) {
        const ChipTiles tile = chip_tiles(depth);
        const int across = (columns + tile.columns - 1) / tile.columns, down = (most + tile.rows - 1) / tile.rows;
        if (across * down <= std::min(peers.multiprocessors(), 255)) return depth;
    }
    if (q.plan == Plan::resident)
        throw InvalidInput("resident plan: the grid does not fit the registers and shared memory of these devices; use "
                           "the stream plan");
    return 0;
}

template <class T> void PartedGridSolver::Impl::prepare_stream(std::vector<GridPart<T>>& parts, int blocks) const {
    const int warps = blocks * (stream_threads(sizeof(T)) / 32);
    for (GridPart<T>& a : parts) {
        const Cut cut = cut_strips(columns, a.rows, sizeof(T) == 8 ? 60 : 120, warps);
        const Cut fine = cut_strips(columns, a.rows, 60, warps);
        if (fine.strips > warps)
            throw InvalidInput("grid solver over GPUs: grid rows of more than " + std::to_string(warps * 60) +
                               " points");
        a.strips = cut.strips;
        a.segments = cut.segments;
        a.segment_rows = cut.rows;
        a.fine_strips = fine.strips;
        a.fine_segments = fine.segments;
        a.fine_segment_rows = fine.rows;
    }
}

/// Returns the blocks of a part.
template <class T> int PartedGridSolver::Impl::prepare_resident(std::vector<GridPart<T>>& parts, int depth) const {
    const ChipTiles tile = chip_tiles(depth);
    int blocks = 0;
    for (GridPart<T>& a : parts) {
        a.strips = (columns + tile.columns - 1) / tile.columns;
        // As many tiles as there is room for, so that each is small.
        a.segments = std::max((a.rows + tile.rows - 1) / tile.rows, std::min(peers.multiprocessors(), 255) / a.strips);
        a.segment_rows = (a.rows + a.segments - 1) / a.segments;
        blocks = std::max(blocks, a.strips * a.segments);
    }
    return blocks;
}

template <class T> void PartedGridSolver::Impl::run(const PartedRequest& q, SolveWatch& watch, PartedReport& report) {
    const int depth = resident_depth(q);
    for (std::size_t p = 0; p < memory.size(); ++p) {
        const OnDevice here(peers.device(static_cast<int>(p)));
        PartMemory& m = memory[p];
        const std::size_t bytes = static_cast<std::size_t>(elements(m)) * sizeof(T);
        for (Buffer<unsigned char>& v : m.vectors) {
            if (v.size() != bytes) {
                v = {};
                v.allocate(bytes);
            }
            v.zero();
        }
        if (depth != 0)
            for (Buffer<PeerPacket>& h : m.halo)
                if (h.size() == 0) {
                    h.allocate(static_cast<std::size_t>(elements(m)));
                    h.zero();
                }
        m.x.zero();
        m.words.zero();
    }
    std::vector<GridPart<T>> parts = base_parts<T>();
    const ControlParams ask = control_of(q);
    const bool plain = q.arithmetic == Arithmetic::single_precision ||
                       (q.arithmetic == Arithmetic::double_precision && *q.replace == 0);
    // Each pass is one round, and a few are made twice; a restart is two.
    const unsigned long long round = peers.next_round(8ull * ask.max_passes + 64);
    for (std::size_t p = 0; p < memory.size(); ++p) {
        GridPart<T>& a = parts[p];
        a.ask = ask;
        if (p == 0) a.ask.window = watch.window();
        a.plain = plain;
        a.first_round = round;
        std::ranges::copy(first_ratios, a.first_ratios);
        const OnDevice here(peers.device(static_cast<int>(p)));
        if (!plain) continue;
        // The halo rows of r[0] are b's, which every part has.
        const long long count = elements(memory[p]);
        if constexpr (std::is_same_v<T, float>) part_to_float<<<512, 256>>>(a.b, a.r[0], count);
        else
            check(cudaMemcpy(a.r[0], a.b, static_cast<std::size_t>(count) * sizeof(T), cudaMemcpyDeviceToDevice),
                  "cudaMemcpy");
        check(cudaGetLastError(), "part_to_float");
    }
    int blocks = std::min(peers.multiprocessors(), 255);
    if (depth != 0) blocks = prepare_resident(parts, depth);
    else prepare_stream(parts, blocks);
    for (const int d : peers.distinct()) {
        const OnDevice here(d);
        check(cudaDeviceSynchronize(), "preparation of a solve over parts");
    }
    PartTimer timer(peers, 0);
    if (depth != 0) launch_part_resident(peers, std::span<const GridPart<T>>(parts), depth, blocks);
    else launch_part_stream(peers, std::span<const GridPart<T>>(parts), blocks);
    timer.stop();
    watch.follow(timer);
    peers.wait();
    report.seconds = timer.seconds();
    const GridPart<T>& a = parts[0];
    report.plan = depth != 0 ? Plan::resident : Plan::stream;
    const int width = depth != 0 ? chip_tiles(depth).columns : sizeof(T) == 8 ? 60 : 120;
    report.plan_text = std::to_string(peers.parts()) + " parts, each of " + std::to_string(a.strips) + " x " +
                       std::to_string(a.segments) + (depth != 0 ? " tiles of " : " strips of ") +
                       std::to_string(width) + " x " + std::to_string(a.segment_rows);
    report.bytes_per_row = depth != 0 ? 0.0 : 5.0 * sizeof(T);
}

void PartedGridSolver::Impl::judge(double tolerance, PartedReport& report) {
    exchange_x();
    std::vector<GridPart<double>> parts = base_parts<double>();
    std::vector<Buffer<double>> defects;
    for (std::size_t p = 0; p < memory.size(); ++p) {
        const OnDevice here(peers.device(static_cast<int>(p)));
        check(cudaDeviceSynchronize(), "cudaMemcpy between parts");
        defects.emplace_back(static_cast<std::size_t>(elements(memory[p])));
        defects.back().zero();
        exact_defect<<<1024, 256>>>(parts[p], defects.back().data());
        check(cudaGetLastError(), "exact_defect");
    }
    report.true_residual = norm(defects) / b_norm;
    if (tolerance == 0) return;
    if (report.true_residual < tolerance * (1 + kReachedSlack)) report.end = CgEnd::converged;
    else if (report.end == CgEnd::converged) report.end = CgEnd::stagnated;
}

PartedReport PartedGridSolver::Impl::solve(const PartedRequest& request) {
    PartedRequest q = request;
    // By size alone, so that bits depend on nothing else.
    if (!q.replace) q.replace = static_cast<long long>(columns) * rows <= 1 << 20 ? 1e-5 : 1e-2;
    PartedReport report;
    if (b_norm == 0) {
        for (PartMemory& m : memory) m.x.zero();
        report.end = CgEnd::converged;
        return report;
    }
    report.initial_norm = b_norm;
    SolveWatch watch(q.watch);
    switch (q.arithmetic) {
    case Arithmetic::double_precision:
        run<double>(q, watch, report);
        break;
    case Arithmetic::single_precision:
    case Arithmetic::mixed_float:
        run<float>(q, watch, report);
        break;
    default:
        throw InvalidInput("grid solver over GPUs: " + to_string(q.arithmetic) +
                           " is not there; it has float, double and mixed-float");
    }
    std::array<ControlResult, 1> result{};
    memory[0].result.download(result);
    const ControlResult& done = result[0];
    report.double_passes = q.arithmetic == Arithmetic::double_precision ? done.passes : 0;
    report.end = watch.stopped() && done.end == CgEnd::not_finite ? CgEnd::cancelled : done.end;
    report.passes = done.passes;
    report.outer = done.outer;
    report.guards = done.guards;
    std::array<long long, kLaps> laps{};
    memory[0].laps.download(laps);
    double all = 0;
    for (const long long l : laps) all += static_cast<double>(l);
    if (all > 0)
        report.shares = {static_cast<double>(laps[0]) / all, static_cast<double>(laps[1]) / all,
                         static_cast<double>(laps[2]) / all, static_cast<double>(laps[3]) / all,
                         static_cast<double>(laps[4]) / all};
    judge(q.tolerance, report);
    return report;
}

PartedGridSolver::PartedGridSolver(Peers& peers, const System& system) : impl_(std::make_unique<Impl>(peers, system)) {}
PartedGridSolver::~PartedGridSolver() = default;

PartedReport PartedGridSolver::solve(const PartedRequest& request) {
    return impl_->solve(request);
}

} // namespace mantissa::gpu
