// The board's energy counter, through NVML where the driver brings it.
#pragma once

#include <dlfcn.h>

#include <optional>

namespace mantissa::gpu {

class EnergyMeter {
public:
    EnergyMeter() {
        library_ = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
        if (library_ == nullptr) return;
        const auto init = reinterpret_cast<int (*)()>(dlsym(library_, "nvmlInit_v2"));
        const auto handle =
            reinterpret_cast<int (*)(unsigned, void**)>(dlsym(library_, "nvmlDeviceGetHandleByIndex_v2"));
        energy_ = reinterpret_cast<Energy>(dlsym(library_, "nvmlDeviceGetTotalEnergyConsumption"));
        if (init == nullptr || handle == nullptr || init() != 0 || handle(0, &device_) != 0) energy_ = nullptr;
    }
    EnergyMeter(const EnergyMeter&) = delete;
    EnergyMeter& operator=(const EnergyMeter&) = delete;
    ~EnergyMeter() {
        if (library_ != nullptr) dlclose(library_);
    }
    /// Joules since the driver was loaded. The counter moves every few milliseconds: measure long runs.
    [[nodiscard]] std::optional<double> joules() const {
        unsigned long long millijoules = 0;
        if (energy_ == nullptr || energy_(device_, &millijoules) != 0) return std::nullopt;
        return 1e-3 * static_cast<double>(millijoules);
    }

private:
    using Energy = int (*)(void*, unsigned long long*);
    void* library_ = nullptr;
    void* device_ = nullptr;
    Energy energy_ = nullptr;
};

} // namespace mantissa::gpu
