// What a pass runs over, and the line buffer: from the stream of p' the grid rows around each beat.
#pragma once

#include "mantissa_hls/operators.hpp"

namespace mantissa_hls {

/// What a pass runs over; set by the host once.
struct Shape {
    std::uint64_t size = 0;       ///< elements
    std::uint32_t row_length = 0; ///< elements, 3..kMaxRow
    std::uint32_t stencil = 0;    ///< constant coefficients and an edge of zeros
    std::uint32_t streams = 0;    ///< of coefficients, without a stencil: nine; four; five with row sums
    std::uint32_t row_sums = 0;   ///< rows of differences have (c p) at last
    std::int32_t row_shift = 0;   ///< words: an exact row sum times 2^-row_shift is in units of q
    /// A stencil's, words of the coefficient format: nine in band order; of fluxes E, NW, N, NE and c; of second
    /// differences alpha, beta, gamma and c. With RowForm::integers two's complement, band order.
    std::uint64_t coefficient[9]{};

    [[nodiscard]] std::uint64_t beats(int lanes) const {
        return (size + static_cast<unsigned>(lanes) - 1) / static_cast<unsigned>(lanes);
    }
    /// Beats by which the line buffer's window lags what goes in.
    [[nodiscard]] std::uint64_t lag(int lanes) const {
        return row_length / static_cast<unsigned>(lanes) + (lanes == 1 ? 1 : 2);
    }
    /// Lanes of beat `beat` that hold elements.
    [[nodiscard]] int live(std::uint64_t beat, int lanes) const {
        const std::uint64_t left = size - beat * static_cast<unsigned>(lanes);
        return left < static_cast<unsigned>(lanes) ? static_cast<int>(left) : lanes;
    }
};

/// A memory of words that are written in beats and read from any word on, Lanes in a row. It holds the last
/// Capacity - Lanes or more; the first ones stand twice, so that a beat never wraps. Words in front of the first are
/// +0.
template <class T, int Lanes, int Capacity> class Ring {
public:
    /// `span` words are read back at the most.
    void begin(std::uint64_t span) {
        mask_ = 4 * Lanes - 1;
        while (mask_ + 1 < span) mask_ = 2 * mask_ + 1;
    }
    MANTISSA_HLS_INLINE void write(std::int64_t beat, const T* from) {
        const std::uint64_t at = (static_cast<std::uint64_t>(beat) * Lanes) & mask_;
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            at_[at + l] = from[l];
        }
        if (at == 0)
            for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
                at_[mask_ + 1 + l] = from[l];
            }
    }
    MANTISSA_HLS_INLINE void read(std::int64_t first, T* to) const {
        const T* from = &at_[static_cast<std::uint64_t>(first) & mask_];
        if (first >= 0) {
            for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
                to[l] = from[l];
            }
        } else {
            for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
                to[l] = first + l >= 0 ? from[l] : T{0};
            }
        }
    }

private:
    std::uint64_t mask_ = 0;
    T at_[Capacity + Lanes];
};

/// Grid rows of p' around a beat: lane j of row k is the element j - 1 + (k - kBelow) row lengths from the beat's
/// first. Products want the row below, fluxes do not: what that row gives has been formed already.
template <Datapath D, int Lanes, RowForm Form = D.form> struct Window {
    static constexpr int kBelow = Form == RowForm::flux ? 0 : 1, kRows = kBelow + 2;
    Word<D.p> row[kRows][Lanes + 2];
};

/// From the stream of p' the windows, `Shape::lag` beats later. After the last beat the caller feeds beats of +0.
/// Elements before the first read as +0.
template <Datapath D, int Lanes, RowForm Form = D.form> class LineBuffer {
    using W = Window<D, Lanes>;

public:
    void begin(const Shape& shape) {
        row_length_ = shape.row_length;
        lag_ = static_cast<std::int64_t>(shape.lag(Lanes));
        ring_.begin((W::kRows - 1) * std::uint64_t{row_length_} + 4 * Lanes + 2);
    }
    void begin_pass() {
        slot_ = 0;
        for (int k = 0; k < W::kRows; ++k) window_.row[k][Lanes] = window_.row[k][Lanes + 1] = 0;
    }

    /// Takes beat number `slot`; true when `window` and `centre` (its middle row, the beat itself) are those of beat
    /// slot - lag.
    bool step(const Beat<Word<D.p>, Lanes>& p, W& window, Beat<Word<D.p>, Lanes>& centre) {
#pragma HLS INLINE
        ring_.write(slot_, p.lane);
        const std::int64_t beat = slot_ - lag_;
        ++slot_;
        if (beat < -1) return false;
        for (int k = 0; k < W::kRows; ++k) {
#pragma HLS UNROLL
            window_.row[k][0] = window_.row[k][Lanes];
            window_.row[k][1] = window_.row[k][Lanes + 1];
            ring_.read(beat * Lanes + 1 + (k - W::kBelow) * std::int64_t{row_length_}, &window_.row[k][2]);
        }
        if (beat < 0) return false;
        window = window_;
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            centre.lane[l] = window_.row[W::kBelow][l + 1];
        }
        return true;
    }

private:
    static constexpr int kCapacity = W::kRows == 3 ? 32768 : 16384;
    static_assert((W::kRows - 1) * kMaxRow + 4 * Lanes + 2 <= kCapacity);
    std::uint32_t row_length_ = 0;
    std::int64_t lag_ = 0, slot_ = 0;
    W window_;
    Ring<Word<D.p>, Lanes, kCapacity> ring_;
};

/// Which elements have rows: not the edge nodes of a constant stencil, nor lanes after the last element.
template <int Lanes> class EdgeNodes {
public:
    void begin(const Shape& shape) { shape_ = shape; }
    void begin_pass() {
        beat_ = 0;
        for (int l = 0; l < Lanes; ++l) column_[l] = static_cast<std::uint32_t>(l) % shape_.row_length;
    }
    /// +0 in place of what the next beat has for elements without a row.
    template <class... T> MANTISSA_HLS_INLINE void clear(Beat<T, Lanes>&... beats) {
        if (shape_.stencil != 0) clear_edge(beats...);
        const int live = shape_.live(beat_, Lanes);
        if (live < Lanes)
            for (int l = 0; l < Lanes; ++l) ((beats.lane[l] = l < live ? beats.lane[l] : T{0}), ...);
        ++beat_;
    }

private:
    template <class... T> MANTISSA_HLS_INLINE void clear_edge(Beat<T, Lanes>&... beats) {
        const std::uint32_t n = shape_.row_length;
        const std::uint64_t first = beat_ * Lanes;
        const bool border = first < n || first + Lanes + n > shape_.size;
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            const bool edge = (column_[l] == 0) | (column_[l] == n - 1);
            ((beats.lane[l] = edge ? T{0} : beats.lane[l]), ...);
            const std::uint32_t next = column_[l] + Lanes % n;
            column_[l] = next >= n ? next - n : next;
        }
        if (border)
            for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
                const std::uint64_t i = first + static_cast<unsigned>(l);
                const bool outside = (i < n) | (i + n >= shape_.size);
                ((beats.lane[l] = outside ? T{0} : beats.lane[l]), ...);
            }
    }

    Shape shape_;
    std::uint64_t beat_ = 0;
    std::uint32_t column_[Lanes];
};

} // namespace mantissa_hls
