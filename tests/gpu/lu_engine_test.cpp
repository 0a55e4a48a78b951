// The reduced-format LU on the device against the emulated one, bit for bit.
#include "mantissa/gpu/lu_engine.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "device_test.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/host/dense.hpp"

namespace mantissa {
namespace {

class LuEngineOnDevice : public testing::DeviceTest {};

enum class Kind { uniform, ties, wide, dominant, zeros, large, null_column, nan, infinity };

DenseMatrix matrix(std::size_t n, std::uint64_t seed, Kind kind) {
    std::mt19937_64 random(seed);
    DenseMatrix a(n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            double x = static_cast<double>(random() >> 11) * 0x1p-53 - 0.5;
            if (kind == Kind::ties) x = static_cast<double>(static_cast<int>(random() % 5) - 2);
            if (kind == Kind::wide) x = std::ldexp(x, static_cast<int>(random() % 40) - 20);
            if (kind == Kind::dominant && i == j) x += static_cast<double>(n);
            if (kind == Kind::zeros && random() % 7 == 0) x = random() % 2 == 0 ? 0.0 : -0.0;
            if (kind == Kind::large) x *= 1e5;
            if (kind == Kind::null_column && j == n / 2) x = 0;
            a(i, j) = x;
        }
    if (n > 2 && kind == Kind::nan) a(n / 2, n / 3) = std::numeric_limits<double>::quiet_NaN();
    if (n > 2 && kind == Kind::infinity) a(n / 2, n / 3) = std::numeric_limits<double>::infinity();
    return a;
}

void expect_same(const LuFactors& got, const LuFactors& want) {
    ASSERT_EQ(to_string(got.end), to_string(want.end));
    ASSERT_EQ(got.at, want.at);
    if (want.end != LuEnd::factored) return;
    ASSERT_EQ(got.rows, want.rows);
    ASSERT_EQ(got.columns, want.columns);
    ASSERT_EQ(got.exchanges, want.exchanges);
    ASSERT_EQ(got.growth, want.growth);
    for (std::size_t i = 0; i < got.size(); ++i)
        for (std::size_t j = 0; j < got.size(); ++j)
            ASSERT_EQ(std::bit_cast<std::uint64_t>(got.lu(i, j)), std::bit_cast<std::uint64_t>(want.lu(i, j)))
                << "element " << i << ", " << j << ": " << got.lu(i, j) << " for " << want.lu(i, j);
}

void compare(const std::string& text, std::size_t n, std::uint64_t seed, Kind kind, int blocks) {
    SCOPED_TRACE(text + ", n = " + std::to_string(n) + ", seed " + std::to_string(seed) + ", kind " +
                 std::to_string(static_cast<int>(kind)) + ", blocks " + std::to_string(blocks));
    const LuSpec spec = parse_lu_spec(text);
    const DenseMatrix a = matrix(n, seed, kind);
    expect_same(gpu::LuEngine(spec, n, {blocks}).factor(a), factor(spec, a, 2));
}

template <class T> const T& any_of(std::mt19937_64& random, const std::vector<T>& from) {
    return from[random() % from.size()];
}

std::string random_spec(std::mt19937_64& random) {
    static const std::vector<std::string> formats = {"s2e3",
                                                     "s4e8",
                                                     "s7e8",
                                                     "s10e5",
                                                     "s12e6",
                                                     "s14e8",
                                                     "s17e8",
                                                     "s23e8",
                                                     "s28e11",
                                                     "s30e7",
                                                     "s52e11",
                                                     "half",
                                                     "bfloat16",
                                                     "float",
                                                     "double",
                                                     "s10e5:rne",
                                                     "s17e8:rne",
                                                     "s36e11:rne",
                                                     "s50e9:rne",
                                                     "s10e5:subnormals",
                                                     "s23e8:subnormals",
                                                     "s3e4:rne:sat",
                                                     "s20e9:rne:subnormals",
                                                     "s10e5:rne:subnormals:sat"};
    static const std::vector<std::string> windows = {"15:-34", "12:-20", "6:-12", "13:-50", "20:-31", "3:-40"};
    static const std::vector<std::string> orders = {
        "", ",order=crout", ",order=blocked:1", ",order=blocked:5", ",order=blocked:32", ",order=blocked:40"};
    static const std::vector<std::string> tournaments = {"", ":4:8", ":5:16,order=blocked:10", ":1:1", ":32:40"};
    std::string text = "lu:" + any_of(random, formats);
    if (random() % 3 == 0) text += ",l=" + any_of(random, formats);
    if (random() % 4 == 0) text += ",a=" + any_of(random, formats);
    if (random() % 3 == 0) {
        text += ",acc=fixed[" + any_of(random, windows) + "]";
    } else {
        if (random() % 2 == 0) text += ",acc=" + any_of(random, formats);
        const auto product = random() % 4;
        if (product == 0) text += ",product=exact";
        if (product == 1) text += ",product=" + any_of(random, formats);
    }
    const auto pivot = random() % 6;
    if (pivot == 0) text += ",pivot=full";
    else if (pivot == 1) text += ",pivot=tournament" + any_of(random, tournaments);
    else text += (pivot == 2 ? ",pivot=none" : pivot == 3 ? ",pivot=threshold:0.3" : "") + any_of(random, orders);
    if (random() % 3 == 0) text += ",div=reciprocal";
    return text;
}

TEST_F(LuEngineOnDevice, GivesTheEmulationsBitsForRandomSpecs) {
    std::mt19937_64 random(1);
    const std::vector<std::size_t> sizes = {1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 71, 97, 130};
    for (int turn = 0; turn < 600 && !HasFatalFailure(); ++turn) {
        const std::string text = random_spec(random);
        const std::size_t n = any_of(random, sizes);
        const auto kind = static_cast<Kind>(random() % 9);
        const int blocks = random() % 3 == 0 ? 1 + static_cast<int>(random() % 5) : 0;
        compare(text, n, random(), kind, blocks);
    }
}

/// Panels of several blocks in a cluster, and every tile of the update in use.
TEST_F(LuEngineOnDevice, GivesTheEmulationsBitsAtLargerSizes) {
    for (const char* text :
         {"lu:s10e5,acc=fixed[15:-34]", "lu:s10e5", "lu:s23e8:rne", "lu:s14e8,acc=s23e8", "lu:s36e11,acc=fixed[13:-50]",
          "lu:s7e8,acc=s23e8,order=blocked:48", "lu:s10e5,acc=fixed[15:-34],pivot=tournament", "lu:s10e5,pivot=full"})
        for (const int blocks : {0, 7}) compare(text, 321, 5, Kind::uniform, blocks);
}

/// A window that truncates most products, and one whose sums leave a double's whole numbers for the tile.
TEST_F(LuEngineOnDevice, EveryPathOfAWindowGivesTheSameBits) {
    for (const char* text :
         {"lu:s10e5,acc=fixed[15:-12],pivot=none", "lu:s10e5,acc=fixed[12:-39]", "lu:s23e8,acc=fixed[15:-34]",
          "lu:s10e8,acc=fixed[20:-31],pivot=none", "lu:s10e8,acc=fixed[9:-4],pivot=none"})
        for (const Kind kind : {Kind::uniform, Kind::large, Kind::wide, Kind::dominant}) compare(text, 200, 3, kind, 0);
}

TEST_F(LuEngineOnDevice, KeepsItsMemoryFromMatrixToMatrix) {
    const LuSpec spec = parse_lu_spec("lu:s10e5,acc=fixed[15:-34]");
    gpu::LuEngine engine(spec, 90);
    for (const Kind kind : {Kind::uniform, Kind::null_column, Kind::nan, Kind::dominant}) {
        const DenseMatrix a = matrix(90, 8, kind);
        expect_same(engine.factor(a), factor(spec, a, 2));
    }
}

TEST_F(LuEngineOnDevice, SmallestSizes) {
    const LuSpec spec = parse_lu_spec("lu:s10e5");
    expect_same(gpu::LuEngine(spec, 0).factor(DenseMatrix(0)), factor(spec, DenseMatrix(0), 1));
    for (const double x : {0.0, -0.0, 1.5, 1e300, 1e-300}) {
        const DenseMatrix a(1, {x});
        expect_same(gpu::LuEngine(spec, 1).factor(a), factor(spec, a, 1));
    }
}

TEST_F(LuEngineOnDevice, RefusesInOneLine) {
    const auto refused = [](const char* text, std::size_t n) {
        EXPECT_THROW(gpu::LuEngine(parse_lu_spec(text), n), InvalidInput) << text;
    };
    refused("lu:s10e5,pivot=tournament:33:100", 200);
    refused("lu:s10e5", 70000);
    EXPECT_THROW((void)gpu::LuEngine(parse_lu_spec("lu:s10e5"), 5).factor(DenseMatrix(4)), InvalidInput);
}

/// The whole solve: the same factors, so the same answer.
TEST_F(LuEngineOnDevice, SolvesAsTheEmulationDoes) {
    const DenseProblem problem = make_dense_problem("n=150");
    DenseOptions o;
    o.spec = parse_lu_spec("lu:s10e5,acc=fixed[15:-34]");
    const DenseResult want = solve_dense(problem, o);
    o.factor = make_gpu_lu_factor();
    const DenseResult got = solve_dense(problem, o);
    EXPECT_EQ(got.status, DenseStatus::converged);
    EXPECT_EQ(got.x, want.x);
}

/// The device's own arithmetic, judged on the processor: what solve --dense --engine gpu does.
TEST_F(LuEngineOnDevice, SolvesInItsOwnArithmetic) {
    for (const char* text : {"n=1", "n=150", "n=700", "n=700,kind=graded", "n=600,kind=randsvd,kappa=1e5"}) {
        const DenseProblem problem = make_dense_problem(text);
        for (const char* spec : {"lu:double,sum=free", "lu:float,sum=free", "tensor:half-pair", "tensor:bfloat-pair"}) {
            DenseOptions o;
            o.spec = parse_lu_spec(spec);
            o.native = make_gpu_native_lu();
            const DenseResult r = solve_dense(problem, o);
            EXPECT_EQ(r.status, DenseStatus::converged) << text << " " << spec;
            ASSERT_TRUE(r.native) << spec;
            EXPECT_EQ(r.x.size(), problem.a.size());
            EXPECT_EQ(r.native->residuals != 0, o.spec.tensor()) << text << " " << spec;
        }
    }
}

/// What tensor cores cannot is solved in double; what has no inverse is said to be singular by both.
TEST_F(LuEngineOnDevice, TheFastestGivesWayToDouble) {
    const auto fastest = [](const DenseProblem& problem) {
        DenseOptions o;
        take_native_dense(problem.a.size(), o);
        o.native = make_gpu_native_lu();
        return solve_dense(problem, o);
    };
    const DenseResult easy = fastest(make_dense_problem("n=1024"));
    EXPECT_EQ(to_string(easy.spec), "tensor:half-pair");
    EXPECT_EQ(easy.status, DenseStatus::converged);
    const DenseResult hard = fastest(make_dense_problem("n=600,kind=randsvd,kappa=1e14"));
    EXPECT_EQ(hard.status, DenseStatus::converged);
    EXPECT_EQ(to_string(hard.spec), to_string(parse_lu_spec("lu:double,sum=free")));
    EXPECT_NE(hard.gave_up.find("tensor:half-pair"), std::string::npos);
    const std::size_t n = 520;
    DenseProblem none{"no pivot", DenseMatrix::identity(n), std::vector<double>(n, 1.0)};
    none.a(7, 7) = 0;
    const DenseResult r = fastest(none);
    EXPECT_EQ(r.end, LuEnd::singular);
    EXPECT_EQ(r.status, DenseStatus::failed);
}

} // namespace
} // namespace mantissa
