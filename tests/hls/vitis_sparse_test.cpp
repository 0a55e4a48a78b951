// The sparse core's top function for a commercial HLS compiler, compiled alone (CMakeLists.txt), as an engine: passes
// and whole solves have the emulated engine's bits, with vectors in and out by the one function that becomes hardware.
#include <stdexcept>

#include <gtest/gtest.h>

#include "engines_alike.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/hls/kernel.hpp"
#include "mantissa/hls/sparse_kernel.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/solve.hpp"
#include "sparse_systems.hpp"
#include "sparse_top.hpp"

namespace mantissa {
namespace {

namespace top = mantissa_hls::sparse_top;

/// The datapath that sparse_top.hpp has.
constexpr const char* kSpec = "fx18.16,u=fx31.25,coef=fx18.16,operand=s17e8,scalar=s19e8:rne,lanes=8";
constexpr std::uint32_t kSets[] = {top::kVectorU, top::kVectorR, top::kVectorP, top::kVectorQ};

/// Vectors are outside until a run, and come out when somebody reads them.
class TopSession final : public Session {
public:
    TopSession(const System& system, const DatapathSpec& spec)
        : spec_(spec), formats_{spec.u, spec.r, spec.p, spec.q},
          rows_(hls::load_rows(std::get<CompressedRows>(system.matrix()), system.size(), spec, {.lanes = spec.lanes})),
          u_(rows_.slices), r_(rows_.slices), p_(rows_.slices), q_(rows_.slices) {
        call_.size = static_cast<std::uint32_t>(system.size());
        call_.row_shift = rows_.shape.row_shift;
        call_.clear = top::kVectorU | top::kVectorR | top::kVectorP | top::kVectorQ;
    }
    void write(Vec v, std::size_t first, std::span<const double> values) override {
        fetch(v);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const hls::StoredWord stored = hls::stored_word(formats_[index(v)], values[i]);
            ASSERT_FALSE(stored.overflow);
            word(v, rows_.position[first + i]) = static_cast<std::uint32_t>(stored.word);
        }
        call_.load |= kSets[index(v)];
    }
    void read(Vec v, std::size_t first, std::span<double> values) const override {
        fetch(v);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = hls::stored_value(formats_[index(v)], word(v, rows_.position[first + i]));
    }
    void clear(Vec v) override {
        call_.load &= ~kSets[index(v)];
        call_.clear |= kSets[index(v)];
        outside_ &= ~kSets[index(v)];
    }
    void set_scalars(double alpha, double beta) override {
        words_ = {};
        words_.alpha = scalar(alpha);
        words_.beta = scalar(beta);
    }
    [[nodiscard]] Scalars scalars() const override { return hls::scalars_of(spec_, words_); }
    RunReport run(const RunRequest& request) override {
        top::Call call = call_;
        call.passes = static_cast<std::uint32_t>(request.passes);
        call.rho_stop_from = static_cast<std::uint32_t>(std::min<std::uint64_t>(request.rho_stop_from, ~0U));
        call.rho_stop = scalar(request.rho_stop);
        call.alpha = words_.alpha;
        call.beta = words_.beta;
        call.read = read_at_once ? kSets[0] | kSets[1] | kSets[2] | kSets[3] : 0;
        const top::Outcome out = make(call);
        words_ = out.last.words;
        call_.clear = call_.load = 0;
        outside_ = call.read;
        return {.passes = out.passes,
                .end = hls::run_end(out.last.end),
                .sigma_guards = out.guarded,
                .cycles = {},
                .words = hls::word_use(spec_, out.last)};
    }

    static inline bool read_at_once = false; ///< by the call that runs, or each vector by a call of its own

private:
    static std::size_t index(Vec v) { return static_cast<std::size_t>(v); }
    [[nodiscard]] std::uint64_t scalar(double x) const {
        return hls::to_word(spec_.scalar, exact::convert(spec_.scalar, x));
    }
    [[nodiscard]] std::uint32_t& word(Vec v, std::size_t position) const {
        const std::size_t address = position / top::kLanes, lane = position % top::kLanes;
        switch (v) {
        case Vec::u:
            return u_[address].lane[lane];
        case Vec::r:
            return r_[address].lane[lane];
        case Vec::p:
            return p_[address].lane[lane];
        case Vec::q:
            break;
        }
        return q_[address].lane[lane];
    }
    top::Outcome make(const top::Call& call) const {
        top::Outcome out;
        const auto* coefficients = reinterpret_cast<const std::uint32_t*>(rows_.coefficient.data());
        if (::sparse_core(call, u_.data(), r_.data(), p_.data(), q_.data(), rows_.column.data(), coefficients,
                          rows_.slice_begin.data(), &out) != top::done)
            throw std::runtime_error("sparse_core did not do it");
        return out;
    }
    /// What stands outside is what the core has.
    void fetch(Vec v) const {
        const std::uint32_t set = kSets[index(v)];
        if (((call_.load | outside_) & set) != 0) return;
        top::Call call;
        call.size = call_.size;
        call.clear = call_.clear & set;
        call.read = set;
        call_.clear &= ~set;
        make(call);
        outside_ |= set;
    }

