// One datapath's sparse kernel behind the plain interface of abi.hpp.
#pragma once

#include <new>

#include "mantissa_hls/sparse/sparse_core.hpp"

namespace mantissa_hls {

template <Datapath D> struct SparseInstance {
    using C = SparseCore<D, D.lanes>;
    static C& core(void* state) { return *static_cast<C*>(state); }
    template <class T> static T* banks(void* p) { return static_cast<T*>(p); }

    static constexpr Kernel kernel(const char* name) {
        Kernel k{};
        k.abi = kAbi;
        k.name = name;
        k.u_word = sizeof(Word<D.u>);
        k.r_word = sizeof(Word<D.r>);
        k.p_word = sizeof(Word<D.p>);
        k.q_word = sizeof(Word<D.q>);
        k.coefficient_word = sizeof(Coefficient<D>);
        k.sparse = {D.lanes,
                    sizeof(C),
                    [](void* s, const SparseShape* shape) { (new (s) C)->begin(*shape); },
                    [](void* s, const PassRequest* q) { core(s).begin_pass(*q); },
                    [](void* s, const SparseMemory* m, std::uint64_t first, std::uint64_t end) {
                        core(s).run_update(banks<typename C::U>(m->u), banks<typename C::R>(m->r),
                                           banks<typename C::P>(m->p), banks<typename C::Q>(m->q), first, end);
                    },
                    [](void* s, const SparseMemory* m, std::uint64_t first, std::uint64_t end) {
                        core(s).template run_rows<false>(banks<typename C::P>(m->p), banks<typename C::Q>(m->q),
                                                         m->column, static_cast<const Coefficient<D>*>(m->coefficient),
                                                         m->slice_begin, first, end);
                    },
                    [](void* s, const SparseMemory* m, std::uint64_t first, std::uint64_t end) {
                        core(s).template run_rows<true>(banks<typename C::P>(m->p), banks<typename C::Q>(m->q),
                                                        m->column, static_cast<const Coefficient<D>*>(m->coefficient),
                                                        m->slice_begin, first, end);
                    },
                    [](void* s, void* other) { core(s).merge(core(other)); },
                    [](void* s, const PassRequest* q, ScalarResult* result) { *result = core(s).scalars(*q); }};
        return k;
    }
};

} // namespace mantissa_hls
