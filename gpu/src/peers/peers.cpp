#include "mantissa/gpu/peers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "mantissa/format.hpp"

namespace mantissa::gpu {

namespace {

int device_count() {
    if (const std::string missing = device_missing(); !missing.empty()) throw DeviceError("finding a device", missing);
    int count = 0;
    check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
    return count;
}

} // namespace

std::vector<int> Peers::spread(int parts) {
    if (parts < 1 || parts > kMaxParts)
        throw InvalidInput(fmt::format("{} parts on GPUs: give 1 to {}", parts, kMaxParts));
    const int count = device_count();
    std::vector<int> devices;
    for (int p = 0; p < parts; ++p) devices.push_back(count >= parts ? p : p * count / parts);
    return devices;
}

Peers::Peers(std::vector<int> devices) : devices_(std::move(devices)) {
    if (devices_.empty() || devices_.size() > kMaxParts)
        throw InvalidInput(fmt::format("{} parts on GPUs: give 1 to {}", devices_.size(), kMaxParts));
    const int count = device_count();
    for (const int d : devices_) {
        if (d < 0 || d >= count)
            throw InvalidInput(
                fmt::format("GPU {}: there {} {}, numbered from 0", d, count == 1 ? "is" : "are", count));
        if (std::ranges::find(distinct_, d) == distinct_.end()) distinct_.push_back(d);
    }
    for (const int d : distinct_) {
        cudaDeviceProp p{};
        check(cudaGetDeviceProperties(&p, d), "cudaGetDeviceProperties");
        if (p.major != 9 || p.cooperativeLaunch == 0)
            throw DeviceError(fmt::format("GPU {}", d),
                              fmt::format("{} has compute capability {}.{}, and Mantissa's kernels are written for 9.x",
                                          p.name, p.major, p.minor));
        const int each = p.multiProcessorCount / static_cast<int>(parts_of(d).size());
        multiprocessors_ = multiprocessors_ == 0 ? each : std::min(multiprocessors_, each);
        name_ = p.name;
    }
    enable_links();
    for (const int d : distinct_) {
        const OnDevice here(d);
        OneDevice one;
        one.device = d;
        check(cudaStreamCreateWithFlags(&one.stream, cudaStreamNonBlocking), "cudaStreamCreate");
        owned_.push_back(std::move(one));
    }
    for (const int d : devices_) {
        const OnDevice here(d);
        boxes_.emplace_back(1);
        boxes_.back().zero();
        check(cudaDeviceSynchronize(), "cudaMemset");
    }
}

Peers::~Peers() {
    for (const OneDevice& one : owned_)
        if (one.stream != nullptr) static_cast<void>(cudaStreamDestroy(one.stream));
}

void Peers::enable_links() const {
    for (const int a : distinct_)
        for (const int b : distinct_) {
            if (a == b) continue;
            int can = 0;
            check(cudaDeviceCanAccessPeer(&can, a, b), "cudaDeviceCanAccessPeer");
            int atomics = 0;
            check(cudaDeviceGetP2PAttribute(&atomics, cudaDevP2PAttrNativeAtomicSupported, a, b),
                  "cudaDeviceGetP2PAttribute");
            if (can == 0 || atomics == 0)
                throw DeviceError(fmt::format("linking GPUs {} and {}", a, b),
                                  can == 0 ? "no access from one to the other's memory; use one of them, or GPUs with "
                                             "NVLink between them"
                                           : "their link has no atomic operations; use GPUs with NVLink between them");
            const OnDevice here(a);
            const cudaError_t error = cudaDeviceEnablePeerAccess(b, 0);
            if (error == cudaErrorPeerAccessAlreadyEnabled) static_cast<void>(cudaGetLastError());
            else check(error, "cudaDeviceEnablePeerAccess");
        }
}

std::vector<int> Peers::parts_of(int device) const {
    std::vector<int> list;
    for (int p = 0; p < parts(); ++p)
        if (devices_[static_cast<std::size_t>(p)] == device) list.push_back(p);
    return list;
}

int Peers::sharing(int part) const {
    return static_cast<int>(parts_of(device(part)).size());
}

int Peers::among(int part) const {
    const std::vector<int> list = parts_of(device(part));
    return static_cast<int>(std::ranges::find(list, part) - list.begin());
}

std::string Peers::text() const {
    return distinct_.size() == 1 ? name_ : fmt::format("{} x {}", distinct_.size(), name_);
}

cudaStream_t Peers::stream(int device) const {
    for (const OneDevice& one : owned_)
        if (one.device == device) return one.stream;
    throw InvalidInput(fmt::format("GPU {}: it has no part", device));
}

PeerView Peers::view(int part) const {
    PeerView v;
    v.me = part;
    v.parts = parts();
    v.timeout = static_cast<unsigned long long>(1e9 * timeout_);
    for (int p = 0; p < parts(); ++p) v.box[p] = boxes_[static_cast<std::size_t>(p)].data();
    return v;
}

unsigned long long Peers::next_round(unsigned long long count) {
    // An even number, so that buffers alternate over launches too.
    return std::exchange(round_, round_ + (count + 3) / 2 * 2);
}

void Peers::launch_bytes(const void* kernel, std::span<const std::byte> params, std::size_t size, int blocks,
                         int threads, std::size_t shared_bytes) {
    for (OneDevice& one : owned_) {
        const OnDevice here(one.device);
        const std::vector<int> list = parts_of(one.device);
        if (one.params.size() < list.size() * size) one.params.allocate(list.size() * size);
        std::vector<std::byte> mine;
        for (const int p : list) {
            const auto from = params.subspan(static_cast<std::size_t>(p) * size, size);
            mine.insert(mine.end(), from.begin(), from.end());
        }
        check(cudaMemcpyAsync(one.params.data(), mine.data(), mine.size(), cudaMemcpyHostToDevice, one.stream),
              "cudaMemcpy to device");
        check(cudaStreamSynchronize(one.stream), "cudaMemcpy to device");
    }
    for (OneDevice& one : owned_) {
        void* argument = one.params.data();
        launch_on(one.device, kernel, &argument, blocks, threads, shared_bytes);
    }
}

void Peers::launch_on(int device, const void* kernel, void* argument, int blocks, int threads,
                      std::size_t shared_bytes) {
    const OnDevice here(device);
    if (shared_bytes > 48 << 10)
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)),
              "cudaFuncSetAttribute");
    void* arguments[] = {argument};
    check(cudaLaunchCooperativeKernel(
              kernel, dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(parts_of(device).size())),
              dim3(static_cast<unsigned>(threads)), arguments, shared_bytes, stream(device)),
          "launch over parts");
}

