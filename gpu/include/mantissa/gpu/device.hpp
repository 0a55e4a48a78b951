// The CUDA runtime with exceptions and owners. Needs only the CUDA headers, no device code.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mantissa::gpu {

/// A CUDA call failed. what() names the call and the cause.
class DeviceError : public std::runtime_error {
public:
    DeviceError(const std::string& call, cudaError_t error)
        : std::runtime_error("GPU: " + call + " failed: " + cudaGetErrorString(error) + " (" + cudaGetErrorName(error) +
                             ")"),
          code_(error) {}
    DeviceError(const std::string& call, const std::string& cause)
        : std::runtime_error("GPU: " + call + " failed: " + cause) {}
    [[nodiscard]] cudaError_t code() const { return code_; }

private:
    cudaError_t code_ = cudaErrorUnknown;
};

/// Throws DeviceError unless `error` is success.
inline void check(cudaError_t error, const char* call) {
    if (error == cudaSuccess) return;
    static_cast<void>(cudaGetLastError()); // do not leave a recoverable error for the next call
    throw DeviceError(call, error);
}

struct DeviceInfo {
    std::string name;
    int major = 0, minor = 0;
    int multiprocessors = 0;
    std::size_t memory = 0, l2 = 0, shared_per_block = 0;
    int driver = 0, runtime = 0; ///< as CUDA numbers them, 13000 is 13.0
    std::string uuid;
};

/// Empty when a device can run this build's kernels; else one line that says what is missing.
std::string device_missing();
/// The current device. Throws DeviceError when there is none, or its architecture is not one of this build's.
const DeviceInfo& require_device();

/// Device memory with an owner.
template <class T> class Buffer {
public:
    Buffer() = default;
    explicit Buffer(std::size_t count) { allocate(count); }
    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        Buffer gone(std::move(other));
        swap(gone);
        return *this;
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { static_cast<void>(cudaFree(data_)); }

    void allocate(std::size_t count) {
        Buffer fresh;
        if (count != 0) {
            const cudaError_t error = cudaMalloc(reinterpret_cast<void**>(&fresh.data_), count * sizeof(T));
            if (error != cudaSuccess) {
                static_cast<void>(cudaGetLastError());
                throw DeviceError("cudaMalloc of " + std::to_string(count * sizeof(T)) + " bytes", error);
            }
        }
        fresh.count_ = count;
        swap(fresh);
    }
    void zero() { check(cudaMemset(data_, 0, count_ * sizeof(T)), "cudaMemset"); }
    void upload(std::span<const T> values, std::size_t first = 0) {
        check(cudaMemcpy(data_ + first, values.data(), values.size_bytes(), cudaMemcpyHostToDevice),
              "cudaMemcpy to device");
    }
    void download(std::span<T> values, std::size_t first = 0) const {
        check(cudaMemcpy(values.data(), data_ + first, values.size_bytes(), cudaMemcpyDeviceToHost),
              "cudaMemcpy from device");
    }
    [[nodiscard]] T* data() const { return data_; }
    [[nodiscard]] std::size_t size() const { return count_; }
    void swap(Buffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(count_, other.count_);
    }

private:
    T* data_ = nullptr;
    std::size_t count_ = 0;
};

/// A vector copied to the device.
template <class T> Buffer<T> to_device(const std::vector<T>& values) {
    Buffer<T> buffer(values.size());
    if (!values.empty()) buffer.upload(values);
    return buffer;
}

/// Two events around work on a stream.
class Timer {
public:
    explicit Timer(cudaStream_t stream = nullptr) : stream_(stream) {
        check(cudaEventCreate(&begin_), "cudaEventCreate");
        check(cudaEventCreate(&end_), "cudaEventCreate");
    }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;
    ~Timer() {
        static_cast<void>(cudaEventDestroy(begin_));
        static_cast<void>(cudaEventDestroy(end_));
    }
    void start() { check(cudaEventRecord(begin_, stream_), "cudaEventRecord"); }
    /// Seconds since start(); waits for the work between, and throws what it failed with.
    double stop() {
        end();
        return seconds();
    }
    /// stop() in parts: where the work ends, whether it has, and the rest.
    void end() { check(cudaEventRecord(end_, stream_), "cudaEventRecord"); }
    [[nodiscard]] bool ended() const {
        const cudaError_t state = cudaEventQuery(end_);
        if (state == cudaErrorNotReady) return false;
        check(state, "kernel");
        return true;
    }
    double seconds() {
        check(cudaEventSynchronize(end_), "kernel");
        float ms = 0;
        check(cudaEventElapsedTime(&ms, begin_, end_), "cudaEventElapsedTime");
        return 1e-3 * static_cast<double>(ms);
    }

private:
    cudaStream_t stream_;
    cudaEvent_t begin_{}, end_{};
};

} // namespace mantissa::gpu
