// NCCL's functions, as its header has them: a stable interface, found at run time, and no header that a build would
// need.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace mantissa::gpu {

struct Nccl {
    using Comm = void*;
    struct Id {
        char internal[128];
    };
    static constexpr int kUint64 = 5, kDouble = 8, kSum = 0, kInProgress = 7;

    int (*unique_id)(Id*);
    int (*init_rank)(Comm*, int, Id, int);
    int (*abort)(Comm);
    int (*destroy)(Comm);
    int (*async_error)(Comm, int*);
    int (*group_start)();
    int (*group_end)();
    int (*send)(const void*, std::size_t, int, int, Comm, cudaStream_t);
    int (*receive)(void*, std::size_t, int, int, Comm, cudaStream_t);
    int (*all_reduce)(const void*, void*, std::size_t, int, int, Comm, cudaStream_t);
    const char* (*error)(int);

    /// The library, loaded once. Throws DeviceError, which says how it may be had.
    static const Nccl& get();
    /// Throws DeviceError on a status that is no success.
    void check(int status, const char* call) const;
};

} // namespace mantissa::gpu
