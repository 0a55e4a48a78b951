#include "mantissa/gpu/device.hpp"

#include <fmt/format.h>

#include <mutex>
#include <optional>

namespace mantissa::gpu {

namespace {

constexpr int kArchitecture = 90; // what the kernels are compiled for; see gpu/CMakeLists.txt

std::string probe(DeviceInfo& info) {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess) {
        static_cast<void>(cudaGetLastError());
        return fmt::format("no GPU: cudaGetDeviceCount says '{}'; it needs an NVIDIA GPU of compute capability 9.x "
                           "and its driver",
                           cudaGetErrorString(error));
    }
    if (count == 0) return "no GPU: cudaGetDeviceCount finds none";
    int device = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    cudaDeviceProp p{};
    check(cudaGetDeviceProperties(&p, device), "cudaGetDeviceProperties");
    info.name = p.name;
    info.major = p.major;
    info.minor = p.minor;
    info.multiprocessors = p.multiProcessorCount;
    info.memory = p.totalGlobalMem;
    info.l2 = static_cast<std::size_t>(p.l2CacheSize);
    info.shared_per_block = p.sharedMemPerBlockOptin;
    check(cudaDriverGetVersion(&info.driver), "cudaDriverGetVersion");
    check(cudaRuntimeGetVersion(&info.runtime), "cudaRuntimeGetVersion");
    for (int i = 0; i < 16; ++i) info.uuid += fmt::format("{:02x}", static_cast<unsigned char>(p.uuid.bytes[i]));
    if (p.major != kArchitecture / 10)
        return fmt::format("{} has compute capability {}.{}, and Mantissa's kernels are written for 9.x (Hopper): use "
                           "such a device, or another engine",
                           info.name, p.major, p.minor);
    if (p.cooperativeLaunch == 0) return fmt::format("{} has no cooperative launches", info.name);
    return {};
}

struct Probe {
    DeviceInfo info;
    std::string missing;
};

const Probe& probed() {
    static const Probe result = [] {
        Probe p;
        p.missing = probe(p.info);
        return p;
    }();
    return result;
}

} // namespace

std::string device_missing() {
    return probed().missing;
}

const DeviceInfo& require_device() {
    const Probe& p = probed();
    if (!p.missing.empty()) throw DeviceError("finding a device", p.missing);
    return p.info;
}

} // namespace mantissa::gpu
