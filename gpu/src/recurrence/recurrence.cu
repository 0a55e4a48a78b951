// The recurrences that the device has kernels for.
#include "recurrence.hpp"

#include <utility>

#include "mantissa/errors.hpp"
#include "mantissa/recurrence/library.hpp"
#include "on_device.cuh"

namespace mantissa::gpu {

namespace {

struct Bicgstab {
    static constexpr recurrence::Definition kDefinition = recurrence::kBicgstab;
};
struct Chebyshev {
    static constexpr recurrence::Definition kDefinition = recurrence::kChebyshev;
};

template <class R>
std::unique_ptr<DeviceRecurrence> on_device(const CompressedRows& a, const SlicedOptions& format, bool single,
                                            std::vector<double> given) {
    if (single) return std::make_unique<RecurrenceOnDevice<R, float>>(a, format, std::move(given));
    return std::make_unique<RecurrenceOnDevice<R, double>>(a, format, std::move(given));
}

} // namespace

bool has_device_recurrence(const recurrence::Definition& definition) {
    return definition == Bicgstab::kDefinition || definition == Chebyshev::kDefinition;
}

std::unique_ptr<DeviceRecurrence> make_device_recurrence(const recurrence::Definition& definition,
                                                         const CompressedRows& a, const SlicedOptions& format,
                                                         bool single, std::vector<double> given) {
    if (definition == Bicgstab::kDefinition) return on_device<Bicgstab>(a, format, single, std::move(given));
    if (definition == Chebyshev::kDefinition) return on_device<Chebyshev>(a, format, single, std::move(given));
    throw InvalidInput("recurrence " + std::string(definition.name.view()) +
                       ": the GPU has no kernels for it; take the engine emulated");
}

} // namespace mantissa::gpu
