#include "nccl.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "mantissa/gpu/device.hpp"
#include "mantissa/gpu/rank_cg.hpp"

namespace mantissa::gpu {

namespace {

constexpr const char* kFile = "libnccl.so.2";

std::string reason() {
    const char* const text = ::dlerror();
    return text == nullptr ? "no reason given" : text;
}

template <class Function> void find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    if (function == nullptr) throw DeviceError(std::string("finding ") + name + " in " + kFile, reason());
}

Nccl load() {
    // Plain peer memory: without these, NCCL was seen to fail or to wait for ever where a machine's containers share no
    // handles. What the user has set stays.
    for (const char* const off : {"NCCL_CUMEM_ENABLE", "NCCL_CUMEM_HOST_ENABLE", "NCCL_NVLS_ENABLE"})
        static_cast<void>(::setenv(off, "0", 0));
    void* const library = ::dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
        throw DeviceError(std::string("loading ") + kFile,
                          reason() + "; install NCCL, or name its folder in LD_LIBRARY_PATH");
    Nccl n{};
    find(library, "ncclGetUniqueId", n.unique_id);
    find(library, "ncclCommInitRank", n.init_rank);
    find(library, "ncclCommAbort", n.abort);
    find(library, "ncclCommDestroy", n.destroy);
    find(library, "ncclCommGetAsyncError", n.async_error);
    find(library, "ncclGroupStart", n.group_start);
    find(library, "ncclGroupEnd", n.group_end);
    find(library, "ncclSend", n.send);
    find(library, "ncclRecv", n.receive);
    find(library, "ncclAllReduce", n.all_reduce);
    find(library, "ncclGetErrorString", n.error);
    return n;
}

} // namespace

const Nccl& Nccl::get() {
    static const Nccl n = load();
    return n;
}

void Nccl::check(int status, const char* call) const {
    if (status != 0) throw DeviceError(call, error(status));
}

std::string nccl_missing() {
    try {
        static_cast<void>(Nccl::get());
    } catch (const DeviceError& fault) {
        return fault.what();
    }
    return {};
}

} // namespace mantissa::gpu
