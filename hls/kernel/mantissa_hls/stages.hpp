// The stages of a pass, one beat per step: vector update, line buffer, row sum. A stage is the body of one pipelined
// loop; its members are the registers and memories that live from step to step.
#pragma once

#include "mantissa_hls/operators.hpp"

namespace mantissa_hls {

/// What a pass runs over; set by the host once.
struct Shape {
    std::uint64_t size = 0;        ///< elements
    std::uint32_t row_length = 0;  ///< elements, 3..kMaxRow
    std::uint32_t stencil = 0;     ///< constant coefficients and an edge of zeros, else nine streamed bands
    std::uint64_t coefficient[9]{}; ///< words of the coefficient format, when stencil

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

/// u' = u + (alpha p), r' = r - (alpha q), p' = r' + (beta p). Lanes from `live` on become +0.
template <Datapath D, int Lanes> struct VectorUpdate {
    Number<D.operand> alpha, beta;

    void step(const Beat<Word<D.u>, Lanes>& u, const Beat<Word<D.r>, Lanes>& r, const Beat<Word<D.p>, Lanes>& p,
              const Beat<Word<D.q>, Lanes>& q, int live, Beat<Word<D.u>, Lanes>& u_new, Beat<Word<D.r>, Lanes>& r_new,
              Beat<Word<D.p>, Lanes>& p_new) const {
#pragma HLS INLINE
        const Number<D.operand> a = alpha, b = beta;
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            const auto step_ = multiply<D.u>(a, unpack<D.p>(p.lane[l]));
            const Word<D.u> word = pack(add<D.u>(unpack<D.u>(u.lane[l]), step_));
            u_new.lane[l] = choose(l < live, word, Word<D.u>{0});
        }
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            const auto step_ = multiply<D.r>(a, unpack<D.q>(q.lane[l]));
            const Word<D.r> word = pack(add<D.r, true>(unpack<D.r>(r.lane[l]), step_));
            r_new.lane[l] = choose(l < live, word, Word<D.r>{0});
        }
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            const auto step_ = multiply<D.p>(b, unpack<D.p>(p.lane[l]));
            const Word<D.p> word = pack(add<D.p>(unpack<D.r>(r_new.lane[l]), step_));
            p_new.lane[l] = choose(l < live, word, Word<D.p>{0});
        }
    }
};

/// Three rows of p' around a beat: lane j of row k is the element j - 1 + (k - 1) row lengths from the beat's first.
template <Datapath D, int Lanes> struct Window {
    Word<D.p> row[3][Lanes + 2];
};

/// From the stream of p' the windows, `Shape::lag` beats later. Behind the last beat the caller feeds beats of +0.
/// Elements before the first read as +0. The first words of the memory stand twice, so that Lanes words in a row never
/// wrap.
template <Datapath D, int Lanes> class LineBuffer {
public:
    void begin(const Shape& shape) {
        row_length_ = shape.row_length;
        lag_ = static_cast<std::int64_t>(shape.lag(Lanes));
        const std::uint64_t span = 2 * std::uint64_t{row_length_} + 4 * Lanes + 2;
        mask_ = 4 * Lanes - 1;
        while (mask_ + 1 < span) mask_ = 2 * mask_ + 1;
    }
    void begin_pass() {
        slot_ = 0;
        for (int k = 0; k < 3; ++k) window_.row[k][Lanes] = window_.row[k][Lanes + 1] = 0;
    }

    /// Takes beat number `slot`; true when `window` and `centre` (its middle row, the beat itself) are those of beat
    /// slot - lag.
    bool step(const Beat<Word<D.p>, Lanes>& p, Window<D, Lanes>& window, Beat<Word<D.p>, Lanes>& centre) {
#pragma HLS INLINE
        const std::uint64_t at = (static_cast<std::uint64_t>(slot_) * Lanes) & mask_;
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            ring_[at + l] = p.lane[l];
        }
        if (at == 0)
            for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
                ring_[mask_ + 1 + l] = p.lane[l];
            }
        const std::int64_t beat = slot_ - lag_;
        ++slot_;
        if (beat < -1) return false;
        for (int k = 0; k < 3; ++k) {
#pragma HLS UNROLL
            window_.row[k][0] = window_.row[k][Lanes];
            window_.row[k][1] = window_.row[k][Lanes + 1];
            const std::int64_t first = beat * Lanes + 1 + (k - 1) * std::int64_t{row_length_};
            const Word<D.p>* from = &ring_[static_cast<std::uint64_t>(first) & mask_];
            if (first >= 0) {
                for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
                    window_.row[k][l + 2] = from[l];
                }
            } else {
                for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
                    window_.row[k][l + 2] = first + l >= 0 ? from[l] : 0;
                }
            }
        }
        if (beat < 0) return false;
        window = window_;
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            centre.lane[l] = window_.row[1][l + 1];
        }
        return true;
    }

