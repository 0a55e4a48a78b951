// Seconds of a launch over parts.
#pragma once

#include "mantissa/gpu/peers.hpp"

namespace mantissa::gpu {

/// Events around a launch, on the stream of one part's device.
class PartTimer {
public:
    PartTimer(const Peers& peers, int part) : device_(peers.device(part)), stream_(peers.stream(device_)) {
        const OnDevice here(device_);
        check(cudaEventCreate(&begin_), "cudaEventCreate");
        check(cudaEventCreate(&end_), "cudaEventCreate");
        check(cudaEventRecord(begin_, stream_), "cudaEventRecord");
    }
    PartTimer(const PartTimer&) = delete;
    PartTimer& operator=(const PartTimer&) = delete;
    ~PartTimer() {
        static_cast<void>(cudaEventDestroy(begin_));
        static_cast<void>(cudaEventDestroy(end_));
    }
    void stop() {
        const OnDevice here(device_);
        check(cudaEventRecord(end_, stream_), "cudaEventRecord");
    }
    [[nodiscard]] bool ended() const {
        const OnDevice here(device_);
        const cudaError_t state = cudaEventQuery(end_);
        if (state == cudaErrorNotReady) return false;
        check(state, "kernel");
        return true;
    }
    /// After the end of the launch.
    [[nodiscard]] double seconds() const {
        float ms = 0;
        check(cudaEventElapsedTime(&ms, begin_, end_), "cudaEventElapsedTime");
        return 1e-3 * static_cast<double>(ms);
    }

private:
    int device_;
    cudaStream_t stream_;
    cudaEvent_t begin_{}, end_{};
};

} // namespace mantissa::gpu
