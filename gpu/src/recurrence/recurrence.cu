// The recurrences that the device has kernels for.
#include "recurrence.hpp"

#include "mantissa/errors.hpp"
#include "mantissa/recurrence/library.hpp"
#include "on_device.cuh"

namespace mantissa::gpu {

namespace {

struct Bicgstab {
    static constexpr recurrence::Definition kDefinition = recurrence::kBicgstab;
};

} // namespace

bool has_device_recurrence(const recurrence::Definition& definition) {
    return definition == Bicgstab::kDefinition;
}

std::unique_ptr<DeviceRecurrence> make_device_recurrence(const recurrence::Definition& definition,
                                                         const CompressedRows& a, const SlicedOptions& format,
                                                         bool single) {
    if (!has_device_recurrence(definition))
        throw InvalidInput("recurrence " + std::string(definition.name.view()) +
                           ": the GPU has no kernels for it; take the engine emulated");
    if (single) return std::make_unique<RecurrenceOnDevice<Bicgstab, float>>(a, format);
    return std::make_unique<RecurrenceOnDevice<Bicgstab, double>>(a, format);
}

} // namespace mantissa::gpu
