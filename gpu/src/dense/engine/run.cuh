// The launches of one factorisation. The host asks for nothing between them: a fault stops the kernels after it.
#pragma once

#include <algorithm>
#include <array>

#include "factorisations.hpp"
#include "full.cuh"
#include "mantissa/gpu/device.hpp"
#include "panel.cuh"
#include "tournament.cuh"
#include "update.cuh"

namespace mantissa::gpu::lu {

/// Words beside the matrix.
enum Word : std::size_t { kFault, kInputColumn, kInputOutside, kExchanges, kLargestBefore, kLargestAfter, kWords };

#ifdef __CUDACC__

/// Matrix elements into sums. A number that is not finite counts by its column.
template <class Sums>
__global__ void start_sums(const __grid_constant__ Problem<Sums> p, const double* given, unsigned long long* words) {
    const long long size = static_cast<long long>(p.n) * p.n;
    unsigned long long largest = 0;
    for (long long at = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; at < size;
         at += static_cast<long long>(gridDim.x) * blockDim.x) {
        const double x = p.sums.a.convert(given[at]);
        const int column = static_cast<int>(at % p.n);
        if (!isfinite(x)) {
            atomicMin(words + kInputColumn, static_cast<unsigned long long>(column));
            p.w[at] = typename Sums::W(0);
            continue;
        }
        Marks marks;
        p.w[at] = p.sums.start(given[at], marks);
        if (marks.outside) words[kInputOutside] = 1;
        largest = max(largest, static_cast<unsigned long long>(__double_as_longlong(fabs(x))));
    }
    atomicMax(words + kLargestBefore, largest);
    for (int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); k < p.n;
         k += static_cast<int>(gridDim.x * blockDim.x)) {
        p.row_at[k] = static_cast<unsigned>(k);
        if (p.column_at != nullptr) p.column_at[k] = static_cast<unsigned>(k);
    }
}

/// The factors in their order, as doubles.
template <class Sums>
__global__ void gather_factors(const __grid_constant__ Problem<Sums> p, const typename Sums::Op* upper, double* out,
                               unsigned long long* words) {
    const int i = static_cast<int>(blockIdx.x);
    const auto* const row = p.factor_row(static_cast<int>(p.row_at[i]));
    unsigned long long largest = 0;
    for (int j = static_cast<int>(threadIdx.x); j < p.n; j += static_cast<int>(blockDim.x)) {
        const double x = static_cast<double>(
            upper != nullptr && j >= i ? upper[static_cast<long long>(i) * p.n + p.column_at[j]] : row[j]);
        out[static_cast<long long>(i) * p.n + j] = x;
        if (j >= i) largest = max(largest, static_cast<unsigned long long>(__double_as_longlong(fabs(x))));
    }
    atomicMax(words + kLargestAfter, largest);
}

