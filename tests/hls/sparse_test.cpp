// The hls engine on sparse rows: the emulated engine's bits after every pass, for any number of lanes; the gather by
// ports; refusals.
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "engine_compare.hpp"
#include "engines_alike.hpp"
#include "mantissa/hls/engine.hpp"
#include "mantissa/hls/sparse_kernel.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/scaling.hpp"
#include "mantissa_hls/sparse/gathered_rows.hpp"
#include "sparse_systems.hpp"
#include "symmetric_systems.hpp"

namespace mantissa {
namespace {

using testing::expect_alike;
using testing::symmetric_rows;

std::size_t alike(const std::string& spec, const System& system, std::size_t passes, double deviation = 0.05) {
    const auto engine = make_hls_engine(), emulated = make_emulated_engine();
    return expect_alike(*engine, *emulated, spec, system, passes, testing::residual_of_rows(system, deviation));
}

class HlsSparse : public ::testing::TestWithParam<const char*> {};

TEST_P(HlsSparse, EqualsEmulated) {
    EXPECT_GE(alike(GetParam(), symmetric_rows(300, 1, true), 6), 3U);
    EXPECT_GE(alike(GetParam(), symmetric_rows(257, 2, false, 20, 9), 6), 6U);
    EXPECT_GE(alike(GetParam(), symmetric_rows(5, 3, true), 1), 1U);
    EXPECT_GE(alike(GetParam(), symmetric_rows(1, 4, false), 0), 0U);
}

TEST_P(HlsSparse, EndsWithOverflowAsEmulated) {
    EXPECT_LT(alike(GetParam(), symmetric_rows(300, 5, true), 6, 20), 6U);
}

INSTANTIATE_TEST_SUITE_P(Specs, HlsSparse,
                         ::testing::Values("fx18.16", "fx18.16,coef=fx24.22,lanes=4", "fx18.16,lanes=8",
                                           "fx27.24,coef=fx18.16,u=s23e8,lanes=16", "fx32.28,coef=fx32.30,lanes=4"),
                         [](const auto& test) { return testing::test_name(test.param); });

/// Matrices of practice, where they are at hand.
TEST(HlsSparseMatrices, EqualEmulated) {
    const char* const data = std::getenv("MANTISSA_DATA");
    if (data == nullptr) GTEST_SKIP() << "MANTISSA_DATA names no folder of matrices";
    for (const char* name : {"1138_bus", "LFAT5", "bcsstk03", "bcsstk17", "bcsstk18", "ex9", "gyro_m", "msc01440",
                             "s3rmt3m3", "wathen100"}) {
        const std::filesystem::path file = std::filesystem::path(data) / "matrices" / (std::string(name) + ".mtx");
        if (!std::filesystem::exists(file)) continue;
        SCOPED_TRACE(name);
        const System system = jacobi_scaled(make_problem("mtx:" + file.string())).problem.system;
        alike("fx24.20,coef=fx18.16,lanes=16", system, 8, 0.01);
        alike("fx18.16,lanes=8", system, 4, 0.01);
    }
}

/// Every beat of real streams, read by two ports a bank and directly.
template <int Lanes> void gathers_alike() {
    const CompressedRows rows = symmetric_rows(400, 7, true);
    const sparse_core::RowStream stream(rows, {.lanes = Lanes});
    std::vector<mantissa_hls::Banks<std::uint32_t, Lanes>> p(stream.slices());
    for (std::size_t a = 0; a < p.size(); ++a)
        for (std::size_t l = 0; l < Lanes; ++l) p[a].lane[l] = static_cast<std::uint32_t>(a * Lanes + l);
    for (std::uint64_t b = 0; b < stream.beats(); ++b) {
        std::uint32_t direct[Lanes], ports[Lanes];
        mantissa_hls::gather<std::uint32_t, Lanes>(p.data(), stream.column().data() + b * Lanes, direct);
        mantissa_hls::gather_by_ports<std::uint32_t, Lanes>(p.data(), stream.column().data() + b * Lanes, ports);
        for (int l = 0; l < Lanes; ++l) {
            ASSERT_EQ(direct[l], stream.column()[b * Lanes + static_cast<unsigned>(l)]);
            ASSERT_EQ(ports[l], direct[l]) << "beat " << b << ", lane " << l;
        }
    }
}

TEST(HlsSparseGather, TwoPortsABankReadWhatLanesAskFor) {
    gathers_alike<1>();
    gathers_alike<4>();
    gathers_alike<16>();
}

std::string refused(const std::string& spec, const System& system) {
    const std::string why = make_hls_engine()->refusal(parse_spec(spec), system, {});
    EXPECT_EQ(why.find('\n'), std::string::npos);
    return why;
}

TEST(HlsSparseRefusal, NamesThePlaceAndTheLimit) {
    EXPECT_EQ(refused("fx18.16", symmetric_rows(30, 1, true)), "");
    const CompressedRows asymmetric({0, 2, 4}, {0, 1, 0, 1}, {1, -0.5, -0.25, 1});
    EXPECT_NE(refused("fx18.16", asymmetric).find("a(0, 1) is not a(1, 0)"), std::string::npos);
    const CompressedRows one_sided({0, 2, 3}, {0, 1, 1}, {1, -0.5, 1});
    EXPECT_NE(refused("fx18.16", one_sided).find("a(0, 1) is not a(1, 0)"), std::string::npos);
    const CompressedRows indefinite({0, 1, 2}, {0, 1}, {1, -1});
    EXPECT_NE(refused("fx18.16", indefinite).find("diagonal of row 1"), std::string::npos);
    const CompressedRows hollow({0, 1, 2}, {1, 0}, {0.5, 0.5});
    EXPECT_NE(refused("fx18.16", hollow).find("diagonal of row 0"), std::string::npos);
    EXPECT_NE(refused("s17e8", symmetric_rows(30, 1, true)).find("fixed-point words"), std::string::npos);
    EXPECT_NE(refused("fx18.16,point=moving", symmetric_rows(30, 1, true)).find("point=moving"), std::string::npos);
    const std::size_t many = (std::size_t{1} << 20) + 1;
    EXPECT_NE(refused("fx18.16", CompressedRows(std::vector<std::uint64_t>(many + 1), {}, {})).find("1048576"),
              std::string::npos);
}

} // namespace
} // namespace mantissa
