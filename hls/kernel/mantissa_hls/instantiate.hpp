// One datapath's kernel behind the plain interface of abi.hpp. A generated source file defines one of these.
#pragma once

#include <new>

#include "mantissa_hls/core.hpp"

namespace mantissa_hls {

/// Words per beat in the untimed pass: one or two vector registers of the processor it runs on.
inline constexpr int kUntimedLanes = 16;
inline constexpr int kUntimedTurn = 16;

template <Datapath D> struct Instance {
    using U = Untimed<D, kUntimedLanes, kUntimedTurn>;
    using C = Core<D, D.lanes>;
    using UBeat = Beat<Word<D.u>, D.lanes>;
    using RBeat = Beat<Word<D.r>, D.lanes>;
    using PBeat = Beat<Word<D.p>, D.lanes>;
    using QBeat = Beat<Word<D.q>, D.lanes>;

    template <class T> static const T& in(const void* p) { return *static_cast<const T*>(p); }
    template <class T> static T& out(void* p) { return *static_cast<T*>(p); }
    static C& core(void* state) { return out<C>(state); }

    static constexpr Kernel kernel(const char* name) {
        return {
            kAbi,
            name,
            sizeof(Word<D.u>),
            sizeof(Word<D.r>),
            sizeof(Word<D.p>),
            sizeof(Word<D.q>),
            sizeof(Coefficient<D>),
            {kUntimedLanes, sizeof(U), [](void* s, const Shape* shape) { (new (s) U)->core.begin(*shape); },
             [](void* s, const Memory* m, const PassRequest* q, ScalarResult* result) {
                 out<U>(s).pass(*m, *q, *result);
             }},
            {D.lanes, sizeof(C), sizeof(UBeat), sizeof(RBeat), sizeof(PBeat), sizeof(QBeat), sizeof(Bands<D, D.lanes>),
             sizeof(Window<D, D.lanes>), [](void* s, const Shape* shape) { (new (s) C)->begin(*shape); },
             [](void* s, const PassRequest* q) { core(s).begin_pass(*q); },
             [](void* s, std::uint64_t beat, const void* u, const void* r, const void* p, const void* q, void* u2,
                void* r2, void* p2) {
                 core(s).update.step(in<UBeat>(u), in<RBeat>(r), in<PBeat>(p), in<QBeat>(q),
                                     core(s).shape.live(beat, D.lanes), out<UBeat>(u2), out<RBeat>(r2), out<PBeat>(p2));
             },
             [](void* s, const void* p, void* window, void* centre) {
                 return core(s).lines.step(in<PBeat>(p), out<Window<D, D.lanes>>(window), out<PBeat>(centre));
             },
             [](void* s, const void* window, const void* bands, void* q) {
                 core(s).rows.step(in<Window<D, D.lanes>>(window),
                                   bands != nullptr ? in<Bands<D, D.lanes>>(bands) : core(s).rows.constant(),
                                   out<QBeat>(q));
             },
             [](void* s, std::uint64_t beat, const void* r) {
                 core(s).rr.step(in<RBeat>(r), in<RBeat>(r), core(s).shape.live(beat, D.lanes));
             },
             [](void* s, std::uint64_t beat, const void* p, const void* q) {
                 core(s).pq.step(in<PBeat>(p), in<QBeat>(q), core(s).shape.live(beat, D.lanes));
             },
             [](void* s, std::uint64_t beat, const void* q) {
                 core(s).qq.step(in<QBeat>(q), in<QBeat>(q), core(s).shape.live(beat, D.lanes));
             },
             [](void* s, const PassRequest* q, ScalarResult* result) { *result = core(s).scalars(*q); }},
            {}};
    }
};

} // namespace mantissa_hls
