#include "outer.hpp"

#include "outer_kernels.cuh"

namespace mantissa::gpu {

namespace {

class FixedOuter final : public DeviceOuter {
public:
    FixedOuter(const FixedSessionVectors& session, const System& given)
        : DeviceOuter(given), session_(session), unfit_(1) {}

private:
    void form_direction(double scale, bool keep) override {
        fixed_direction<<<blocks(), kOuterThreads>>>(d_.data(), 1 / scale, session_.p, session_.params->p_words, keep,
                                                     matrix_.size, direction_.data(), scratch_.data());
        check(cudaGetLastError(), "launch of fixed_direction");
    }
    void begin(double projection, bool keep) override {
        const FixedParams& a = *session_.params;
        const auto size = static_cast<std::size_t>(a.size);
        unfit_.zero();
        fixed_restart<<<blocks(), kOuterThreads>>>(session_.r, session_.p, direction_.data(), projection, keep, a.size,
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
        fixed_correction<U><<<blocks(), kOuterThreads>>>(session_.u, session_.p, static_cast<const U*>(a.u_words),
                                                         a.p_words, alpha, a.size, scratch_.data(), broken_.data());
    }

    FixedSessionVectors session_;
    Buffer<unsigned> unfit_;
};

} // namespace

std::unique_ptr<OuterVectors> make_fixed_outer(const FixedSessionVectors& session, const System& given) {
    return std::make_unique<FixedOuter>(session, given);
}

} // namespace mantissa::gpu
