#include "isa.hpp"
#include "pass.hpp"

#include <cstdlib>
#include <string_view>

namespace mantissa::detail {

namespace {
Isa detect() {
    Isa best = Isa::baseline;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        best = Isa::avx2;
    if (best == Isa::avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
        best = Isa::avx512;
#endif
    if (const char* wanted = std::getenv("MANTISSA_ISA")) {
        const std::string_view w = wanted;
        if (w == "baseline") best = Isa::baseline;
        if (w == "avx2" && best == Isa::avx512) best = Isa::avx2;
    }
    return best;
}
} // namespace

Isa best_isa() {
    static const Isa isa = detect();
    return isa;
}

const char* isa_name(Isa isa) {
    return isa == Isa::avx512 ? "avx512" : isa == Isa::avx2 ? "avx2" : "baseline";
}

const KernelTable& best_kernel_table() {
#if defined(__x86_64__)
    if (best_isa() == Isa::avx512) return avx512::kernel_table();
    if (best_isa() == Isa::avx2) return avx2::kernel_table();
#endif
    return baseline::kernel_table();
}

template <class T> const PassTable<T>& best_pass_table() {
#if defined(__x86_64__)
    if (best_isa() == Isa::avx512) return avx512::pass_table(T{});
    if (best_isa() == Isa::avx2) return avx2::pass_table(T{});
#endif
    return baseline::pass_table(T{});
}
template const PassTable<float>& best_pass_table<float>();
template const PassTable<double>& best_pass_table<double>();

} // namespace mantissa::detail
