// Rows as sums of fluxes f_d = w_d (p_i - p_(i+d)) towards E, NW, N and NE. Each is formed once, at the element that it
// leaves, and used twice: there, and at the element where it arrives. What arrives from the grid row below is summed
// before it is kept for a row, so the memory holds one row of sums beside the line buffer's one row of p'.
#pragma once

#include "mantissa_hls/row_products.hpp"

namespace mantissa_hls {

/// Sums of |sum| < 2^Bits in words: eight weights of up to 2^(C-1) on differences below 2^P, and a row sum of up to
/// 2^C.
template <Datapath D> inline constexpr int kFluxBits = D.coefficient.word + D.p.word + 3;

/// What fluxes are formed with. A Value is a number on its way, Stored what registers and memories keep of it.
template <Datapath D, int Lanes, bool Words = D.words()> class FluxArithmetic {
public:
    using Value = Number<D.row>;
    using Stored = Word<D.row>;

    void begin(const Shape& shape) { edges_.begin(shape); }
    void begin_pass() { edges_.begin_pass(); }

    MANTISSA_HLS_INLINE static Value flux(Coefficient<D> w, Word<D.p> here, Word<D.p> there) {
        return multiply<D.row>(unpack<D.coefficient>(w), add<D.row, true>(unpack<D.p>(here), unpack<D.p>(there)));
    }
    MANTISSA_HLS_INLINE static Value product(Coefficient<D> c, Word<D.p> p) {
        return multiply<D.row>(unpack<D.coefficient>(c), unpack<D.p>(p));
    }
    MANTISSA_HLS_INLINE static Value plus(const Value& a, const Value& b) { return add<D.row>(a, b); }
    MANTISSA_HLS_INLINE static Value minus(const Value& a, const Value& b) { return add<D.row, true>(a, b); }
    MANTISSA_HLS_INLINE static Stored store(const Value& v) { return pack(v); }
    MANTISSA_HLS_INLINE static Value fetch(Stored s) { return unpack<D.row>(s); }

    MANTISSA_HLS_INLINE void close(const Stored* sum, Beat<Word<D.q>, Lanes>& q) {
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            q.lane[l] = pack(convert<D.q>(unpack<D.row>(sum[l])));
        }
        edges_.clear(q);
    }

private:
    EdgeNodes<Lanes> edges_;
};

/// In words every sum is exact.
template <Datapath D, int Lanes> class FluxArithmetic<D, Lanes, true> {
public:
    using Value = Exact<kFluxBits<D>>;
    using Stored = Value;

    void begin(const Shape& shape) { row_.begin(shape); }
    void begin_pass() { row_.begin_pass(); }

    MANTISSA_HLS_INLINE static Value flux(Coefficient<D> w, Word<D.p> here, Word<D.p> there) {
        return coefficient(w) * (static_cast<Value>(integer<D.p>(here)) - static_cast<Value>(integer<D.p>(there)));
    }
    MANTISSA_HLS_INLINE static Value product(Coefficient<D> c, Word<D.p> p) {
        return coefficient(c) * static_cast<Value>(integer<D.p>(p));
    }
    MANTISSA_HLS_INLINE static Value plus(Value a, Value b) { return a + b; }
    MANTISSA_HLS_INLINE static Value minus(Value a, Value b) { return a - b; }
    MANTISSA_HLS_INLINE static Stored store(Value v) { return v; }
    MANTISSA_HLS_INLINE static Value fetch(Stored s) { return s; }

    MANTISSA_HLS_INLINE void close(const Stored* sum, Beat<Word<D.q>, Lanes>& q) { row_.close(sum, q); }
    [[nodiscard]] const WordUse<D.q, Lanes>& use() const { return row_.use(); }

private:
    MANTISSA_HLS_INLINE static Value coefficient(Coefficient<D> w) {
        return static_cast<Value>(sign_extended<D.coefficient.word + 1>(w));
    }

    RowWords<D, Lanes, kFluxBits<D>> row_;
};

