// The device's side of parts: flags and packets at system scope, sums over parts, and waits that end.
//
// A wait ends when what it waits for has come, when another part has given up, or after the time-out. It then tells all
// parts, and every caller gets `false` and leaves its kernel: a device that stops answering ends a solve, no more.
#pragma once

#include "mantissa/gpu/peers.hpp"

namespace mantissa::gpu {

#ifdef __CUDACC__

__device__ __forceinline__ unsigned long long nanoseconds() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}
__device__ __forceinline__ unsigned long long load_acquire(const unsigned long long* from) {
    unsigned long long value;
    asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
    return value;
}
__device__ __forceinline__ unsigned long long load_relaxed(const unsigned long long* from) {
    unsigned long long value;
    asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
    return value;
}
__device__ __forceinline__ void store_release(unsigned long long* to, unsigned long long value) {
    asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(to), "l"(value) : "memory");
}
__device__ __forceinline__ void store_relaxed(unsigned long long* to, unsigned long long value) {
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(to), "l"(value) : "memory");
}
/// A 16-byte packet arrives whole.
__device__ __forceinline__ void put_peer_packet(PeerPacket* to, unsigned long long value, unsigned long long round) {
    asm volatile("{ .reg .b128 t; mov.b128 t, {%1, %2}; st.relaxed.sys.global.b128 [%0], t; }" ::"l"(to), "l"(value),
                 "l"(round)
                 : "memory");
}
__device__ __forceinline__ PeerPacket get_peer_packet(const PeerPacket* from) {
    PeerPacket p;
    asm volatile("{ .reg .b128 t; ld.relaxed.sys.global.b128 t, [%2]; mov.b128 {%0, %1}, t; }"
                 : "=l"(p.value), "=l"(p.round)
                 : "l"(from)
                 : "memory");
    return p;
}

/// Tells all parts that this one gives up waiting for `what` (a part, or kMaxParts: blocks of its own).
__device__ __noinline__ inline void give_up(const PeerView& v, int what) {
    for (int p = 0; p < v.parts; ++p) {
        store_relaxed(&v.box[p]->waited_for, static_cast<unsigned long long>(what) + 1);
        store_release(&v.box[p]->abort, static_cast<unsigned long long>(v.me) + 1);
    }
}

/// Calls `come` until it is true. Returns false where the wait ends otherwise. Any number of threads, each for itself.
template <class Come> __device__ __forceinline__ bool wait_until(const PeerView& v, int what, Come&& come) {
    unsigned long long deadline = 0;
    for (unsigned polls = 1;; ++polls) {
        if (come()) return true;
        if (polls % 1024 != 0) continue;
        if (load_relaxed(&v.box[v.me]->abort) != 0) return false;
        const unsigned long long now = nanoseconds();
        if (deadline == 0) deadline = now + v.timeout;
        else if (now > deadline) {
            give_up(v, what);
            return false;
        }
    }
}

/// Flag `slot` of a part's box. What the caller wrote before (and what it has seen of others, as after a barrier of
/// its block) is visible to who has waited for the flag.
__device__ __forceinline__ void raise_flag(const PeerView& v, int part, int slot, unsigned long long round) {
    store_release(&v.box[part]->flag[slot].value, round);
}
/// Waits until flag `slot` of the own box has reached `round`; `from` is the part that raises it.
__device__ __forceinline__ bool wait_flag(const PeerView& v, int from, int slot, unsigned long long round) {
    return wait_until(v, from, [&] { return load_acquire(&v.box[v.me]->flag[slot].value) >= round; });
}

/// One thread's word of a sum over parts: goes to all other parts. Buffers alternate with rounds, which each part takes
/// in turn: a part may publish round k + 1 when all its threads have collected round k.
__device__ __forceinline__ void publish_word(const PeerView& v, unsigned long long round, int word,
                                             unsigned long long value) {
    for (int p = 0; p < v.parts; ++p)
        if (p != v.me) put_peer_packet(&v.box[p]->sums[round & 1][v.me][word], value, round);
}
/// Adds the other parts' words to `value`. Any number of threads may collect the same word.
__device__ __forceinline__ bool collect_word(const PeerView& v, unsigned long long round, int word,
                                             unsigned long long& value) {
    for (int p = 0; p < v.parts; ++p) {
        if (p == v.me) continue;
        const PeerPacket* const from = &v.box[v.me]->sums[round & 1][p][word];
        PeerPacket packet{};
        const bool there = wait_until(v, p, [&] {
            packet = get_peer_packet(from);
            return packet.round == round;
        });
        if (!there) return false;
        value += packet.value;
    }
    return true;
}

#endif

} // namespace mantissa::gpu
