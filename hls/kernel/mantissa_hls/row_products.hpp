// Rows as sums of nine products: floating, each operation rounded; or in words, exact and rounded once.
#pragma once

#include "mantissa_hls/line_buffer.hpp"
#include "mantissa_hls/words.hpp"

namespace mantissa_hls {

/// What one beat of a row sum takes from the streams of coefficients.
template <Datapath D, int Lanes, int Streams = D.streams()> struct Bands { Coefficient<D> band[Streams][Lanes]; };
/// No streams.
template <Datapath D, int Lanes> struct Bands<D, Lanes, 0> {};

/// q' = the row's nine products, summed in the row format in band order or by pairs, rounded to q's. Edge nodes of a
/// constant stencil, and lanes after the end, give +0.
template <Datapath D, int Lanes, RowForm Form = D.form> class RowSum {
public:
    void begin(const Shape& shape) {
        edges_.begin(shape);
        if (shape.stencil != 0)
            for (int b = 0; b < 9; ++b)
                for (int l = 0; l < Lanes; ++l)
                    constant_.band[b][l] = static_cast<Word<D.coefficient>>(shape.coefficient[b]);
    }
    void begin_pass() { edges_.begin_pass(); }
    [[nodiscard]] const Bands<D, Lanes>& constant() const { return constant_; }

    void step(const Window<D, Lanes>& window, const Bands<D, Lanes>& bands, Beat<Word<D.q>, Lanes>& q) {
#pragma HLS INLINE
        Beat<Word<D.q>, Lanes> out;
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            const auto t0 = term<0>(window, bands, l), t1 = term<1>(window, bands, l), t2 = term<2>(window, bands, l);
            const auto t3 = term<3>(window, bands, l), t4 = term<4>(window, bands, l), t5 = term<5>(window, bands, l);
            const auto t6 = term<6>(window, bands, l), t7 = term<7>(window, bands, l), t8 = term<8>(window, bands, l);
            Number<D.row> sum;
            if constexpr (Form == RowForm::tree) {
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
        edges_.clear(out);
        q = out;
    }

private:
    template <int B>
    MANTISSA_HLS_INLINE static Number<D.row> term(const Window<D, Lanes>& window, const Bands<D, Lanes>& bands, int l) {
        return multiply<D.row>(unpack<D.coefficient>(bands.band[B][l]), unpack<D.p>(window.row[B / 3][l + B % 3]));
    }

    EdgeNodes<Lanes> edges_;
    Bands<D, Lanes> constant_;
};

/// The end of a row in words: an exact sum onto q's grid, its low bits kept. |sum| is below 2^Bits.
template <Datapath D, int Lanes, int Bits> class RowWords {
public:
    using Sum = Exact<Bits>;

    void begin(const Shape& shape) {
        edges_.begin(shape);
        onto_q_.set(shape.row_shift, D.q.nearest);
    }
    void begin_pass() {
        edges_.begin_pass();
        use_.begin();
    }
    MANTISSA_HLS_INLINE void close(const Sum* sum, Beat<Word<D.q>, Lanes>& q) {
        Beat<Word<D.q>, Lanes> out, over;
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            const Moved row = onto_q_(sum[l]);
            const Kept<D.q> kept = keep<D.q>(row.units, row.beyond);
            out.lane[l] = static_cast<Word<D.q>>(kept.word);
            over.lane[l] = static_cast<Word<D.q>>(kept.over);
        }
        edges_.clear(out, over);
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            use_.note(l, static_cast<Integer<D.q>>(out.lane[l]), over.lane[l]);
        }
        q = out;
    }
    [[nodiscard]] const WordUse<D.q, Lanes>& use() const {
        return use_;
    }

private:
    EdgeNodes<Lanes> edges_;
    Shift<Sum> onto_q_;
    WordUse<D.q, Lanes> use_;
};

/// In words, with a constant stencil: nine integers below 2^30, in registers. The host sees to it that sums stay below
/// 2^62.
template <Datapath D, int Lanes> class RowSum<D, Lanes, RowForm::integers> {
public:
    void begin(const Shape& shape) {
        row_.begin(shape);
        for (int b = 0; b < 9; ++b) stencil_[b] = static_cast<std::int32_t>(shape.coefficient[b]);
    }
    void begin_pass() { row_.begin_pass(); }
    [[nodiscard]] Bands<D, Lanes> constant() const { return {}; }

    void step(const Window<D, Lanes>& window, const Bands<D, Lanes>&, Beat<Word<D.q>, Lanes>& q) {
#pragma HLS INLINE
        std::int64_t sum[Lanes];
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            std::int64_t total = 0;
            for (int b = 0; b < 9; ++b) {
#pragma HLS UNROLL
                total += std::int64_t{stencil_[b]} * integer<D.p>(window.row[b / 3][l + b % 3]);
            }
            sum[l] = total;
        }
        row_.close(sum, q);
    }
    [[nodiscard]] const WordUse<D.q, Lanes>& use() const {
        return row_.use();
    }

private:
    std::int32_t stencil_[9];
    RowWords<D, Lanes, 62> row_;
};

} // namespace mantissa_hls
