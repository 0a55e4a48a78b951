#include "outer.hpp"

namespace mantissa::gpu {

namespace {

constexpr int kThreads = 256;

__device__ __forceinline__ long long element() {
    return static_cast<long long>(blockIdx.x) * kThreads + threadIdx.x;
}
__device__ __forceinline__ double value(const Format& f, long long word) {
    return static_cast<double>(word) * Format::power_of_two(-f.fraction_bits);
}

__global__ void __launch_bounds__(kThreads)
    fixed_direction(const double* d, double reciprocal, Format p_format, const int* p, bool keep, long long size,
                    double* direction, double* product) {
    const long long i = element();
    if (i >= size) return;
    const double r = __dmul_rn(d[i], reciprocal);
    direction[i] = r;
    if (keep) product[i] = __dmul_rn(r, value(p_format, p[i]));
}

__global__ void __launch_bounds__(kThreads)
    fixed_restart(Format r_format, Format p_format, const double* direction, double projection, bool keep,
                  long long size, int* r_words, int* p_words, unsigned* unfit) {
    const long long i = element();
    if (i >= size) return;
    const double r = direction[i];
    const fixed::Rounded word = fixed::from_double(r_format, r);
    bool over = word.overflow;
    r_words[i] = static_cast<int>(word.word);
    if (keep) {
        const double p = __dadd_rn(value(p_format, p_words[i]), -__dmul_rn(projection, r));
        const fixed::Rounded direction_word = fixed::from_double(p_format, p);
        over |= direction_word.overflow;
        p_words[i] = static_cast<int>(direction_word.word);
    }
    if (over) *unfit = 1;
}

/// U: int, long long or double.
template <class U>
__global__ void __launch_bounds__(kThreads)
    fixed_correction(Format u_format, Format p_format, const U* u, const int* p, double alpha, long long size,
                     double* correction, unsigned* broken) {
    const long long i = element();
    if (i >= size) return;
    const double along = __dmul_rn(alpha, value(p_format, p[i]));
    double c;
    if constexpr (std::is_same_v<U, double>) c = __dadd_rn(u[i], along);
    else c = __dadd_rn(value(u_format, u[i]), value(u_format, fixed::from_double(u_format, along).word));
    correction[i] = c;
    if (!isfinite(c)) *broken = 1;
}

class FixedOuter final : public DeviceOuter {
public:
    FixedOuter(const FixedSessionVectors& session, const System& given)
        : DeviceOuter(given), session_(session), unfit_(1) {}

private:
    void form_direction(double scale, bool keep) override {
        fixed_direction<<<blocks(), kThreads>>>(d_.data(), 1 / scale, session_.p, session_.params->p_words, keep,
                                                matrix_.size, direction_.data(), scratch_.data());
        check(cudaGetLastError(), "launch of fixed_direction");
    }
    void begin(double projection, bool keep) override {
        const FixedParams& a = *session_.params;
        const auto size = static_cast<std::size_t>(a.size);
        unfit_.zero();
        fixed_restart<<<blocks(), kThreads>>>(session_.r, session_.p, direction_.data(), projection, keep, a.size,
                                              a.r_words, a.p_words, unfit_.data());
        check(cudaGetLastError(), "launch of fixed_restart");
        check(cudaMemsetAsync(a.u_words, 0, size * (session_.u_kind == FixedU::short_words ? 4 : 8)), "cudaMemset");
        check(cudaMemsetAsync(a.q_words, 0, size * sizeof(int)), "cudaMemset");
        unsigned unfit = 0;
        unfit_.download(std::span(&unfit, 1));
        *session_.unfit |= unfit != 0;
    }
    void form_correction(double alpha) override {
        if (session_.u_kind == FixedU::short_words) correction<int>(alpha);
        else if (session_.u_kind == FixedU::long_words) correction<long long>(alpha);
        else correction<double>(alpha);
        check(cudaGetLastError(), "launch of fixed_correction");
    }
    template <class U> void correction(double alpha) {
        const FixedParams& a = *session_.params;
        fixed_correction<U><<<blocks(), kThreads>>>(session_.u, session_.p, static_cast<const U*>(a.u_words), a.p_words,
                                                    alpha, a.size, scratch_.data(), broken_.data());
    }

    FixedSessionVectors session_;
    Buffer<unsigned> unfit_;
};

} // namespace

std::unique_ptr<OuterVectors> make_fixed_outer(const FixedSessionVectors& session, const System& given) {
    return std::make_unique<FixedOuter>(session, given);
}

} // namespace mantissa::gpu
