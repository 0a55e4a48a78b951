// Recurrences on the device, on sparse rows: what the native solver (../native) iterates by where it is not CG.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mantissa/recurrence/definition.hpp"
#include "mantissa/run_end.hpp"
#include "mantissa/sparse/compressed_rows.hpp"
#include "mantissa/sparse/sliced_ell.hpp"

namespace mantissa::gpu {

/// How a run ended and what it took.
struct RecurrenceRun {
    RunEnd end = RunEnd::passes; ///< `passes`: the limit, or patience
    bool patience = false;       ///< the recurrence's residual had not fallen for long
    std::uint32_t iterations = 0;
    double seconds = 0; ///< from the first kernel to the last, by events, looks at the state included
    /// Where it broke down behind its first iteration: its last iterate, which is another start than the best one.
    std::vector<double> last;
};

/// A matrix on the device with the vectors of one recurrence. Not for use from two threads at once.
class DeviceRecurrence {
public:
    DeviceRecurrence() = default;
    DeviceRecurrence(const DeviceRecurrence&) = delete;
    DeviceRecurrence& operator=(const DeviceRecurrence&) = delete;
    virtual ~DeviceRecurrence() = default;

    /// Solves A u = r from u = 0 until the recurrence's own ||r|| is below `goal` ||r||, `limit` iterations are made,
    /// the recurrence cannot go on, or its residual has not halved over `patience` iterations. `r` is of norm 1, or
    /// near it. `u` gets the iterate whose recurrence's residual was the least, as far as it was looked at (at every
    /// 32nd iteration and the end); zeros where none was below 1.
    virtual RecurrenceRun run(std::span<const double> r, double goal, std::uint32_t limit, std::uint32_t patience,
                              std::span<double> u) = 0;
};

/// Are there kernels for it?
[[nodiscard]] bool has_device_recurrence(const recurrence::Definition& definition);
/// Loads a matrix in sliced ELL, in float or double. Throws InvalidInput where there are no kernels, DeviceError.
[[nodiscard]] std::unique_ptr<DeviceRecurrence> make_device_recurrence(const recurrence::Definition& definition,
                                                                       const CompressedRows& a,
                                                                       const SlicedOptions& format, bool single);

} // namespace mantissa::gpu
