// Rows as second differences, of a constant stencil: a = (p_E - p) - (p - p_W) and s = (beta p) + (gamma a) are formed
// once, as p' comes in, and kept for the grid rows that want them.
#pragma once

#include "mantissa_hls/row_products.hpp"

namespace mantissa_hls {

/// s of the rows below, here and above, a here; words of the row format. p here.
template <Datapath D, int Lanes> struct Window<D, Lanes, RowForm::second_difference> {
    Word<D.row> south[Lanes], here[Lanes], north[Lanes], along[Lanes];
    Word<D.p> p[Lanes];
};

template <Datapath D, int Lanes> class LineBuffer<D, Lanes, RowForm::second_difference> {
public:
    void begin(const Shape& shape) {
        row_length_ = shape.row_length;
        lag_ = static_cast<std::int64_t>(shape.lag(Lanes));
        beta_ = unpack<D.coefficient>(static_cast<Word<D.coefficient>>(shape.coefficient[1]));
        gamma_ = unpack<D.coefficient>(static_cast<Word<D.coefficient>>(shape.coefficient[2]));
        s_.begin(2 * std::uint64_t{row_length_} + 4 * Lanes + 2);
        a_.begin(std::uint64_t{row_length_} + 4 * Lanes + 2);
        p_.begin(std::uint64_t{row_length_} + 4 * Lanes + 2);
    }
    void begin_pass() {
        slot_ = 0;
        last_[Lanes] = last_[Lanes + 1] = 0;
    }

    bool step(const Beat<Word<D.p>, Lanes>& p, Window<D, Lanes>& window, Beat<Word<D.p>, Lanes>& centre) {
#pragma HLS INLINE
        // The differences of the elements one back: their eastern neighbours are here now.
        last_[0] = last_[Lanes];
        last_[1] = last_[Lanes + 1];
        Word<D.row> a[Lanes], s[Lanes];
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            last_[l + 2] = p.lane[l];
        }
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            const auto west = unpack<D.p>(last_[l]), here = unpack<D.p>(last_[l + 1]), east = unpack<D.p>(last_[l + 2]);
            const auto along = add<D.row, true>(add<D.row, true>(east, here), add<D.row, true>(here, west));
            a[l] = pack(along);
            s[l] = pack(add<D.row>(multiply<D.row>(beta_, here), multiply<D.row>(gamma_, along)));
        }
        p_.write(slot_, p.lane);
        a_.write(slot_, a);
        s_.write(slot_, s);
        const std::int64_t beat = slot_ - lag_;
        ++slot_;
        if (beat < 0) return false;
        const std::int64_t first = beat * Lanes, n = row_length_;
        p_.read(first, window.p);
        a_.read(first + 1, window.along);
        s_.read(first + 1 - n, window.south);
        s_.read(first + 1, window.here);
        s_.read(first + 1 + n, window.north);
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            centre.lane[l] = window.p[l];
        }
        return true;
    }

private:
    static constexpr int kCapacity = 32768;
    static_assert(2 * kMaxRow + 4 * Lanes + 2 <= kCapacity);
    std::uint32_t row_length_ = 0;
    std::int64_t lag_ = 0, slot_ = 0;
    Number<D.coefficient> beta_, gamma_;
    Word<D.p> last_[Lanes + 2];
    Ring<Word<D.row>, Lanes, kCapacity> s_; ///< of element t at t + 1, as a's
    Ring<Word<D.row>, Lanes, kCapacity / 2> a_;
    Ring<Word<D.p>, Lanes, kCapacity / 2> p_;
};

template <Datapath D, int Lanes> class RowSum<D, Lanes, RowForm::second_difference> {
public:
    void begin(const Shape& shape) {
        edges_.begin(shape);
        row_sums_ = shape.row_sums != 0;
        alpha_ = unpack<D.coefficient>(static_cast<Word<D.coefficient>>(shape.coefficient[0]));
        c_ = unpack<D.coefficient>(static_cast<Word<D.coefficient>>(shape.coefficient[3]));
    }
    void begin_pass() { edges_.begin_pass(); }
    [[nodiscard]] Bands<D, Lanes> constant() const { return {}; }

    void step(const Window<D, Lanes>& window, const Bands<D, Lanes>&, Beat<Word<D.q>, Lanes>& q) {
#pragma HLS INLINE
        if (row_sums_) sums<true>(window, q);
        else sums<false>(window, q);
        edges_.clear(q);
    }

private:
    template <bool RowSums>
    MANTISSA_HLS_INLINE void sums(const Window<D, Lanes>& window, Beat<Word<D.q>, Lanes>& q) const {
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            const auto south = unpack<D.row>(window.south[l]), here = unpack<D.row>(window.here[l]),
                       north = unpack<D.row>(window.north[l]);
            const auto across = add<D.row, true>(add<D.row, true>(north, here), add<D.row, true>(here, south));
            auto row = add<D.row>(across, multiply<D.row>(alpha_, unpack<D.row>(window.along[l])));
            if constexpr (RowSums) row = add<D.row>(row, multiply<D.row>(c_, unpack<D.p>(window.p[l])));
            q.lane[l] = pack(convert<D.q>(row));
        }
    }

    EdgeNodes<Lanes> edges_;
    bool row_sums_ = false;
    Number<D.coefficient> alpha_, c_;
};

} // namespace mantissa_hls
