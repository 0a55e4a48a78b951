// What the grid solver over parts keeps: the grid, and each part's memory.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "grid_part.hpp"
#include "mantissa/gpu/parted_grid.hpp"
#include "schedules/solve_watch.hpp"

namespace mantissa::gpu {

inline constexpr int kLaps = 5; // of PartLaps

/// A part's vectors in its device's memory.
struct PartMemory {
    int first_row = 0, rows = 0;
    Buffer<double> b, x, partial;
    Buffer<unsigned char> vectors[5]; ///< u, r twice, p twice
    Buffer<PeerPacket> halo[2];
    Buffer<unsigned long long> words;
    Buffer<ControlResult> result;
    Buffer<long long> laps;
};

struct PartedGridSolver::Impl {
    Peers& peers;
    std::size_t size = 0, row_length = 0, first = 0;
    int columns = 0, rows = 0;
    long long pitch = 0, origin = 0;
    double centre = 0, east = 0, north = 0, diagonal = 0, row_sum = 0, side_sum = 0;
    double b_norm = 0;
    std::array<int, 2> first_ratios{}; ///< exponents of p.A p and of |A p|^2 over |p|^2 for p = b, about
    std::vector<PartMemory> memory;

    Impl(Peers& over, const System& system);
    [[nodiscard]] long long elements(const PartMemory& m) const { return (m.rows + 6) * pitch + 512; }
    [[nodiscard]] ControlParams control_of(const PartedRequest& q) const;
    template <class T> [[nodiscard]] std::vector<GridPart<T>> base_parts();
    /// Rows of a thread with which every part's tiles fit its multiprocessors; 0: none.
    [[nodiscard]] int resident_depth(const PartedRequest& q) const;
    template <class T> void prepare_stream(std::vector<GridPart<T>>& parts, int blocks) const;
    template <class T> int prepare_resident(std::vector<GridPart<T>>& parts, int depth) const;
    template <class T> void run(const PartedRequest& q, SolveWatch& watch, PartedReport& report);
    [[nodiscard]] double norm(const std::vector<Buffer<double>>& v) const;
    void guess_ratios(std::span<const double> b);
    void exchange_x();
    void judge(double tolerance, PartedReport& report);
    PartedReport solve(const PartedRequest& request);
};

} // namespace mantissa::gpu
