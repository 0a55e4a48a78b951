// The sparse core: u, r, p and q in banked memory on the chip, the matrix streamed once a pass. A pass has two parts:
// u', r' and p' of all elements, a beat a clock; then the rows of A p', a beat of entries a clock.
#pragma once

#include "mantissa_hls/abi.hpp"
#include "mantissa_hls/sparse/gathered_rows.hpp"

namespace mantissa_hls {

/// The core's registers. Its memories are the caller's: on a chip, arrays in block RAM.
template <Datapath D, int Lanes> struct SparseCore {
    SparseShape shape;
    VectorUpdate<D, Lanes> update;
    GatheredRows<D, Lanes> rows;
    DotProduct<D, D.r, D.r, Lanes> rr;
    DotProduct<D, D.p, D.q, Lanes> pq;
    DotProduct<D, D.q, D.q, Lanes> qq;

    using U = Banks<Word<D.u>, Lanes>;
    using R = Banks<Word<D.r>, Lanes>;
    using P = Banks<Word<D.p>, Lanes>;
    using Q = Banks<Word<D.q>, Lanes>;

    void begin(const SparseShape& s) {
        shape = s;
        rows.begin(s.row_shift);
    }
    void begin_pass(const PassRequest& request) {
        update.begin_pass(convert<D.operand>(unpack<D.scalar>(static_cast<Word<D.scalar>>(request.alpha))),
                          convert<D.operand>(unpack<D.scalar>(static_cast<Word<D.scalar>>(request.beta))));
        rows.begin_pass();
        rr.begin();
        pq.begin();
        qq.begin();
    }
    /// Elements of address `at` that are there.
    [[nodiscard]] MANTISSA_HLS_INLINE int live(std::uint64_t at) const {
        const std::uint64_t left = shape.size - at * Lanes;
        return left < static_cast<unsigned>(Lanes) ? static_cast<int>(left) : Lanes;
    }

    /// Addresses first .. end - 1 of u, r and p, in place.
    void run_update(U* u, R* r, P* p, const Q* q, std::uint64_t first, std::uint64_t end) {
        for (std::uint64_t at = first; at < end; ++at) {
#pragma HLS PIPELINE II = 1
            const U u_old = u[at];
            const R r_old = r[at];
            const P p_old = p[at];
            R r_new;
            update.step(u_old, r_old, p_old, q[at], live(at), u[at], r_new, p[at]);
            r[at] = r_new;
            rr.step(r_new, r_new, live(at));
        }
    }

    /// Slices first .. end - 1. Beat b of the stream has `column` and `coefficient` from b * Lanes on; slice s takes
    /// the beats slice_begin[s] .. slice_begin[s + 1] - 1. One loop over beats, so that short slices cost no more than
    /// their beats. `ByPorts`: read p' as two ports a bank do.
    template <bool ByPorts>
    void run_rows(const P* p, Q* q, const std::uint32_t* column, const Coefficient<D>* coefficient,
                  const std::uint64_t* slice_begin, std::uint64_t first, std::uint64_t end) {
        std::uint64_t slice = first, slice_end = slice_begin[first + 1];
        const std::uint64_t last = slice_begin[end];
        for (std::uint64_t b = slice_begin[first]; b < last; ++b) {
#pragma HLS PIPELINE II = 1
            Word<D.p> gathered[Lanes];
            if constexpr (ByPorts) gather_by_ports<Word<D.p>, Lanes>(p, column + b * Lanes, gathered);
            else gather<Word<D.p>, Lanes>(p, column + b * Lanes, gathered);
            rows.add(coefficient + b * Lanes, gathered);
            if (b + 1 == slice_end) {
                Q q_new;
                rows.close(live(slice), q_new);
                pq.step(p[slice], q_new, live(slice)); // the last beat brought the rows' own p'
                qq.step(q_new, q_new, live(slice));
                q[slice] = q_new;
                ++slice;
                slice_end = slice_begin[slice + (slice < end ? 1 : 0)];
            }
        }
    }

    /// What another core's part of the system adds to the totals and flags of this pass.
    void merge(SparseCore& other) {
        rr.merge(other.rr);
        pq.merge(other.pq);
        qq.merge(other.qq);
        update.merge(other.update);
        rows.use().merge(other.rows.use());
    }
    [[nodiscard]] ScalarResult scalars(const PassRequest& request) {
        Total<D.scalar> rho = rr.close();
        rho.over |= update.over() | rows.use().over();
        ScalarResult out = scalar_unit<D>(rho, pq.close(), qq.close(), request.rho_stop, request.test_rho != 0);
        out.taken[0] = update.u_taken();
        out.taken[1] = update.r_taken();
        out.taken[2] = update.p_taken();
        out.taken[3] = rows.use().taken();
        return out;
    }
};

} // namespace mantissa_hls