private:
    static constexpr int kCapacity = 32768;
    static_assert(2 * kMaxRow + 4 * Lanes + 2 <= kCapacity);
    std::uint32_t row_length_ = 0;
    std::int64_t lag_ = 0, slot_ = 0;
    std::uint64_t mask_ = 0;
    Window<D, Lanes> window_;
    Word<D.p> ring_[kCapacity + Lanes];
};

template <Datapath D, int Lanes> struct Bands {
    Word<D.coefficient> band[9][Lanes];
};

/// q' = the row's nine products, summed in the row format in band order or by pairs, rounded to q's. Edge nodes of a
/// constant stencil, and lanes behind the end, give +0.
template <Datapath D, int Lanes> class RowSum {
public:
    void begin(const Shape& shape) {
        shape_ = shape;
        if (shape.stencil != 0)
            for (int b = 0; b < 9; ++b)
                for (int l = 0; l < Lanes; ++l) constant_.band[b][l] = static_cast<Word<D.coefficient>>(shape.coefficient[b]);
    }
    void begin_pass() {
        beat_ = 0;
        for (int l = 0; l < Lanes; ++l) column_[l] = static_cast<std::uint32_t>(l) % shape_.row_length;
    }
    [[nodiscard]] const Bands<D, Lanes>& constant() const { return constant_; }

    void step(const Window<D, Lanes>& window, const Bands<D, Lanes>& bands, Beat<Word<D.q>, Lanes>& q) {
#pragma HLS INLINE
        const int live = shape_.live(beat_, Lanes);
        Beat<Word<D.q>, Lanes> out;
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            const auto t0 = term<0>(window, bands, l), t1 = term<1>(window, bands, l), t2 = term<2>(window, bands, l);
            const auto t3 = term<3>(window, bands, l), t4 = term<4>(window, bands, l), t5 = term<5>(window, bands, l);
            const auto t6 = term<6>(window, bands, l), t7 = term<7>(window, bands, l), t8 = term<8>(window, bands, l);
            Number<D.row> sum;
            if constexpr (D.tree) {
                const auto a = add<D.row>(add<D.row>(t0, t1), add<D.row>(t2, t3));
                const auto b = add<D.row>(add<D.row>(t4, t5), add<D.row>(t6, t7));
                sum = add<D.row>(add<D.row>(a, b), t8);
            } else {
                const auto a = add<D.row>(add<D.row>(add<D.row>(t0, t1), t2), t3);
                const auto b = add<D.row>(add<D.row>(add<D.row>(a, t4), t5), t6);
                sum = add<D.row>(add<D.row>(b, t7), t8);
            }
            out.lane[l] = pack(convert<D.q>(sum));
        }
        q = out;
        if (shape_.stencil != 0) edge(q);
        if (live < Lanes)
            for (int l = 0; l < Lanes; ++l) q.lane[l] = l < live ? q.lane[l] : 0;
        ++beat_;
    }

private:
    template <int B>
    MANTISSA_HLS_INLINE static Number<D.row> term(const Window<D, Lanes>& window, const Bands<D, Lanes>& bands, int l) {
        return multiply<D.row>(unpack<D.coefficient>(bands.band[B][l]), unpack<D.p>(window.row[B / 3][l + B % 3]));
    }

    void edge(Beat<Word<D.q>, Lanes>& q) {
#pragma HLS INLINE
        const std::uint32_t n = shape_.row_length;
        const std::uint64_t first = beat_ * Lanes;
        const bool border = first < n || first + Lanes + n > shape_.size;
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            const bool edge = (column_[l] == 0) | (column_[l] == n - 1);
            q.lane[l] = edge ? 0 : q.lane[l];
            const std::uint32_t next = column_[l] + Lanes % n;
            column_[l] = next >= n ? next - n : next;
        }
        if (border)
            for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
                const std::uint64_t i = first + static_cast<unsigned>(l);
                q.lane[l] = (i < n) | (i + n >= shape_.size) ? 0 : q.lane[l];
            }
    }

    Shape shape_;
    std::uint64_t beat_ = 0;
    std::uint32_t column_[Lanes];
    Bands<D, Lanes> constant_;
};

} // namespace mantissa_hls
