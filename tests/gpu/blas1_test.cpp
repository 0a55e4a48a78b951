// Level-1 operations on the device: the processor's bits.
#include "mantissa/gpu/blas1.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "device_test.hpp"
#include "mantissa/blas1.hpp"

namespace mantissa::gpu {
namespace {

template <class T> class GpuBlas1Test : public mantissa::testing::DeviceTest {
protected:
    static constexpr T kPoison = std::numeric_limits<T>::quiet_NaN();
    static auto bits(T x) {
        if constexpr (sizeof(T) == 4) return std::bit_cast<std::uint32_t>(x);
        else return std::bit_cast<std::uint64_t>(x);
    }
    static std::vector<T> values(std::size_t n, unsigned seed, int exponents) {
        std::mt19937_64 random(seed);
        std::uniform_real_distribution<double> unit(-1, 1);
        std::uniform_int_distribution<int> exponent(-exponents, exponents);
        std::vector<T> v(n);
        for (T& x : v) x = static_cast<T>(std::ldexp(unit(random), exponent(random)));
        return v;
    }
    /// On the device from element `shift` of an aligned buffer, with a poisoned frame.
    struct Placed {
        Buffer<T> buffer;
        std::size_t shift, n;
        Placed(const std::vector<T>& v, std::size_t at) : buffer(v.size() + at + 5), shift(at), n(v.size()) {
            buffer.upload(std::vector<T>(buffer.size(), kPoison));
            if (n != 0) buffer.upload(v, shift);
        }
        T* data() const { return buffer.data() + shift; }
        std::vector<T> all() const {
            std::vector<T> v(buffer.size());
            buffer.download(v);
            return v;
        }
    };
    void compare(std::size_t n, std::size_t shift_x, std::size_t shift_y, int exponents) {
        SCOPED_TRACE(::testing::Message() << n << " elements, shifts " << shift_x << " " << shift_y);
        const auto x = values(n, 1, exponents), y = values(n, 2, exponents);
        const Placed dx(x, shift_x), dy(y, shift_y);
        Buffer<T> result(1);
        const auto number = [&](const auto& launch) {
            result.upload(std::vector<T>{kPoison});
            launch();
            std::vector<T> got(1);
            result.download(got);
            return got[0];
        };
        for (int again = 0; again < 2; ++again) { // (the second call finds what the first one left)
            EXPECT_EQ(bits(number([&] { blas_->dot(n, dx.data(), dy.data(), result.data()); })), bits(dot<T>(x, y)));
            EXPECT_EQ(bits(number([&] { blas_->nrm2(n, dx.data(), result.data()); })), bits(nrm2<T>(x)));
        }
        std::vector<T> want = y;
        axpy<T>(T(-1.7), x, want);
        blas_->axpy(n, T(-1.7), dx.data(), dy.data());
        const std::vector<T> got = dy.all();
        for (std::size_t i = 0; i < got.size(); ++i) {
            const bool inside = i >= shift_y && i < shift_y + n;
            ASSERT_EQ(bits(got[i]), bits(inside ? want[i - shift_y] : kPoison)) << i;
        }
    }
    /// Made where a device is: a fixture's constructor cannot skip.
    std::optional<Blas1<T>> blas_;
    void SetUp() override {
        DeviceTest::SetUp();
        if (!this->IsSkipped()) blas_.emplace();
    }
};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GpuBlas1Test, Types);

TYPED_TEST(GpuBlas1Test, TheProcessorsBitsAtEverySize) {
    for (const std::size_t n : {0UL,
                                1UL,
                                3UL,
                                255UL,
                                1023UL,
                                1024UL,
                                1025UL,
                                4095UL,
                                4096UL,
                                4097UL,
                                8191UL,
                                8192UL,
                                8193UL,
                                65535UL,
                                65537UL,
                                528UL * 1024 - 1,
                                528UL * 1024 + 1,
                                (1UL << 22) - 1,
                                (1UL << 22) + 1,
                                9000001UL,
                                25000003UL})
        this->compare(n, 0, 0, 6);
}

TYPED_TEST(GpuBlas1Test, VectorsThatAreNotAligned) {
    for (const std::size_t n : {1UL, 5UL, 1025UL, 100003UL})
        for (const std::size_t shift : {1UL, 2UL, 3UL}) {
            this->compare(n, shift, 0, 6);
            this->compare(n, 0, shift, 6);
            this->compare(n, shift, 3, 6);
        }
}

TYPED_TEST(GpuBlas1Test, ExtremeElements) {
    this->compare(100003, 0, 0, sizeof(TypeParam) == 4 ? 120 : 1000);
    using Limits = std::numeric_limits<TypeParam>;
    Buffer<TypeParam> result(1);
    for (const TypeParam at : {Limits::infinity(), Limits::quiet_NaN(), Limits::max(), Limits::denorm_min()}) {
        std::vector<TypeParam> v(5000, TypeParam(0.5)), got(1);
        v[3777] = at;
        const auto x = to_device(v);
        this->blas_->nrm2(v.size(), x.data(), result.data());
        result.download(got);
        const TypeParam want = nrm2<TypeParam>(v);
        EXPECT_TRUE(got[0] == want || (std::isnan(got[0]) && std::isnan(want))) << at;
    }
}

// Many launches one after another, each of which reads what the one before wrote.
TYPED_TEST(GpuBlas1Test, LaunchesThatFollowEachOther) {
    const std::size_t n = 300007;
    auto x = this->values(n, 5, 2), y = this->values(n, 6, 2);
    const auto dx = to_device(x);
    const auto dy = to_device(y);
    Buffer<TypeParam> results(64);
    std::vector<TypeParam> want(64), got(64);
    for (std::size_t k = 0; k < 64; ++k) {
        this->blas_->axpy(n, TypeParam(0.01), dx.data(), dy.data());
        if (k % 2 == 0) this->blas_->dot(n, dx.data(), dy.data(), results.data() + k);
        else this->blas_->nrm2(n, dy.data(), results.data() + k);
        axpy<TypeParam>(TypeParam(0.01), x, y);
        want[k] = k % 2 == 0 ? dot<TypeParam>(x, y) : nrm2<TypeParam>(y);
    }
    results.download(got);
    for (std::size_t k = 0; k < 64; ++k) EXPECT_EQ(got[k], want[k]) << k;
}

} // namespace
} // namespace mantissa::gpu
