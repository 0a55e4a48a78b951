// Native solvers of the engine gpu (mantissa/native.hpp) over the solvers of this folder's neighbours.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "mantissa/engine.hpp"
#include "mantissa/gpu/cg_end.hpp"
#include "mantissa/gpu/peers.hpp"
#include "mantissa/gpu/sparse_solver.hpp"
#include "mantissa/native.hpp"
#include "mantissa/partition/cuts.hpp"
#include "mantissa/recurrence/native_solver.hpp"
#include "mantissa/sparse/formats.hpp"

namespace mantissa::gpu {

/// The devices that a solver may use beside the first, and how rows are cut for them.
struct NativeParts {
    std::shared_ptr<Peers> peers; ///< null: the current device alone
    CutMethod method = CutMethod::contiguous;
    [[nodiscard]] int count() const { return peers ? peers->parts() : 1; }
};

/// Why the engine gpu has no native solver for this, in one line; empty where it has. Asks no device.
[[nodiscard]] std::string native_refusal(const DatapathSpec& spec, const System& system, const NativeChoice& choice);
/// The solver. Throws InvalidInput with the line above, on a plan that cannot be, and DeviceError.
[[nodiscard]] std::unique_ptr<NativeSolver> make_native(const System& system, const DatapathSpec& spec,
                                                        const NativeChoice& choice, const NativeParts& parts = {});

/// Of a constant stencil.
[[nodiscard]] std::unique_ptr<NativeSolver> make_native_grid(const System& system, bool single, NativePlan asked,
                                                             const NativeParts& parts);
/// Of rows or bands. `format`: that of the plan sparse_stream; none: see stream_format().
[[nodiscard]] std::unique_ptr<NativeSolver> make_native_sparse(const System& system, bool single,
                                                               const NativeChoice& choice, const NativeParts& parts,
                                                               std::optional<SparseFormat> format = std::nullopt);

/// Of rows, by the choice's recurrence, on one device. `format`: sell or sell_lengths; none: as stream_format() has it.
[[nodiscard]] std::unique_ptr<NativeSolver> make_native_recurrence(const CompressedRows& a, bool single,
                                                                   const NativeChoice& choice,
                                                                   std::optional<SparseFormat> format = std::nullopt);
/// Why it cannot be, in one line; empty where it can.
[[nodiscard]] std::string recurrence_refusal(const System& system, const NativeChoice& choice);

/// The format of a streamed solve: complex blocks where the matrix has such, else sliced ELL, as it stands where rows
/// are of like length, else by lengths.
[[nodiscard]] SparseFormat stream_format(const CompressedRows& a);

using recurrence::native_limit;
using recurrence::native_tolerance;

} // namespace mantissa::gpu