template <class Sums> class Run final : public Factorisation {
    using W = typename Sums::W;
    using Op = typename Sums::Op;
    static constexpr int kRowsEach = 16;       ///< rows of a panel that a block of a grid has at least
    static constexpr int kRowsInCluster = 128; ///< rows for which a cluster takes no further block

public:
    Run(const LuSpec& spec, std::size_t n, const LuEngineOptions& options)
        : spec_(spec), n_(static_cast<int>(n)),
          blocks_(options.blocks > 0 ? std::min(options.blocks, require_device().multiprocessors)
                                     : require_device().multiprocessors),
          given_(n * n), w_(n * n), f_(n * n), row_at_(n), words_(kWords), candidates_(2 * (count(blocks_) + 1)),
          candidate_rows_(2 * (count(blocks_) + 1) * kPanel), arrived_(n + 1),
          failed_(1), p_{Sums(spec),
                         DoubleUnit(spec.l),
                         spec.pivot,
                         spec.tau,
                         spec.division == LuDivision::reciprocal,
                         n_,
                         w_.data(),
                         f_.data(),
                         row_at_.data(),
                         nullptr,
                         candidates_.data(),
                         candidate_rows_.data(),
                         words_.data() + kFault,
                         words_.data() + kExchanges,
                         arrived_.data(),
                         failed_.data()} {
        if (spec.pivot == LuPivot::full) {
            column_at_.allocate(n);
            upper_.allocate(n * n);
            p_.column_at = column_at_.data();
        }
        if (spec.pivot == LuPivot::tournament) prepare_tournament();
        prepare(options);
    }

    LuFactors factor(const DenseMatrix& a, double* seconds) override {
        given_.upload(a.values());
        constexpr std::array<unsigned long long, kWords> kStart = {kNoFault, kNoFault, 0, 0, 0, 0};
        words_.upload(kStart);
        arrived_.zero();
        failed_.zero();
        panels_ = 0;
        Timer timer;
        timer.start();
        start_sums<Sums><<<4 * static_cast<unsigned>(blocks_), kThreads>>>(p_, given_.data(), words_.data());
        check(cudaGetLastError(), "start_sums");
        if (spec_.pivot == LuPivot::full) launch_full();
        else launch_panels();
        gather_factors<Sums><<<static_cast<unsigned>(n_), kThreads>>>(p_, upper_.data(), given_.data(), words_.data());
        check(cudaGetLastError(), "gather_factors");
        const double took = timer.stop();
        if (seconds != nullptr) *seconds = took;
        return result();
    }

private:
    LuSpec spec_;
    int n_, blocks_, panels_ = 0;
    int cluster_ = 0;      ///< blocks of a panel's cluster; 0: a grid
    Buffer<double> given_; ///< the matrix, and its factors in the end
    Buffer<W> w_;
    Buffer<Op> f_, upper_;
    Buffer<unsigned> row_at_, column_at_;
    Buffer<unsigned long long> words_;
    Buffer<Candidate<W>> candidates_;
    Buffer<W> candidate_rows_;
    Buffer<unsigned long long> arrived_; ///< a barrier's counter for each panel
    Buffer<int> failed_, position_of_, counts_[2];
    Buffer<unsigned> list_rows_[2];
    int leaf_ = 0, election_rows_ = 0;
    Problem<Sums> p_;

    static std::size_t count(int x) { return static_cast<std::size_t>(x); }
    static unsigned groups(int elements, int size) { return static_cast<unsigned>((elements + size - 1) / size); }

    static std::size_t shared_for(const void* kernel) {
        cudaFuncAttributes own{};
        check(cudaFuncGetAttributes(&own, kernel), "cudaFuncGetAttributes");
        const std::size_t most = require_device().shared_per_block - own.sharedSizeBytes;
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(most)),
              "cudaFuncSetAttribute");
        return most;
    }
    static const void* full_kernel() { return reinterpret_cast<const void*>(factor_full<Sums>); }
    static const void* cluster_kernel() { return reinterpret_cast<const void*>(factor_panel<Sums, ClusterLink<Sums>>); }
    static const void* grid_kernel() { return reinterpret_cast<const void*>(factor_panel<Sums, GridLink<Sums>>); }

    /// Which kernels run: full pivoting, panels by a cluster, or by a grid where a cluster does not hold the rows.
    void prepare(const LuEngineOptions& options) {
        // The driver loads a kernel when it is first named: here, and not while a factorisation is timed.
        for (const void* kernel :
             {reinterpret_cast<const void*>(start_sums<Sums>), reinterpret_cast<const void*>(form_rows<Sums>),
              reinterpret_cast<const void*>(update_part<Sums>), reinterpret_cast<const void*>(gather_factors<Sums>)}) {
            cudaFuncAttributes unused{};
            check(cudaFuncGetAttributes(&unused, kernel), "cudaFuncGetAttributes");
        }
        const std::size_t n = count(n_);
        bool fits = false;
        if (spec_.pivot == LuPivot::full) {
            fits = full_bytes<Sums>(n, count(std::min(blocks_, n_))) <= shared_for(full_kernel());
        } else {
            if (options.blocks == 0) prepare_cluster();
            fits = cluster_ > 0 ||
                   panel_bytes<Sums, GridLink<Sums>>(groups(n_, panel_blocks(n_))) <= shared_for(grid_kernel());
        }
        if (!fits)
            throw InvalidInput("engine gpu: " + std::to_string(n) +
                               " unknowns are more than a panel can keep on the chip; use --engine emulated");
    }
    void prepare_cluster() {
        const std::size_t most = shared_for(cluster_kernel());
        check(cudaFuncSetAttribute(cluster_kernel(), cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
              "cudaFuncSetAttribute");
        for (int blocks = kMostInCluster; blocks >= kMostInCluster / 2; blocks /= 2) {
            const std::size_t bytes = panel_bytes<Sums, ClusterLink<Sums>>(groups(n_, blocks));
            if (bytes > most) continue;
            ClusterLaunch launch(blocks, bytes);
            int clusters = 0;
            if (cudaOccupancyMaxActiveClusters(&clusters, cluster_kernel(), &launch.config) == cudaSuccess &&
                clusters > 0) {
                cluster_ = blocks;
                return;
            }
            static_cast<void>(cudaGetLastError());
        }
    }
    /// A launch of one cluster.
    struct ClusterLaunch {
        cudaLaunchAttribute attribute{};
        cudaLaunchConfig_t config{};
        ClusterLaunch(int blocks, std::size_t bytes) {
            attribute.id = cudaLaunchAttributeClusterDimension;
            attribute.val.clusterDim.x = static_cast<unsigned>(blocks);
            attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
            config.gridDim = dim3(static_cast<unsigned>(blocks));
            config.blockDim = dim3(kPanelThreads);
            config.dynamicSmemBytes = bytes;
            config.attrs = &attribute;
            config.numAttrs = 1;
        }
        ClusterLaunch(const ClusterLaunch&) = delete;
        ClusterLaunch& operator=(const ClusterLaunch&) = delete;
    };
    /// Blocks of a grid for a panel of `rows` rows.
    [[nodiscard]] int panel_blocks(int rows) const {
        return std::min(blocks_, static_cast<int>(groups(rows, kRowsEach)));
    }

    void launch_full() {
        Op* upper = upper_.data();
        void* arguments[] = {&p_, &upper};
        const int blocks = std::min(blocks_, n_);
        check(cudaLaunchCooperativeKernel(full_kernel(), dim3(count32(blocks)), dim3(kThreads), arguments,
                                          full_bytes<Sums>(count(n_), count(blocks)), nullptr),
              "factor_full");
    }
    static unsigned count32(int x) { return static_cast<unsigned>(x); }

    /// Panels of `outer` columns, of which order=blocked sums the products, in panels of 32.
    void launch_panels() {
        const bool sums = spec_.order == LuOrder::blocked && !Sums::kWindow;
        const int outer = sums ? spec_.block : n_;
        const int width = spec_.pivot == LuPivot::tournament ? spec_.tournament_columns : kPanel;
        for (int first = 0; first < n_; first += outer) {
            const int last = std::min(n_, first + outer);
            for (int begin = first; begin < last; begin += width) {
                const int end = std::min(last, begin + width);
                if (spec_.pivot == LuPivot::tournament) launch_tournament(begin, end);
                launch_panel(begin, end);
                launch_rows(begin, end, end, last);
                launch_update(begin, end, {end, n_, end, last});
            }
            if (last == n_) break;
            // Only now is it known which rows are the panel's.
            for (int begin = first; begin < last; begin += width) {
                const int end = std::min(last, begin + width);
                launch_rows(begin, end, last, n_);
                launch_update(begin, end, {end, last, last, n_});
            }
            launch_sum(first, last);
        }
    }

    void prepare_tournament() {
        if (spec_.tournament_columns > kPanel)
            throw InvalidInput("engine gpu: a tournament for " + std::to_string(spec_.tournament_columns) +
                               " columns at once, and it plays for 32 at most; use --engine emulated");
        leaf_ = std::min(spec_.tournament_rows, n_);
        election_rows_ = std::max(leaf_, 2 * std::min(spec_.tournament_columns, n_));
        if (election_bytes<Sums>(count(election_rows_)) > shared_for(reinterpret_cast<const void*>(play_level<Sums>)))
            throw InvalidInput("engine gpu: a tournament with leaves of " + std::to_string(spec_.tournament_rows) +
                               " rows does not fit the chip; use shorter ones or --engine emulated");
        position_of_.allocate(count(n_));
        for (int side = 0; side < 2; ++side) {
            list_rows_[side].allocate(groups(n_, leaf_) * kPanel);
            counts_[side].allocate(groups(n_, leaf_));
        }
    }
    /// The pivots of columns begin .. end to their positions.
    void launch_tournament(int begin, int end) {
        const auto side = [&](int level) { return Lists{list_rows_[level & 1].data(), counts_[level & 1].data()}; };
        const std::size_t bytes = election_bytes<Sums>(count(election_rows_));
        unsigned lists = groups(n_ - begin, leaf_);
        int level = 0;
        for (unsigned elections = lists;; ++level) {
            play_level<Sums><<<elections, kThreads, bytes>>>(p_, begin, end - begin, level, leaf_, election_rows_,
                                                             static_cast<int>(lists), side(level - 1), side(level));
            check(cudaGetLastError(), "play_level");
            lists = elections;
            if (lists == 1) break;
            elections = (lists + 1) / 2;
        }
        bring_winners<Sums><<<1, kThreads>>>(p_, begin, side(level), position_of_.data());
        check(cudaGetLastError(), "bring_winners");
    }
    void launch_panel(int begin, int end) {
        const int rows = n_ - begin;
        Problem<Sums> p = p_;
        void* arguments[] = {&p, &begin, &end};
        if (cluster_ > 0) {
            int blocks = cluster_;
            while (blocks > 1 && rows <= kRowsInCluster * (blocks / 2)) blocks /= 2;
            const ClusterLaunch launch(blocks, panel_bytes<Sums, ClusterLink<Sums>>(groups(rows, blocks)));
            check(cudaLaunchKernelExC(&launch.config, cluster_kernel(), arguments), "factor_panel");
            return;
        }
        p.arrived += panels_++;
        const int blocks = panel_blocks(rows);
        check(cudaLaunchCooperativeKernel(grid_kernel(), dim3(count32(blocks)), dim3(kPanelThreads), arguments,
                                          panel_bytes<Sums, GridLink<Sums>>(groups(rows, blocks)), nullptr),
              "factor_panel");
    }
    void launch_rows(int begin, int end, int column_begin, int column_end) {
        if (column_begin >= column_end) return;
        form_rows<Sums><<<groups(column_end - column_begin, 32), kThreads>>>(p_, begin, end, column_begin, column_end);
        check(cudaGetLastError(), "form_rows");
    }
    void launch_update(int begin, int end, const Part& part) {
        if (part.row_begin >= part.row_end || part.column_begin >= part.column_end) return;
        const dim3 grid(groups(part.column_end - part.column_begin, kTile),
                        groups(part.row_end - part.row_begin, kTile));
        update_part<Sums><<<grid, kThreads>>>(p_, begin, end - begin, part);
        check(cudaGetLastError(), "update_part");
    }
    void launch_sum(int first, int last) {
        if constexpr (!Sums::kWindow) {
            const dim3 grid(groups(n_ - last, kTile), groups(n_ - last, kTile));
            update_by_sum<Sums><<<grid, kThreads>>>(p_, first, last - first, Part{last, n_, last, n_});
            check(cudaGetLastError(), "update_by_sum");
        }
    }

    LuFactors result() const {
        std::array<unsigned long long, kWords> words{};
        words_.download(words);
        LuFactors r;
        if (words[kInputColumn] != kNoFault) {
            r.end = LuEnd::not_finite;
            r.at = words[kInputColumn];
            return r;
        }
        if (words[kInputOutside] != 0) {
            r.end = LuEnd::overflow;
            return r;
        }
        const std::size_t n = count(n_);
        r.rows.resize(n);
        row_at_.download(r.rows);
        r.columns.resize(n);
        if (spec_.pivot == LuPivot::full) column_at_.download(r.columns);
        else
            for (std::size_t j = 0; j < n; ++j) r.columns[j] = static_cast<std::uint32_t>(j);
        r.exchanges = words[kExchanges];
        r.lu = DenseMatrix(n);
        given_.download({r.lu.row(0).data(), n * n});
        r.at = n;
        if (words[kFault] != kNoFault) {
            constexpr LuEnd kEnds[] = {LuEnd::singular, LuEnd::overflow, LuEnd::not_finite};
            r.end = kEnds[words[kFault] % 4];
            r.at = words[kFault] / 4;
            return r;
        }
        const double before = std::bit_cast<double>(words[kLargestBefore]),
                     after = std::bit_cast<double>(words[kLargestAfter]);
        r.growth = before == 0 ? 0 : after / before;
        return r;
    }
};

#endif

} // namespace mantissa::gpu::lu
