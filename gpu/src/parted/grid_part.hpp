// What kernels are given of a part of a grid: a strip of its rows.
#pragma once

#include "mantissa/gpu/peers.hpp"
#include "schedules/cg_control.cuh"

namespace mantissa::gpu {

/// T: float or double, of u, r and p. Element (x, y) of an array is at origin + y * pitch + x with y counted from the
/// part's first row; rows -2, -1 and rows, rows + 1 are copies of the neighbours' rows, zero outside the grid.
template <class T> struct GridPart {
    PeerView view;
    int columns, rows; ///< points of this part
    int before, after; ///< rows of the grid in parts before and after this one
    long long points;  ///< of the whole grid
    long long pitch, origin;
    double centre, east, north, diagonal;
    double row_sum, side_sum;           ///< of all nine coefficients, and of the three to the east, each rounded once
    int strips, segments, segment_rows; ///< warps across and down
    int fine_strips, fine_segments, fine_segment_rows; ///< the same for the defect
    const double* b;
    double* x;
    T *u, *r[2], *p[2];
    /// Where a neighbour keeps its copies of my rows, so that my index is right; null where there is none.
    double *low_x, *high_x;
    T *low_r[2], *low_p[2], *high_r[2], *high_p[2];
    /// Resident plan: packets of points on tiles' borders, two buffers.
    PeerPacket *halo[2], *low_halo[2], *high_halo[2];
    unsigned long long* words[kMaxParts]; ///< each part's words of sums (part_block.cuh)
    unsigned long long first_round;
    int first_ratios[2]; ///< exponents of p.A p and of |A p|^2 over |p|^2 for p = b, about
    ControlParams ask;
    bool plain; ///< no defects: r[0] = b at the start, and the recurrence's residual ends the solve
    ControlResult* result;
    long long* laps; ///< of PartLaps
};

} // namespace mantissa::gpu