void Peers::wait() {
    std::string failed;
    for (const OneDevice& one : owned_) {
        const OnDevice here(one.device);
        const cudaError_t error = cudaStreamSynchronize(one.stream);
        if (error == cudaSuccess) continue;
        static_cast<void>(cudaGetLastError());
        if (failed.empty()) failed = fmt::format("GPU {}: {}", one.device, cudaGetErrorString(error));
    }
    if (!failed.empty()) throw DeviceError("a solve over parts", failed);
    for (int p = 0; p < parts(); ++p) {
        unsigned long long words[2] = {};
        Buffer<PeerBox>& box = boxes_[static_cast<std::size_t>(p)];
        check(cudaMemcpy(words, box.data(), sizeof words, cudaMemcpyDeviceToHost), "cudaMemcpy from device");
        if (words[0] == 0) continue;
        for (Buffer<PeerBox>& b : boxes_) check(cudaMemset(b.data(), 0, 16), "cudaMemset");
        const auto by = static_cast<int>(words[0] - 1), what = static_cast<int>(words[1] - 1);
        throw DeviceError("a solve over parts",
                          what >= kMaxParts
                              ? fmt::format("part {} (GPU {}) waited {} s for its own blocks", by, device(by), timeout_)
                              : fmt::format("part {} (GPU {}) waited {} s for part {} (GPU {}), which does not answer",
                                            by, device(by), timeout_, what, device(what)));
    }
}

} // namespace mantissa::gpu
