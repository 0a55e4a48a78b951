// Device memory that is handed out piece by piece and given back at once: a hierarchy has some hundred arrays, and each
// cudaMalloc of its own would cost as long as a level.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "mantissa/gpu/device.hpp"

namespace mantissa::gpu::multilevel_rows {

class Arena {
public:
    /// `chunk`: bytes that are asked of the device at a time.
    explicit Arena(std::size_t chunk = std::size_t{16} << 20) : chunk_(std::max<std::size_t>(chunk, 1 << 20)) {}

    template <class T> T* get(std::size_t count) {
        constexpr std::size_t kAlignment = 256;
        const std::size_t bytes =
            std::max<std::size_t>(1, (count * sizeof(T) + kAlignment - 1) / kAlignment) * kAlignment;
        while (at_ < chunks_.size() && used_ + bytes > chunks_[at_].size()) {
            ++at_;
            used_ = 0;
        }
        if (at_ == chunks_.size()) chunks_.emplace_back(std::max(bytes, chunk_));
        return reinterpret_cast<T*>(chunks_[at_].data() + std::exchange(used_, used_ + bytes));
    }
    template <class T> T* zeros(std::size_t count) {
        T* const to = get<T>(count);
        check(cudaMemsetAsync(to, 0, count * sizeof(T)), "cudaMemset");
        return to;
    }
    template <class T> T* copy(std::span<const T> from) {
        T* const to = get<T>(from.size());
        check(cudaMemcpy(to, from.data(), from.size_bytes(), cudaMemcpyHostToDevice), "cudaMemcpy to device");
        return to;
    }
    template <class T> T* copy_on_device(const T* from, std::size_t count) {
        T* const to = get<T>(count);
        check(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDeviceToDevice), "cudaMemcpy");
        return to;
    }
    /// Everything that was handed out may be handed out again.
    void clear() { at_ = used_ = 0; }

private:
    std::size_t chunk_, at_ = 0, used_ = 0;
    std::vector<Buffer<std::byte>> chunks_;
};

template <class T> std::vector<T> from_device(const T* from, std::size_t count) {
    std::vector<T> to(count);
    check(cudaMemcpy(to.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy from device");
    return to;
}
template <class T> T one_from_device(const T* from) {
    T to{};
    check(cudaMemcpy(&to, from, sizeof to, cudaMemcpyDeviceToHost), "cudaMemcpy from device");
    return to;
}

} // namespace mantissa::gpu::multilevel_rows
