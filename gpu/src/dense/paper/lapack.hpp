// LAPACK's factorisations on the processor, from the library that this host has, if it has one.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace mantissa::gpu::dense {

class Lapack {
public:
    /// Loads OpenBLAS, MKL or the reference LAPACK, in this order.
    Lapack();
    Lapack(const Lapack&) = delete;
    Lapack& operator=(const Lapack&) = delete;
    /// The handle stays open: such libraries keep threads.
    ~Lapack() = default;

    /// What was loaded, with its version where it says so; empty without one.
    [[nodiscard]] const std::string& name() const { return name_; }
    /// Seconds of sgetrf (partial pivoting) and of sgetc2 (full pivoting) of an n x n matrix; empty without a library.
    [[nodiscard]] std::optional<double> getrf(std::vector<float> a, int n) const;
    [[nodiscard]] std::optional<double> getc2(std::vector<float> a, int n) const;

private:
    void* handle_ = nullptr;
    std::string name_;
};

} // namespace mantissa::gpu::dense
