// The board's energy counter and the driver's version, through NVML where the driver brings it.
#pragma once

#include <dlfcn.h>

#include <optional>
#include <string>

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
        if (init == nullptr || handle == nullptr || init() != 0 || handle(0, &device_) != 0) {
            energy_ = nullptr;
            return;
        }
        const auto version = reinterpret_cast<int (*)(char*, unsigned)>(dlsym(library_, "nvmlSystemGetDriverVersion"));
        char text[81] = {};
        if (version != nullptr && version(text, sizeof text - 1) == 0) driver_ = text;
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

    /// As 580.159.03; empty where NVML does not tell.
    [[nodiscard]] const std::string& driver() const { return driver_; }

private:
    using Energy = int (*)(void*, unsigned long long*);
    void* library_ = nullptr;
    void* device_ = nullptr;
    Energy energy_ = nullptr;
    std::string driver_;
};

} // namespace mantissa::gpu
