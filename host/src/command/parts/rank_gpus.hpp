// GPUs of the ranks of mpirun: each rank has one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mantissa/partition/parted_cg.hpp"
#include "running/ranks.hpp"

namespace mantissa::cli {

/// What a rank has.
struct RankGpus {
    std::string machine;             ///< the same for ranks of one machine, another for others
    std::string name;                ///< of the machine, for people
    std::vector<std::string> device; ///< the GPUs' own numbers (UUIDs), by the numbers this process gives them
    std::string missing;             ///< why it has no GPU; empty where it has
    std::string no_nccl;             ///< why it has no NCCL; empty where it has
};

/// How ranks on GPUs exchange.
enum class GpuExchange : std::uint8_t { mpi, nccl };

/// Which GPU each rank takes, and how they exchange.
struct GpuPlaces {
    std::vector<int> device; ///< of each rank, as that rank numbers them
    GpuExchange exchange = GpuExchange::mpi;
    std::string why; ///< why it is not NCCL though nobody chose; else empty
};

/// The k-th rank of a machine takes its k-th GPU, or the k-th of `devices` where that is not empty; where ranks see
/// GPUs that no other rank of the machine sees, each takes its first. `asked` empty: NCCL where it can be used, else
/// MPI. Throws InvalidInput: a rank without GPU, more ranks on a machine than GPUs, `devices` names one that is not
/// there; NCCL was asked for and a rank has no library for it, or two ranks share a GPU.
GpuPlaces place_ranks(const std::vector<RankGpus>& ranks, const std::vector<int>& devices,
                      std::optional<GpuExchange> asked);

/// What every rank has, in their order. Collective; throws nothing that one rank alone would.
std::vector<RankGpus> gpus_of_ranks(const running::Ranks& ranks);

/// The device's side of CG over these ranks. Throws InvalidInput in a build without CUDA.
MakePartSolver on_rank_gpus(const GpuPlaces& places, const running::Ranks& ranks, double wait);

} // namespace mantissa::cli
