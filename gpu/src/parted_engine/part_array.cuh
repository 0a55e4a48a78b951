// A vector of a whole system, shared out over parts: what goes in and comes out has the whole's order.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "mantissa/gpu/device.hpp"
#include "mantissa/gpu/peers.hpp"
#include "part_map.hpp"

namespace mantissa::gpu {

/// The parts of one system on their devices, and where rows are.
struct PartPlaces {
    std::shared_ptr<Peers> peers;
    std::vector<PartMap> maps;
    /// Sparse: own rows of each part, ascending, and their local elements; on the host and the latter on the device.
    std::vector<std::vector<std::uint32_t>> row, element;
    std::vector<Buffer<std::uint32_t>> element_there;
    /// Sparse, on the device: own rows of each part by local element; where its elements of p go (PartMap).
    std::vector<Buffer<std::uint32_t>> row_there, goes_first, goes_slot;
    std::vector<Buffer<std::uint8_t>> goes_to;

    PartPlaces(std::shared_ptr<Peers> devices, std::vector<PartMap> parts);
    [[nodiscard]] int parts() const { return peers->parts(); }
};

#ifdef __CUDACC__
template <class T>
__global__ void scatter_elements(T* to, const T* values, const std::uint32_t* element, std::size_t count) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) to[element[i]] = values[i];
}
template <class T>
__global__ void gather_elements(const T* from, T* values, const std::uint32_t* element, std::size_t count) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) values[i] = from[element[i]];
}

template <class T> class PartArray {
public:
    /// With `margin` zeros in front of and after each part's elements.
    explicit PartArray(const PartPlaces& places, std::size_t margin = 0) : places_(&places), margin_(margin) {
        for (int k = 0; k < places.parts(); ++k) {
            const OnDevice here(places.peers->device(k));
            part_.emplace_back(map(k).elements + 2 * margin);
            part_.back().zero();
        }
    }
    [[nodiscard]] T* data(int part) const { return part_[static_cast<std::size_t>(part)].data() + margin_; }
    /// Ghosts too.
    void zero() {
        for (int k = 0; k < places_->parts(); ++k) {
            const OnDevice here(places_->peers->device(k));
            part_[static_cast<std::size_t>(k)].zero();
        }
    }
    void write(std::size_t first, std::span<const T> values) {
        for_parts(first, values.size(), [&](int k, std::size_t local, std::size_t at, std::size_t count) {
            part_[static_cast<std::size_t>(k)].upload(values.subspan(at, count), margin_ + local);
        });
        if (map(0).strip) return;
        for_lists(first, values.size(), [&](int k, std::span<const std::uint32_t> rows, const std::uint32_t* element) {
            std::vector<T> host(rows.size());
            for (std::size_t i = 0; i < rows.size(); ++i) host[i] = values[rows[i] - first];
            const Buffer<T> there = to_device(host);
            scatter_elements<<<blocks(rows.size()), kThreads>>>(data(k), there.data(), element, rows.size());
            check(cudaGetLastError(), "launch of scatter_elements");
            check(cudaDeviceSynchronize(), "scatter_elements");
        });
    }
    void read(std::size_t first, std::span<T> values) const {
        for_parts(first, values.size(), [&](int k, std::size_t local, std::size_t at, std::size_t count) {
            part_[static_cast<std::size_t>(k)].download(values.subspan(at, count), margin_ + local);
        });
        if (map(0).strip) return;
        for_lists(first, values.size(), [&](int k, std::span<const std::uint32_t> rows, const std::uint32_t* element) {
            const Buffer<T> there(rows.size());
            gather_elements<<<blocks(rows.size()), kThreads>>>(data(k), there.data(), element, rows.size());
            check(cudaGetLastError(), "launch of gather_elements");
            std::vector<T> host(rows.size());
            there.download(host);
            for (std::size_t i = 0; i < rows.size(); ++i) values[rows[i] - first] = host[i];
        });
    }

private:
    static constexpr unsigned kThreads = 256;
    static unsigned blocks(std::size_t count) { return static_cast<unsigned>((count + kThreads - 1) / kThreads); }
    [[nodiscard]] const PartMap& map(int k) const { return places_->maps[static_cast<std::size_t>(k)]; }

    /// work(part, local, at, count): elements `at` on of those asked for are the part's from `local` on. Of strips.
    template <class Work> void for_parts(std::size_t first, std::size_t count, Work&& work) const {
        for (int k = 0; k < places_->parts(); ++k) {
            const PartMap& m = map(k);
            if (!m.strip) return;
            const auto begin = static_cast<std::size_t>(m.first + static_cast<std::ptrdiff_t>(m.own_begin));
            const std::size_t low = std::max(first, begin), high = std::min(first + count, begin + m.owned());
            if (low >= high) continue;
            const OnDevice here(places_->peers->device(k));
            work(k, m.own_begin + low - begin, low - first, high - low);
        }
    }
    /// work(part, rows, elements on the device): those of the rows asked for that are the part's. Of sparse rows.
    template <class Work> void for_lists(std::size_t first, std::size_t count, Work&& work) const {
        for (int k = 0; k < places_->parts(); ++k) {
            const auto& rows = places_->row[static_cast<std::size_t>(k)];
            const auto low = std::ranges::lower_bound(rows, first),
                       high = std::ranges::lower_bound(rows, first + count);
            if (low == high) continue;
            const OnDevice here(places_->peers->device(k));
            work(k, std::span<const std::uint32_t>(low, high),
                 places_->element_there[static_cast<std::size_t>(k)].data() + (low - rows.begin()));
        }
    }

    const PartPlaces* places_;
    std::size_t margin_;
    std::vector<Buffer<T>> part_;
};
#endif

} // namespace mantissa::gpu
