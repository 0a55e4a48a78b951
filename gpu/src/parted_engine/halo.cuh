// Elements that go from a part into other parts' memory.
#pragma once

#include "mantissa/gpu/peers.hpp"
#include "part_array.cuh"

namespace mantissa::gpu {

/// Where elements of a vector go besides their own memory.
template <class Element> struct HaloSend {
    long long below_end, above_begin; ///< elements in front of the one go to below, from the other on to above
    Element *below, *above;           ///< so that element i is there at [i]
    long long list_begin;             ///< elements from here on go where the lists say
    const std::uint32_t *first, *slot;
    const std::uint8_t* to;
    Element* p[kMaxParts];
};

#ifdef __CUDACC__

/// For part k of x, whose elements rows of a grid reach n + 1 of.
template <class Element>
HaloSend<Element> make_halo(const PartPlaces& places, const PartArray<Element>& x, int k, long long n) {
    const PartMap& m = places.maps[static_cast<std::size_t>(k)];
    HaloSend<Element> h{};
    h.below_end = static_cast<long long>(m.own_begin);
    h.above_begin = h.list_begin = static_cast<long long>(m.own_end);
    // Element i of mine is element i of the whole less my first, and over there that less the other's first.
    const auto over_there = [&](int other) {
        return x.data(other) + (m.first - places.maps[static_cast<std::size_t>(other)].first);
    };
    if (m.below >= 0) h.below_end += n + 1, h.below = over_there(m.below);
    if (m.above >= 0) h.above_begin -= n + 1, h.above = over_there(m.above);
    if (m.strip) return h;
    const auto part = static_cast<std::size_t>(k);
    h.list_begin = static_cast<long long>(m.inner_end);
    h.first = places.goes_first[part].data();
    h.slot = places.goes_slot[part].data();
    h.to = places.goes_to[part].data();
    for (int other = 0; other < places.parts(); ++other) h.p[other] = x.data(other);
    return h;
}

/// Sends element i, if another part needs it; get() gives it. Whether it went anywhere.
template <class Element, class Get>
__device__ __forceinline__ bool send_element(const HaloSend<Element>& h, long long i, Get&& get) {
    const bool low = i < h.below_end, high = i >= h.above_begin, listed = i >= h.list_begin;
    if (!(low || high || listed)) return false;
    const Element x = get();
    if (low) h.below[i] = x;
    if (high) h.above[i] = x;
    if (listed)
        for (std::uint32_t k = h.first[i - h.list_begin]; k < h.first[i - h.list_begin + 1]; ++k)
            h.p[h.to[k]][h.slot[k]] = x;
    return true;
}

#endif

} // namespace mantissa::gpu
