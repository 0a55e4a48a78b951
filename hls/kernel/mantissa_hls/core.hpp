// The core: its stages joined by streams, and a pass through them.
#pragma once

#include "mantissa_hls/abi.hpp"
#include "mantissa_hls/row_differences.hpp"
#include "mantissa_hls/row_fluxes.hpp"
#include "mantissa_hls/stream.hpp"
#include "mantissa_hls/vector_update.hpp"

namespace mantissa_hls {

/// The stages with their registers and memories.
template <Datapath D, int Lanes> struct Core {
    Shape shape;
    VectorUpdate<D, Lanes> update;
    LineBuffer<D, Lanes> lines;
    RowSum<D, Lanes> rows;
    DotProduct<D, D.r, D.r, Lanes> rr;
    DotProduct<D, D.p, D.q, Lanes> pq;
    DotProduct<D, D.q, D.q, Lanes> qq;

    void begin(const Shape& s) {
        shape = s;
        lines.begin(s);
        rows.begin(s);
    }
    void begin_pass(const PassRequest& request) {
        constexpr Fmt F = D.given ? D.operand : D.scalar;
        update.begin_pass(convert<D.operand>(unpack<F>(static_cast<Word<F>>(request.alpha))),
                          convert<D.operand>(unpack<F>(static_cast<Word<F>>(request.beta))));
        lines.begin_pass();
        rows.begin_pass();
        if constexpr (D.given) return;
        rr.begin();
        pq.begin();
        qq.begin();
    }
    [[nodiscard]] ScalarResult scalars(const PassRequest& request) {
        bool over = false;
        if constexpr (D.words()) over = update.over() | rows.use().over();
        ScalarResult out;
        if constexpr (D.given) {
            if (over) out.end = PassEnd::window_overflow;
        } else {
            Total<D.scalar> rho = rr.close();
            rho.over |= over;
            out = scalar_unit<D>(rho, pq.close(), qq.close(), request.rho_stop, request.test_rho != 0);
        }
        if constexpr (D.words()) {
            out.taken[0] = update.u_taken();
            out.taken[1] = update.r_taken();
            out.taken[2] = update.p_taken();
            out.taken[3] = rows.use().taken();
        }
        return out;
    }
};

/// The channels between the processes of a pass. Depth is what the caller's schedule needs.
template <Datapath D, int Lanes, int Depth> struct Channels {
    using U = Beat<Word<D.u>, Lanes>;
    using R = Beat<Word<D.r>, Lanes>;
    using P = Beat<Word<D.p>, Lanes>;
    using Q = Beat<Word<D.q>, Lanes>;
    stream<U, Depth> u_in, u_out;
    stream<R, Depth> r_in, r_out, r_dot;
    stream<P, Depth> p_in, p_out, p_line, p_dot;
    stream<Q, Depth> q_in, q_out, q_dot;
    stream<Window<D, Lanes>, Depth> window;
    stream<Bands<D, Lanes>, Depth> band;
};

// The processes. Each is one loop that starts an iteration per clock; `first` is the number of its first beat.

template <class T, int Lanes, int Depth>
void load(const T* from, stream<Beat<T, Lanes>, Depth>& to, std::uint64_t first, int beats) {
    for (int k = 0; k < beats; ++k) {
#pragma HLS PIPELINE II = 1
        Beat<T, Lanes> beat;
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            beat.lane[l] = from[(first + static_cast<unsigned>(k)) * Lanes + static_cast<unsigned>(l)];
        }
        to.write(beat);
    }
}

template <class T, int Lanes, int Depth>
void store(T* to, stream<Beat<T, Lanes>, Depth>& from, std::uint64_t first, int beats) {
    for (int k = 0; k < beats; ++k) {
#pragma HLS PIPELINE II = 1
        const Beat<T, Lanes> beat = from.read();
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            to[(first + static_cast<unsigned>(k)) * Lanes + static_cast<unsigned>(l)] = beat.lane[l];
        }
    }
}

/// The first `streams` of a beat's coefficients; the others are +0.
template <Datapath D, int Lanes, int Depth>
void load_bands(const void* const* band, std::uint32_t streams, stream<Bands<D, Lanes>, Depth>& to, std::uint64_t first,
                int beats) {
    if constexpr (D.streams() > 0)
        for (int k = 0; k < beats; ++k) {
#pragma HLS PIPELINE II = 1
            Bands<D, Lanes> out{};
            for (int b = 0; b < D.streams(); ++b) {
#pragma HLS UNROLL
                if (static_cast<unsigned>(b) >= streams) continue;
                const auto* from = static_cast<const Coefficient<D>*>(band[b]);
                for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
                    out.band[b][l] = from[(first + static_cast<unsigned>(k)) * Lanes + static_cast<unsigned>(l)];
                }
            }
            to.write(out);
        }
}