/// Weights towards E, NW, N and NE and, where the matrix has row sums, c: streamed, or a stencil's.
template <Datapath D, int Lanes> class RowSum<D, Lanes, RowForm::flux> : public FluxArithmetic<D, Lanes> {
    using Base = FluxArithmetic<D, Lanes>;
    using typename Base::Stored;
    using typename Base::Value;

public:
    void begin(const Shape& shape) {
        Base::begin(shape);
        row_length_ = shape.row_length;
        row_sums_ = shape.row_sums != 0;
        given_.begin(std::uint64_t{row_length_} + 3 * Lanes + 2);
        for (int b = 0; b < 5; ++b)
            for (int l = 0; l < Lanes; ++l) constant_.band[b][l] = static_cast<Coefficient<D>>(shape.coefficient[b]);
    }
    void begin_pass() {
        Base::begin_pass();
        beat_ = 0;
        east_[Lanes] = north_[Lanes] = north_east_[Lanes] = north_east_[Lanes + 1] = Stored{0};
    }
    [[nodiscard]] const Bands<D, Lanes>& constant() const { return constant_; }

    void step(const Window<D, Lanes>& window, const Bands<D, Lanes>& bands, Beat<Word<D.q>, Lanes>& q) {
#pragma HLS INLINE
        form(window, bands);
        // What elements get from the row below: of the element one back, for whom the flux towards NW is known now.
        Stored given[Lanes], below[Lanes], sum[Lanes];
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            given[l] = Base::store(Base::plus(Base::plus(Base::fetch(north_east_[l]), Base::fetch(north_[l])),
                                              Base::fetch(north_west_[l])));
        }
        given_.write(beat_, given);
        given_.read(beat_ * Lanes - std::int64_t{row_length_} + 1, below);
        if (row_sums_) sums<true>(window, bands, below, sum);
        else sums<false>(window, bands, below, sum);
        Base::close(sum, q);
        ++beat_;
    }

private:
    /// The fluxes of a beat, after the last ones of the beat before.
    MANTISSA_HLS_INLINE void form(const Window<D, Lanes>& window, const Bands<D, Lanes>& bands) {
        east_[0] = east_[Lanes];
        north_[0] = north_[Lanes];
        north_east_[0] = north_east_[Lanes];
        north_east_[1] = north_east_[Lanes + 1];
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            const Word<D.p> here = window.row[0][l + 1];
            east_[l + 1] = Base::store(Base::flux(bands.band[0][l], here, window.row[0][l + 2]));
            north_west_[l] = Base::store(Base::flux(bands.band[1][l], here, window.row[1][l]));
            north_[l + 1] = Base::store(Base::flux(bands.band[2][l], here, window.row[1][l + 1]));
            north_east_[l + 2] = Base::store(Base::flux(bands.band[3][l], here, window.row[1][l + 2]));
        }
    }
    template <bool RowSums>
    MANTISSA_HLS_INLINE void sums(const Window<D, Lanes>& window, const Bands<D, Lanes>& bands, const Stored* below,
                                  Stored* sum) const {
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            const Value up = Base::plus(Base::plus(Base::fetch(north_west_[l]), Base::fetch(north_[l + 1])),
                                        Base::fetch(north_east_[l + 2]));
            const Value along = Base::minus(Base::fetch(east_[l + 1]), Base::fetch(east_[l]));
            Value row = Base::plus(along, Base::minus(up, Base::fetch(below[l])));
            if constexpr (RowSums) row = Base::plus(row, Base::product(bands.band[4][l], window.row[0][l + 1]));
            sum[l] = Base::store(row);
        }
    }

    std::uint32_t row_length_ = 0;
    bool row_sums_ = false;
    std::int64_t beat_ = 0;
    Stored east_[Lanes + 1], north_west_[Lanes], north_[Lanes + 1], north_east_[Lanes + 2];
    Bands<D, Lanes> constant_;
    static constexpr int kCapacity = 16384;
    static_assert(kMaxRow + 4 * Lanes + 2 <= kCapacity);
    Ring<Stored, Lanes, kCapacity> given_; ///< of element t at t + 1, so that a beat of them is one of the memory's
};

} // namespace mantissa_hls
