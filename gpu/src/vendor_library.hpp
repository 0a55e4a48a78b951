// cuBLAS, cuSPARSE and cuSOLVER, found when they are first wanted, by the comparison with them or by a solve that one
// of them does faster: linked, they would take 260 MB of every run of the program. Each is there where the build found
// it.
#pragma once

#include <string>

namespace mantissa::gpu {

/// A shared library that stays loaded once it was asked for. Throws DeviceError, naming the file and the reason, when
/// it or one of its functions is not to be had.
class VendorLibrary {
public:
    /// `name`: the file as the dynamic linker looks for it; `path`: where the build found it, tried second.
    VendorLibrary(const char* name, const char* path);

    /// The function `name`, whose type the vendor's header declares:
    ///     static const auto create = cublas().function<decltype(&cublasCreate_v2)>("cublasCreate_v2");
    template <class Function> [[nodiscard]] Function function(const char* name) const {
        return reinterpret_cast<Function>(symbol(name));
    }

private:
    [[nodiscard]] void* symbol(const char* name) const;

    void* handle_;
    std::string name_;
};

const VendorLibrary& cublas();
const VendorLibrary& cusparse();
const VendorLibrary& cusolver();

} // namespace mantissa::gpu
