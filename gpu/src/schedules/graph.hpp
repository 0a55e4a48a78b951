// Launches captured once and repeated without the host between them.
#pragma once

#include "mantissa/gpu/device.hpp"

namespace mantissa::gpu {

class Graph {
public:
    Graph() = default;
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
    ~Graph() {
        if (executable_ != nullptr) static_cast<void>(cudaGraphExecDestroy(executable_));
        if (graph_ != nullptr) static_cast<void>(cudaGraphDestroy(graph_));
        if (stream_ != nullptr) static_cast<void>(cudaStreamDestroy(stream_));
    }
    /// Captures what `work` launches into the stream it is given.
    template <class Work> void capture(Work&& work) {
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
        check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
        work(stream_);
        check(cudaStreamEndCapture(stream_, &graph_), "cudaStreamEndCapture");
        check(cudaGraphInstantiate(&executable_, graph_, 0), "cudaGraphInstantiate");
    }
    /// The stream that was captured, which does not wait for the default one.
    [[nodiscard]] cudaStream_t stream() const { return stream_; }
    /// On the default stream, like everything else here, or on `stream`.
    void launch(cudaStream_t stream = nullptr) { check(cudaGraphLaunch(executable_, stream), "cudaGraphLaunch"); }

private:
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t executable_ = nullptr;
    cudaStream_t stream_ = nullptr;
};

} // namespace mantissa::gpu