    DatapathSpec spec_;
    Format formats_[4];
    hls::SparseRows rows_;
    mutable top::Call call_; ///< what the next run brings in
    mutable std::vector<top::Top::U> u_;
    mutable std::vector<top::Top::R> r_;
    mutable std::vector<top::Top::P> p_;
    mutable std::vector<top::Top::Q> q_;
    mutable std::uint32_t outside_ = 0; ///< vectors that no run has changed since they were read
    mantissa_hls::ScalarWords words_;
};

class TopEngine final : public Engine {
public:
    [[nodiscard]] std::string name() const override { return "sparse_core"; }
    [[nodiscard]] std::string description() const override { return "hls/vitis/sparse_top.cpp"; }
    [[nodiscard]] std::string refusal(const DatapathSpec& spec, const System& system,
                                      const SessionOptions&) const override {
        return hls::sparse_refusal(name(), spec, system);
    }
    [[nodiscard]] std::unique_ptr<Session> load(const System& system, const DatapathSpec& spec,
                                                const SessionOptions&) const override {
        return std::make_unique<TopSession>(system, spec);
    }
};

/// Five points on a grid, scaled to a unit diagonal.
CompressedRows grid(std::size_t columns, std::size_t rows) {
    std::vector<std::uint64_t> begin{0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    const auto put = [&](std::size_t c, double v) {
        column.push_back(static_cast<std::uint32_t>(c));
        value.push_back(v);
    };
    for (std::size_t i = 0; i < columns * rows; ++i) {
        const std::size_t x = i % columns, y = i / columns;
        if (y > 0) put(i - columns, -0.25);
        if (x > 0) put(i - 1, -0.25);
        put(i, 1);
        if (x + 1 < columns) put(i + 1, -0.25);
        if (y + 1 < rows) put(i + columns, -0.25);
        begin.push_back(column.size());
    }
    return {begin, column, value};
}

class VitisSparse : public ::testing::TestWithParam<bool> {
protected:
    void SetUp() override { TopSession::read_at_once = GetParam(); }
    TopEngine top_;
    std::unique_ptr<Engine> emulated_ = make_emulated_engine();
};

/// The largest fills the banks.
TEST_P(VitisSparse, PassesAreEmulated) {
    const System systems[] = {testing::symmetric_rows(300, 1, true), testing::symmetric_rows(257, 2, false, 20, 9),
                              testing::symmetric_rows(1, 4, false), grid(top::kDepth / 32, 32 * top::kLanes)};
    EXPECT_EQ(systems[3].size(), std::size_t{top::kDepth} * top::kLanes);
    for (const System& system : systems)
        EXPECT_EQ(testing::expect_alike(top_, *emulated_, kSpec, system, system.size() == 1 ? 0 : 3,
                                        testing::residual_of_rows(system, 0.05)),
                  system.size() == 1 ? 0U : 3U);
    const System& beyond = systems[0];
    EXPECT_LT(testing::expect_alike(top_, *emulated_, kSpec, beyond, 6, testing::residual_of_rows(beyond, 0.6)), 6U);
}

/// Words in all four vectors before a pass whose alpha and beta take them up; then each vector is cleared in turn.
TEST_P(VitisSparse, EachVectorComesInAndIsCleared) {
    const System system = testing::symmetric_rows(257, 2, false, 20, 9);
    const DatapathSpec spec = parse_spec(kSpec);
    const auto got = top_.load(system, spec, {}), want = emulated_->load(system, spec, {});
    const Vec all[] = {Vec::u, Vec::r, Vec::p, Vec::q};
    for (int cleared = -1; cleared < 4; ++cleared) {
        for (Session* s : {got.get(), want.get()}) {
            for (const Vec v : all)
                s->write(v, 0, testing::residual_of_rows(system, 0.02 + 0.01 * static_cast<double>(v)));
            if (cleared >= 0) s->clear(all[cleared]);
            s->set_scalars(0.375, 0.625);
            EXPECT_EQ(to_string(s->run({.passes = 1}).end), "passes");
        }
        const auto difference = compare_sessions(*got, *want, spec, system.size());
        EXPECT_FALSE(difference) << difference->signal << ", cleared " << cleared;
    }
}

TEST_P(VitisSparse, SolvesAreEmulated) {
    const CompressedRows matrices[] = {grid(37, 21), testing::symmetric_rows(300, 1, false, 20, 9)};
    for (const CompressedRows& a : matrices) {
        const System system = a;
        const Problem problem{.name = "rows", .system = system, .b = testing::residual_of_rows(system, 1), .exact = {}};
        SolveOptions options;
        options.spec = parse_spec(kSpec);
        options.tolerance = 1e-10;
        options.keep_solution = true;
        const SolveResult got = solve(problem, top_, options), want = solve(problem, *emulated_, options);
        EXPECT_EQ(to_string(want.status), "converged") << want.detail;
        EXPECT_EQ(to_string(got.status), to_string(want.status)) << got.detail;
        EXPECT_EQ(got.inner_iterations, want.inner_iterations);
        EXPECT_EQ(got.outer_iterations, want.outer_iterations);
        EXPECT_GT(want.inner_iterations, 10U);
        EXPECT_GT(want.outer_iterations, 1U);
        EXPECT_TRUE(got.u == want.u);
    }
}

INSTANTIATE_TEST_SUITE_P(Read, VitisSparse, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "ByTheRun" : "ByCallsOfTheirOwn"; });

/// Said by what the call returns, and nothing is touched: no pointer is followed.
TEST(VitisSparseLength, BeyondTheBanksIsRefused) {
    for (const auto& [size, status] : {std::pair{top::kDepth * top::kLanes + 1U, top::beyond_the_banks},
                                       std::pair{~0U, top::beyond_the_banks}, std::pair{0U, top::no_elements}}) {
        top::Call call;
        call.size = size;
        call.clear = call.load = call.read = 15;
        call.passes = 1;
        EXPECT_EQ(::sparse_core(call, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr), status);
    }
}

} // namespace
} // namespace mantissa
