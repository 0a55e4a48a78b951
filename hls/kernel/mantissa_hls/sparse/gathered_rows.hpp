// Rows of any sparse matrix in words: a beat brings each lane one entry, {column, coefficient}; p' of the column is
// gathered from banked memory, multiplied, and added to the lane's exact sum. The order of beats is
// mantissa::sparse_core::RowStream's; exact sums do not depend on it.
#pragma once

#include "mantissa_hls/vector_update.hpp"

namespace mantissa_hls {

/// The memory of a vector on the chip: bank l holds lane l of every beat.
template <class T, int Lanes> using Banks = Beat<T, Lanes>;

/// Where a lane's column is: position = address * Lanes + bank.
template <int Lanes> struct Place {
    std::uint32_t address, bank;
    explicit Place(std::uint32_t position)
        : address(position / static_cast<unsigned>(Lanes)), bank(position % static_cast<unsigned>(Lanes)) {}
};

/// p' for one beat, as a processor reads it.
template <class T, int Lanes>
MANTISSA_HLS_INLINE void gather(const Banks<T, Lanes>* p, const std::uint32_t* column, T* out) {
    for (int l = 0; l < Lanes; ++l) {
        const Place<Lanes> at(column[l]);
        out[l] = p[at.address].lane[at.bank];
    }
}

/// Which of a bank's two ports a lane reads at: the parity of the lane's number, as the stream is ordered for.
constexpr int port_of(int lane) {
    int port = 0;
    for (; lane != 0; lane /= 2) port ^= lane % 2;
    return port;
}

/// The same as hardware does it: every bank is read once by each of its two ports, at the address of the lane that asks
/// for it there, and each lane takes what its port read. The stream sees to it that no beat asks a port for more than
/// one word.
template <class T, int Lanes>
MANTISSA_HLS_INLINE void gather_by_ports(const Banks<T, Lanes>* p, const std::uint32_t* column, T* out) {
    T word[2][Lanes];
    for (int b = 0; b < Lanes; ++b) {
#pragma HLS UNROLL
        std::uint32_t address[2] = {0, 0};
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            const Place<Lanes> at(column[l]);
            if (at.bank == static_cast<unsigned>(b)) address[port_of(l)] = at.address;
        }
        word[0][b] = p[address[0]].lane[b];
        word[1][b] = p[address[1]].lane[b];
    }
    for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
        out[l] = word[port_of(l)][Place<Lanes>(column[l]).bank];
    }
}

/// A row has at most 2^20 entries.
inline constexpr int kRowLog = 20;

/// The lanes' sums.
template <Datapath D, int Lanes> class GatheredRows {
public:
    static constexpr int kCoefficientBits = D.coefficient.word + 1;
    using Sum = Exact<kCoefficientBits + D.p.word + kRowLog>;

    void begin(std::int32_t row_shift) {
        onto_q_.set(row_shift, D.q.nearest);
        clear();
    }
    void begin_pass() {
        use_.begin();
        clear();
    }
    /// One beat: an entry for each lane.
    MANTISSA_HLS_INLINE void add(const Coefficient<D>* coefficient, const Word<D.p>* p) {
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            sum_[l] += static_cast<Sum>(sign_extended<kCoefficientBits>(coefficient[l])) *
                       static_cast<Sum>(integer<D.p>(p[l]));
        }
    }
    /// After a slice's last beat: q', and sums from 0 again. Lanes from `live` on become 0.
    MANTISSA_HLS_INLINE void close(int live, Beat<Word<D.q>, Lanes>& q) {
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            const Moved row = onto_q_(sum_[l]);
            const Kept<D.q> kept = keep<D.q>(row.units, row.beyond);
            const auto word = choose(l < live, static_cast<Word<D.q>>(kept.word), Word<D.q>{0});
            use_.note(l, static_cast<Integer<D.q>>(word), static_cast<Word<D.q>>(kept.over & (l < live)));
            q.lane[l] = word;
        }
        clear();
    }
    [[nodiscard]] WordUse<D.q, Lanes>& use() {
        return use_;
    }

private:
    void clear() {
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            sum_[l] = 0;
        }
    }
    Sum sum_[Lanes];
    Shift<Sum> onto_q_;
    WordUse<D.q, Lanes> use_;
};

} // namespace mantissa_hls
