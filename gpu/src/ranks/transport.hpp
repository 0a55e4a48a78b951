// How one part's boundary elements and sums get to the others.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "mantissa/gpu/device.hpp"
#include "mantissa/gpu/rank_cg.hpp"
#include "mantissa/partition/partition.hpp"
#include "mantissa/partition/space.hpp"

namespace mantissa::gpu {

/// Calls are collective over the parts and made in the same order by all.
class RankTransport {
public:
    RankTransport() = default;
    RankTransport(const RankTransport&) = delete;
    RankTransport& operator=(const RankTransport&) = delete;
    virtual ~RankTransport() = default;

    /// Elements that `stream` has packed set out; nothing waits for those that come.
    virtual void begin(cudaStream_t stream) = 0;
    /// After this, what `stream` is given finds the others' elements.
    virtual void finish(cudaStream_t stream) = 0;
    /// Words in device memory become their sums over all parts, after what `stream` was given.
    virtual void add_up(std::uint64_t* words, std::size_t count, cudaStream_t stream) = 0;
    /// Iterations that may be given to the stream before the host looks at them.
    [[nodiscard]] virtual int batch() const = 0;
    /// Returns after all of `stream`. Throws DeviceError where it failed; ends as RankCgOptions::silent says where
    /// another part is silent too long.
    virtual void wait(cudaStream_t stream) = 0;
};

/// `packed`, the elements of Part::send one list after the other, and `ghosts`, room for those of Part::receive, are
/// in the memory of the current device.
struct RankBuffers {
    const double* packed;
    double* ghosts;
};

std::unique_ptr<RankTransport> host_transport(std::shared_ptr<Space> space, std::uint32_t part, const Part& own,
                                              RankBuffers buffers);
/// Collective: parts agree on a communicator here.
std::unique_ptr<RankTransport> nccl_transport(const std::shared_ptr<Space>& space, std::uint32_t part, const Part& own,
                                              RankBuffers buffers, const RankCgOptions& options);

/// Events and streams of the current device, with an owner.
class RankEvent {
public:
    RankEvent();
    ~RankEvent();
    RankEvent(const RankEvent&) = delete;
    RankEvent& operator=(const RankEvent&) = delete;
    operator cudaEvent_t() const { return event_; }

private:
    cudaEvent_t event_{};
};
class RankStream {
public:
    RankStream();
    ~RankStream();
    RankStream(const RankStream&) = delete;
    RankStream& operator=(const RankStream&) = delete;
    operator cudaStream_t() const { return stream_; }

private:
    cudaStream_t stream_{};
};
/// `later` goes on after what `stream` was given so far.
void order(cudaStream_t later, cudaEvent_t event, cudaStream_t stream);

/// Memory of the host that devices copy from and to.
template <class T> class Pinned {
public:
    explicit Pinned(std::size_t count) : count_(count) {
        allocate(reinterpret_cast<void**>(&data_), count * sizeof(T));
    }
    ~Pinned() { static_cast<void>(cudaFreeHost(data_)); }
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;
    [[nodiscard]] T* data() const { return data_; }
    [[nodiscard]] std::size_t size() const { return count_; }
    T& operator[](std::size_t i) const { return data_[i]; }

private:
    static void allocate(void** data, std::size_t bytes);
    T* data_ = nullptr;
    std::size_t count_;
};
template <class T> void Pinned<T>::allocate(void** data, std::size_t bytes) {
    if (bytes != 0) check(cudaMallocHost(data, bytes), "cudaMallocHost");
}

} // namespace mantissa::gpu
