// Two panels in one launch, beside the same panels with the launches that a chain stands for: the same bits.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "dense/chain.hpp"
#include "device_test.hpp"
#include "mantissa/gpu/device.hpp"

namespace mantissa::gpu::dense {
namespace {

template <class T> class ChainTest : public mantissa::testing::DeviceTest {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ChainTest, Numbers);

enum class Kind { uniform, ties, zero_column, not_finite };

/// The first two panels' columns of a matrix of `n` rows.
template <class T> std::vector<T> columns_of(Kind kind, std::size_t stride, int n, int columns) {
    std::mt19937_64 random(static_cast<unsigned>(n));
    std::vector<T> a(stride * static_cast<std::size_t>(columns));
    for (T& x : a)
        x = kind == Kind::ties ? static_cast<T>(static_cast<int>(random() % 3) - 1)
                               : static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-53 - 0.5);
    const auto at = [&](int i, int j) -> T& { return a[static_cast<std::size_t>(j) * stride + i]; };
    if (kind == Kind::zero_column)
        for (int i = 0; i < n; ++i) at(i, kChainWidth + 2) = T(0);
    if (kind == Kind::not_finite) at(n - 1, kChainWidth + 1) = std::numeric_limits<T>::infinity();
    return a;
}

template <class T> struct Outcome {
    std::vector<T> a;
    std::vector<int> lists; ///< pivots, source, target
    LuFlags flags{};
    int started = 0;
    std::vector<int> finished;
};

/// `first`: where in the matrix the panels begin. Rows before are not to be touched.
template <class T> Outcome<T> factored(const std::vector<T>& in, std::size_t stride, int n, int first, bool chained) {
    const int rest = n - first, second = std::min(kChainWidth, rest - kChainWidth), next = first + kChainWidth;
    const auto count = static_cast<std::size_t>(n);
    // `in` begins at column `first`; the pointer is that of column 0, as if the others were there.
    Buffer<T> a = to_device(in);
    T* const matrix = a.data() - static_cast<std::ptrdiff_t>(static_cast<std::size_t>(first) * stride);
    Buffer<T> scratch(kPanelScratch), solved(static_cast<std::size_t>(kChainWidth) * kChainWidth);
    Buffer<int> lists(3 * count), words(8);
    Buffer<LuFlags> flags(1);
    flags.zero();
    lists.zero();
    words.zero();
    int *const pivots = lists.data(), *const source = pivots + n, *const target = source + n;
    int *const ready = words.data(), *const finished = ready + 2, *const started = finished + 2;
    if (chained) {
        const std::vector<int> ones{1, 1, 0, 0, 0, 0, 0, 0};
        words.upload(ones);
        launch_chain<T>({matrix, stride, n, first, 2, pivots, source, target, flags.data(), started, ready, finished},
                        nullptr);
    } else {
        const auto panel = [&](int at, int columns) {
            launch_cluster_panel<T>({matrix + at + at * stride, stride, n - at, columns, at, pivots + at, source + at,
                                     target + at, flags.data(), scratch.data(), nullptr},
                                    nullptr);
        };
        panel(first, kChainWidth);
        launch_swap_and_solve<T>({matrix, stride, first, kChainWidth, kChainWidth, source, target, 0, 0, next,
                                  next + second, solved.data(), kChainWidth},
                                 nullptr);
        launch_update<T>({matrix + next + first * stride, stride, solved.data(), kChainWidth,
                          matrix + next + next * stride, stride, n - next, second, kChainWidth},
                         nullptr);
        panel(next, second);
    }
    check(cudaDeviceSynchronize(), "factors");
    Outcome<T> o;
    o.a.resize(in.size());
    a.download(o.a);
    o.lists.resize(3 * count);
    lists.download(o.lists);
    flags.download({&o.flags, 1});
    std::vector<int> told(8);
    words.download(told);
    o.finished = {told[2], told[3]};
    o.started = told[4];
    return o;
}

template <class T> void expect_same(Kind kind, int n, int first) {
    const std::string what = "kind " + std::to_string(static_cast<int>(kind)) + ", n = " + std::to_string(n) +
                             ", first " + std::to_string(first);
    const std::size_t stride = (static_cast<std::size_t>(n) + 31) / 32 * 32;
    const std::vector<T> in = columns_of<T>(kind, stride, n, std::min(2 * kChainWidth, n - first));
    const Outcome<T> want = factored(in, stride, n, first, false), got = factored(in, stride, n, first, true);
    EXPECT_EQ(std::memcmp(got.a.data(), want.a.data(), want.a.size() * sizeof(T)), 0) << what;
    EXPECT_EQ(got.lists, want.lists) << what;
    EXPECT_EQ(got.flags.zero_pivot, want.flags.zero_pivot) << what;
    EXPECT_EQ(got.flags.not_finite, want.flags.not_finite) << what;
    EXPECT_EQ(got.started, 1) << what;
    const int blocks = chain_blocks(n - first);
    EXPECT_EQ(got.finished, (std::vector<int>{blocks, blocks})) << what;
}

TYPED_TEST(ChainTest, GivesTheBitsOfSeparateLaunches) {
    for (const int n : {33, 40, 64, 65, 200, 256, 511, 512, 513, 1000, 1024})
        for (const Kind kind : {Kind::uniform, Kind::ties, Kind::zero_column})
            if (kind != Kind::zero_column || n > kChainWidth + 2) expect_same<TypeParam>(kind, n, 0);
    expect_same<TypeParam>(Kind::uniform, chain_rows<TypeParam>(), 0);
    expect_same<TypeParam>(Kind::uniform, 300, 64);
    expect_same<TypeParam>(Kind::ties, 777, 128);
}
/// After a pivot that is not finite the numbers mean nothing, but the flag does.
TYPED_TEST(ChainTest, SaysWhichPivotIsNotFinite) {
    const std::size_t stride = 320;
    const std::vector<TypeParam> in = columns_of<TypeParam>(Kind::not_finite, stride, 300, 2 * kChainWidth);
    const Outcome<TypeParam> want = factored(in, stride, 300, 0, false), got = factored(in, stride, 300, 0, true);
    EXPECT_EQ(want.flags.not_finite, kChainWidth + 2);
    EXPECT_EQ(got.flags.not_finite, want.flags.not_finite);
}
TYPED_TEST(ChainTest, EndsWhereFewerBlocksDo) {
    EXPECT_EQ(chain_end(2048), 1536);
    EXPECT_EQ(chain_end(1536), 1024);
    EXPECT_EQ(chain_end(1025), 1024);
    EXPECT_EQ(chain_end(300), 256);
    EXPECT_EQ(chain_end(256), 128);
    EXPECT_EQ(chain_end(128), 0);
}

} // namespace
} // namespace mantissa::gpu::dense
