// The two panels of the blocked LU, in one block and in a cluster of blocks: one arithmetic, the same bits.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "dense/steps.hpp"
#include "device_test.hpp"
#include "mantissa/gpu/device.hpp"

namespace mantissa::gpu::dense {
namespace {

template <class T> class PanelTest : public mantissa::testing::DeviceTest {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PanelTest, Numbers);

enum class Kind { uniform, ties, zero_column, not_finite };

template <class T> std::vector<T> panel_of(Kind kind, std::size_t stride, int rows, int columns) {
    std::mt19937_64 random(static_cast<unsigned>(rows * 1000 + columns));
    std::vector<T> a(stride * static_cast<std::size_t>(columns));
    for (T& x : a)
        x = kind == Kind::ties ? static_cast<T>(static_cast<int>(random() % 3) - 1)
                               : static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-53 - 0.5);
    const std::size_t middle = static_cast<std::size_t>(columns / 2) * stride;
    if (kind == Kind::zero_column)
        for (std::size_t i = 0; i < stride; ++i) a[middle + i] = T(0);
    if (kind == Kind::not_finite) a[middle + static_cast<std::size_t>(rows) - 1] = std::numeric_limits<T>::infinity();
    return a;
}

template <class T> struct Outcome {
    std::vector<T> a;
    std::vector<int> lists;
    LuFlags flags;
    bool launched;
};

/// The panel in the middle of a larger matrix: `first` is not 0.
template <class T>
Outcome<T> factored(const std::vector<T>& in, std::size_t stride, int rows, int columns, bool in_one_block) {
    constexpr int kFirst = 64;
    Buffer<T> a = to_device(in);
    Buffer<T> scratch(kPanelScratch);
    Buffer<int> lists(3 * static_cast<std::size_t>(columns));
    Buffer<LuFlags> flags(1);
    flags.zero();
    lists.zero();
    const PanelTask<T> task{a.data(),
                            stride,
                            rows,
                            columns,
                            kFirst,
                            lists.data(),
                            lists.data() + columns,
                            lists.data() + 2 * columns,
                            flags.data(),
                            scratch.data(),
                            nullptr};
    Outcome<T> out{in, std::vector<int>(3 * static_cast<std::size_t>(columns)), {}, true};
    if (in_one_block) out.launched = launch_block_panel(task, nullptr);
    else launch_cluster_panel(task, nullptr);
    a.download(out.a);
    lists.download(out.lists);
    flags.download({&out.flags, 1});
    return out;
}

template <class T> void expect_same(Kind kind, int rows, int columns) {
    SCOPED_TRACE(::testing::Message() << "kind " << static_cast<int>(kind) << ", " << rows << " x " << columns);
    const std::size_t stride = (static_cast<std::size_t>(rows) + 31) / 32 * 32;
    const std::vector<T> in = panel_of<T>(kind, stride, rows, columns);
    const Outcome<T> one = factored(in, stride, rows, columns, true),
                     other = factored(in, stride, rows, columns, false);
    ASSERT_TRUE(one.launched);
    EXPECT_EQ(one.lists, other.lists);
    EXPECT_EQ(one.flags.zero_pivot, other.flags.zero_pivot);
    EXPECT_EQ(one.flags.not_finite, other.flags.not_finite);
    if (kind == Kind::zero_column) {
        EXPECT_NE(one.flags.zero_pivot, 0);
    }
    if (kind == Kind::not_finite) {
        EXPECT_NE(one.flags.not_finite, 0);
        return; // the signs of NaN are nobody's
    }
    EXPECT_EQ(std::memcmp(one.a.data(), other.a.data(), one.a.size() * sizeof(T)), 0);
}

TYPED_TEST(PanelTest, OneBlockAndAClusterGiveTheSameBits) {
    for (const int rows : {1, 2, 31, 32, 33, 64, 100, 127, 128, 129, 200, 256, 257, 400, 512})
        for (const int columns : {1, 7, 32, 33, 64})
            if (columns <= rows) expect_same<TypeParam>(Kind::uniform, rows, columns);
}

TYPED_TEST(PanelTest, TiesZerosAndInfinitiesToo) {
    for (const Kind kind : {Kind::ties, Kind::zero_column, Kind::not_finite})
        for (const int rows : {40, 128, 256, 500})
            for (const int columns : {5, 32, 40}) expect_same<TypeParam>(kind, rows, columns);
}

TYPED_TEST(PanelTest, TooManyRowsAreNotTaken) {
    constexpr int kRows = 513;
    const std::vector<TypeParam> in = panel_of<TypeParam>(Kind::uniform, 544, kRows, 32);
    const Outcome<TypeParam> out = factored(in, 544, kRows, 32, true);
    EXPECT_FALSE(out.launched);
    EXPECT_EQ(std::memcmp(out.a.data(), in.data(), in.size() * sizeof(TypeParam)), 0);
}

} // namespace
} // namespace mantissa::gpu::dense
