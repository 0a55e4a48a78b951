// Recurrences on the device, on sparse rows: what the native solver (../native) iterates by where it is not CG.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mantissa/recurrence/definition.hpp"
#include "mantissa/recurrence/native_solver.hpp"
#include "mantissa/sparse/compressed_rows.hpp"
#include "mantissa/sparse/sliced_ell.hpp"

namespace mantissa::gpu {

using recurrence::RecurrenceRun;
using DeviceRecurrence = recurrence::Runner; ///< on a device

/// Are there kernels for it?
[[nodiscard]] bool has_device_recurrence(const recurrence::Definition& definition);
/// Loads a matrix in sliced ELL, in float or double; `given`: the definition's scalars that are given. Throws
/// InvalidInput where there are no kernels, DeviceError.
[[nodiscard]] std::unique_ptr<DeviceRecurrence> make_device_recurrence(const recurrence::Definition& definition,
                                                                       const CompressedRows& a,
                                                                       const SlicedOptions& format, bool single,
                                                                       std::vector<double> given = {});

/// GMRES in cycles of `restart` steps.
[[nodiscard]] std::unique_ptr<DeviceRecurrence> make_device_gmres(const CompressedRows& a, const SlicedOptions& format,
                                                                  std::size_t restart, bool single);

} // namespace mantissa::gpu