template <Datapath D, int Lanes, int Depth>
void run_update(Core<D, Lanes>& core, Channels<D, Lanes, Depth>& c, std::uint64_t first, int beats) {
    using C = Channels<D, Lanes, Depth>;
    for (int k = 0; k < beats; ++k) {
#pragma HLS PIPELINE II = 1
        typename C::U u;
        typename C::R r;
        typename C::P p;
        const int live = core.shape.live(first + static_cast<unsigned>(k), Lanes);
        core.update.step(c.u_in.read(), c.r_in.read(), c.p_in.read(), c.q_in.read(), live, u, r, p);
        c.u_out.write(u);
        c.r_out.write(r);
        if constexpr (!D.given) c.r_dot.write(r);
        c.p_out.write(p);
        c.p_line.write(p);
    }
}

/// `beats` slots, of which those from number `end` on are beats of +0. Returns the windows written.
template <Datapath D, int Lanes, int Depth>
int run_lines(Core<D, Lanes>& core, Channels<D, Lanes, Depth>& c, std::uint64_t first, int beats, std::uint64_t end) {
    using C = Channels<D, Lanes, Depth>;
    int windows = 0;
    for (int k = 0; k < beats; ++k) {
#pragma HLS PIPELINE II = 1
        typename C::P p{}, centre;
        Window<D, Lanes> window;
        if (first + static_cast<unsigned>(k) < end) p = c.p_line.read();
        if (core.lines.step(p, window, centre)) {
            c.window.write(window);
            if constexpr (!D.given) c.p_dot.write(centre);
            ++windows;
        }
    }
    return windows;
}

template <Datapath D, int Lanes, int Depth>
void run_rows(Core<D, Lanes>& core, Channels<D, Lanes, Depth>& c, int beats, bool streamed) {
    using C = Channels<D, Lanes, Depth>;
    for (int k = 0; k < beats; ++k) {
#pragma HLS PIPELINE II = 1
        typename C::Q q;
        if (streamed) core.rows.step(c.window.read(), c.band.read(), q);
        else core.rows.step(c.window.read(), core.rows.constant(), q);
        c.q_out.write(q);
        if constexpr (!D.given) c.q_dot.write(q);
    }
}

template <Datapath D, int Lanes, int Depth>
void run_rr(Core<D, Lanes>& core, Channels<D, Lanes, Depth>& c, std::uint64_t first, int beats) {
    for (int k = 0; k < beats; ++k) {
#pragma HLS PIPELINE II = 1
        const auto r = c.r_dot.read();
        core.rr.step(r, r, core.shape.live(first + static_cast<unsigned>(k), Lanes));
    }
}

template <Datapath D, int Lanes, int Depth>
void run_pq_qq(Core<D, Lanes>& core, Channels<D, Lanes, Depth>& c, std::uint64_t first, int beats) {
    for (int k = 0; k < beats; ++k) {
#pragma HLS PIPELINE II = 1
        const auto p = c.p_dot.read();
        const auto q = c.q_dot.read();
        const int live = core.shape.live(first + static_cast<unsigned>(k), Lanes);
        core.pq.step(p, q, live);
        core.qq.step(q, q, live);
    }
}

/// A pass in turns of `Depth` beats: each process takes its turn, so no channel holds more than Depth beats.
template <Datapath D, int Lanes, int Depth> struct Untimed {
    Core<D, Lanes> core;
    Channels<D, Lanes, Depth> channels;

    void pass(const Memory& m, const PassRequest& request, ScalarResult& result) {
        auto& c = channels;
        core.begin_pass(request);
        const std::uint64_t beats = core.shape.beats(Lanes), slots = beats + core.shape.lag(Lanes);
        const bool streamed = core.shape.stencil == 0;
        std::uint64_t rows_done = 0;
        for (std::uint64_t first = 0; first < slots; first += Depth) {
            const int turn = slots - first < Depth ? static_cast<int>(slots - first) : Depth;
            const int real = first >= beats ? 0 : beats - first < Depth ? static_cast<int>(beats - first) : Depth;
            load(static_cast<const Word<D.u>*>(m.u), c.u_in, first, real);
            load(static_cast<const Word<D.r>*>(m.r), c.r_in, first, real);
            load(static_cast<const Word<D.p>*>(m.p), c.p_in, first, real);
            load(static_cast<const Word<D.q>*>(m.q), c.q_in, first, real);
            run_update(core, c, first, real);
            const int rows = run_lines(core, c, first, turn, beats);
            if (streamed) load_bands<D, Lanes>(m.band, core.shape.streams, c.band, rows_done, rows);
            run_rows(core, c, rows, streamed);
            if constexpr (!D.given) {
                run_rr(core, c, first, real);
                run_pq_qq(core, c, rows_done, rows);
            }
            store(static_cast<Word<D.u>*>(m.u), c.u_out, first, real);
            store(static_cast<Word<D.r>*>(m.r), c.r_out, first, real);
            store(static_cast<Word<D.p>*>(m.p), c.p_out, first, real);
            store(static_cast<Word<D.q>*>(m.q), c.q_out, rows_done, rows);
            rows_done += static_cast<unsigned>(rows);
        }
        result = core.scalars(request);
    }
};

} // namespace mantissa_hls
