// The cycle core under Verilator as its tests drive it: single cycles have the bits of multilevel/cycle.hpp's
// reference, whole solves those of multilevel/word_solve.hpp's.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <verilated.h>

#include "mantissa/multilevel/cycle.hpp"
#include "mantissa/multilevel/cycle_clocks.hpp"
#include "mantissa/multilevel/word_solve.hpp"
#include "mantissa/nine_point.hpp"
#include "word_solves.hpp"

namespace mantissa::test {

using Integers = std::vector<std::int64_t>;
enum class Kind { noise, bump, small, one };
enum Register : std::uint32_t {
    kId = 0x00,
    kConfig = 0x04,
    kControl = 0x08,
    kStatus = 0x0C,
    kLevel = 0x10,
    kCycles = 0x14,
    kMode = 0x18,
    kLimitExponent = 0x1C,
    kLimit = 0x20,
    kCount = 0x28,
    kExponent = 0x2C,
    kSquares = 0x30,
    kPoint = 0x38,
    kClocks = 0x40
};
constexpr std::uint32_t kStart = 1, kAbort = 2, kSend = 4;
enum End : std::uint32_t { kReached, kEndCycles, kExact, kOverflow, kFault };

inline Integers defect(int n, Kind kind, unsigned seed = 7) {
    std::mt19937_64 random(static_cast<std::uint64_t>(n) + seed);
    const auto side = static_cast<std::size_t>(n) + 1;
    Integers d(side * side, 0);
    for (int y = 1; y < n; ++y)
        for (int x = 1; x < n; ++x) {
            const double bump = 16.0 * x * (n - x) * y * (n - y) / std::pow(n, 4);
            std::int64_t& at = d[static_cast<std::size_t>(y) * side + static_cast<std::size_t>(x)];
            switch (kind) {
            case Kind::noise:
                at = static_cast<std::int64_t>(random() >> 14) - (std::int64_t{1} << 49);
                break;
            case Kind::bump:
                at = static_cast<std::int64_t>(1e12 * bump);
                break;
            case Kind::small:
                at = static_cast<std::int64_t>(random() % 7) - 3;
                break;
            case Kind::one:
                at = x == n / 2 + 1 && y == 1 ? -1 : 0;
                break;
            }
        }
    return d;
}

inline System system_of(int n, bool stretched) {
    const auto side = static_cast<std::size_t>(n) + 1;
    if (stretched) return System(Stencil(side, side, {-2, -1, -2, -3, 16, -3, -2, -1, -2}));
    return System(Stencil(side, side, {-1, -1, -1, -1, 8, -1, -1, -1, -1}));
}

template <class Model> class Core {
public:
    explicit Core(unsigned seed = 0) : random_(seed), stalls_(seed != 0) {
        top_->rst_ni = 0;
        for (int k = 0; k < 8; ++k) edge();
        top_->rst_ni = 1;
        top_->s_axil_bready = 1;
        top_->s_axil_rready = 1;
        for (int k = 0; k < 8; ++k) edge();
    }
    ~Core() { top_->final(); }
    Core(const Core&) = delete;
    Core& operator=(const Core&) = delete;

    void write(std::uint32_t address, std::uint32_t value) {
        top_->s_axil_awaddr = static_cast<CData>(address);
        top_->s_axil_wdata = value;
        top_->s_axil_wstrb = 15;
        top_->s_axil_awvalid = top_->s_axil_wvalid = 1;
        for (int k = 0; k < 64; ++k) {
            low();
            const bool at = top_->s_axil_awvalid && top_->s_axil_awready,
                       data = top_->s_axil_wvalid && top_->s_axil_wready;
            const bool answered = top_->s_axil_bvalid != 0;
            const unsigned answer = top_->s_axil_bresp;
            high();
            if (at) top_->s_axil_awvalid = 0;
            if (data) top_->s_axil_wvalid = 0;
            if (!answered) continue;
            ASSERT_EQ(answer, 0U) << "write to " << address;
            return;
        }
        FAIL() << "no answer to a write";
    }
    std::uint32_t read(std::uint32_t address) {
        top_->s_axil_araddr = static_cast<CData>(address);
        top_->s_axil_arvalid = 1;
        for (int k = 0; k < 64; ++k) {
            low();
            const bool taken = top_->s_axil_arvalid && top_->s_axil_arready, answered = top_->s_axil_rvalid != 0;
            const std::uint32_t value = top_->s_axil_rdata;
            high();
            if (taken) top_->s_axil_arvalid = 0;
            if (answered) return value;
        }
        ADD_FAILURE() << "no answer to a read";
        return 0;
    }
    std::uint64_t read_pair(std::uint32_t address) {
        const std::uint64_t below = read(address);
        return below | std::uint64_t{read(address + 4)} << 32;
    }

    /// A grid with all its edges, into beats of the stream: words of the edges to the south and west, and those after
    /// a row's end, are noise, for they count as nothing.
    void load(const Integers& d) {
        const std::size_t side = side_of(d.size());
        Integers words;
        for (std::size_t y = 0; y < side; ++y)
            for (std::size_t x = 0; x < row_words(side); ++x)
                words.push_back(x == 0 || y == 0 || x >= side ? static_cast<std::int64_t>(noise_())
                                                              : d[y * (side + 1) + x]);
        load_words(words);
    }
    void load_words(const Integers& words) {
        for (std::size_t k = 0; k < words.size();) {
            top_->s_axis_d_tvalid = waits() ? 0 : 1;
            for (std::size_t w = 0; w < kBusWords; ++w)
                put(top_->s_axis_d_tdata, w, static_cast<std::uint64_t>(words[k + w]));
            top_->s_axis_d_tlast = k + kBusWords == words.size() ? 1 : 0;
            low();
            const bool taken = top_->s_axis_d_tvalid != 0 && top_->s_axis_d_tready != 0;
            high();
            if (taken) k += kBusWords;
        }
        top_->s_axis_d_tvalid = 0;
    }
    void wait(int clocks) {
        for (int k = 0; k < clocks; ++k) edge();
    }
    /// Returns how it ended.
    std::uint32_t run(std::uint32_t cycles, bool alone) {
        write(kCycles, cycles);
        write(kMode, alone ? 1 : 0);
        write(kControl, kStart);
        for (std::uint64_t k = 0; top_->busy_o != 0 && k < 100000000; ++k) {
            edge();
            if (top_->accepted_o) history_.push_back({top_->exponent_o, top_->squares_o});
        }
        return (read(kStatus) >> 4) & 15;
    }
    /// Words of U on a grid of so many nodes, its edges to the north and east zero; fewer where the stream had fewer
    /// beats.
    Integers take(std::size_t nodes) {
        write(kControl, kSend);
        const std::size_t side = side_of(nodes);
        Integers words;
        for (std::size_t k = 0; k < 10 * nodes + 100; ++k) {
            top_->m_axis_u_tready = waits() ? 0 : 1;
            low();
            const bool taken = top_->m_axis_u_tvalid != 0 && top_->m_axis_u_tready != 0,
                       last = top_->m_axis_u_tlast != 0;
            for (std::size_t w = 0; taken && w < kBusWords; ++w)
                words.push_back(static_cast<std::int64_t>(word_of(top_->m_axis_u_tdata, w)));
            high();
            if (taken && last) break;
        }
        top_->m_axis_u_tready = 0;
        if (words.size() != side * row_words(side)) return {};
        Integers u(nodes, 0);
        for (std::size_t y = 0; y < side; ++y)
            for (std::size_t x = 0; x < side; ++x) u[y * (side + 1) + x] = words[y * row_words(side) + x];
        return u;
    }
    std::vector<multilevel::WordVerdict> history_;

private:
    static constexpr std::size_t kBusWords = sizeof(Model::s_axis_d_tdata) / sizeof(std::uint64_t);
    static std::size_t side_of(std::size_t nodes) {
        return static_cast<std::size_t>(std::lround(std::sqrt(nodes))) - 1;
    }
    static std::size_t row_words(std::size_t side) { return std::max(side, kBusWords); }
    static void put(QData& beat, std::size_t, std::uint64_t word) { beat = word; }
    template <std::size_t N> static void put(VlWide<N>& beat, std::size_t at, std::uint64_t word) {
        beat[2 * at] = static_cast<EData>(word);
        beat[2 * at + 1] = static_cast<EData>(word >> 32);
    }
    static std::uint64_t word_of(QData beat, std::size_t) { return beat; }
    template <std::size_t N> static std::uint64_t word_of(const VlWide<N>& beat, std::size_t at) {
        return beat[2 * at] | std::uint64_t{beat[2 * at + 1]} << 32;
    }
    bool waits() { return stalls_ && random_() % 3 == 0; }
    void low() {
        top_->clk_i = 0;
        top_->eval();
    }
    void high() {
        top_->clk_i = 1;
        top_->eval();
    }
    void edge() {
        low();
        high();
    }
    std::unique_ptr<VerilatedContext> context_ = std::make_unique<VerilatedContext>();
    std::unique_ptr<Model> top_ = std::make_unique<Model>(context_.get());
    std::mt19937 random_;
    std::mt19937_64 noise_;
    bool stalls_;
};

template <class Model>
void compare_cycle(Core<Model>& core, const char* text, int level, Kind kind, bool stretched = false) {
    const int n = 1 << level;
    const Integers d = defect(n, kind);
    core.write(kLevel, static_cast<std::uint32_t>(level));
    core.load(d);
    ASSERT_EQ(core.run(1, true), kEndCycles) << text << ", level " << level;
    const Integers e = core.take(d.size());
    const int point = static_cast<std::int32_t>(core.read(kPoint));
    const std::vector<double> given(d.begin(), d.end());
    std::vector<double> there(d.size());
    make_reference_cycle(system_of(n, stretched), parse_cycle_spec(text))->correct(given, there);
    ASSERT_EQ(e.size(), d.size());
    for (std::size_t i = 0; i < d.size(); ++i)
        ASSERT_EQ(std::ldexp(static_cast<double>(e[i]), -point), there[i])
            << text << ", level " << level << ", kind " << static_cast<int>(kind) << ", element " << i << ", point "
            << point;
}

template <class Model> void compare_cycles(const char* text, int most, bool stretched = false) {
    Core<Model> core(3);
    std::vector<int> levels; // what a larger grid left is of no account to a smaller one, and the other way round
    for (int level = 3; level <= most; ++level) levels.insert(level % 2 == 0 ? levels.begin() : levels.end(), level);
    for (const int level : levels)
        for (const Kind kind : {Kind::noise, Kind::bump, Kind::small, Kind::one}) {
            compare_cycle(core, text, level, kind, stretched);
            if (::testing::Test::HasFatalFailure()) return;
        }
}

/// A whole solve, its history and its clocks: 2.7 a beat of lanes and cycle, and 200 a level and cycle.
/// With several cores the clocks are those of the formula alone.
template <class Model>
void compare_solve(const char* text, int level, bool stretched, int lanes = 1, int most_level = 7, bool checks = false,
                   int cores = 1) {
    Core<Model> core(5);
    const auto size = static_cast<std::size_t>(level);
    const multilevel::GridWords grid = word_grid(size, stretched);
    const Integers b = word_right_hand_side(grid, 48);
    multilevel::WordRequest request;
    request.tolerance = multilevel::word_tolerance(1e-10 * word_norm(b));
    Integers u;
    const multilevel::WordOutcome wanted =
        multilevel::make_reference_word_solver(grid, parse_cycle_spec(text))->solve(b, request, u);
    ASSERT_EQ(wanted.end, CycleSolveEnd::reached);
    core.write(kLevel, static_cast<std::uint32_t>(level));
    core.write(kLimit, static_cast<std::uint32_t>(request.tolerance.t));
    core.write(kLimit + 4, static_cast<std::uint32_t>(request.tolerance.t >> 32));
    core.write(kLimitExponent, static_cast<std::uint32_t>(request.tolerance.point));
    core.load(b);
    ASSERT_EQ(core.run(100, false), kReached) << text << ", level " << level;
    EXPECT_EQ(core.read(kCount), wanted.cycles);
    EXPECT_EQ(core.take(b.size()), u) << text << ", level " << level;
    EXPECT_EQ(core.history_, wanted.history) << text << ", level " << level;
    const double nodes = std::pow(std::ldexp(1, level) + 1, 2) / lanes;
    const double cycles = static_cast<double>(wanted.cycles);
    // With Checks what has converged is looked at once more: a sweep of the finest level and a verdict.
    const double looks = checks ? nodes + 2.0 * std::ldexp(1, level) + 300 : 0;
    const double clocks = static_cast<double>(core.read_pair(kClocks)) - looks;
    // What looks at the last defect is half of a cycle's finest level. Each step takes a row more.
    const CycleSpec spec = parse_cycle_spec(text);
    if (spec.before <= 2 && spec.after <= 2 && cores == 1) {
        EXPECT_LE(clocks, 1.1 * (cycles * (2.7 * nodes + 200 * level) + nodes + 100)) << text << ", level " << level;
    }
    // To the clock, but for the lengths of words.
    const multilevel::CycleClocks model =
        multilevel::core_clocks(multilevel::grid_plan(grid, spec), lanes, most_level, cores);
    EXPECT_LE(clocks, static_cast<double>(model.solve(wanted.cycles))) << text << ", level " << level;
    EXPECT_GE(clocks + looks, static_cast<double>(model.solve(wanted.cycles) - wanted.cycles * model.counted - 64))
        << text << ", level " << level;
    std::printf("%s, %d lanes, %d cores, level %d: %.0f cycles, %.0f clocks\n", text, lanes, cores, level, cycles,
                clocks);
}

/// Tests of one Verilated core up to level `most`: single cycles, and whole solves.
#define CYCLE_MODEL_TESTS(suite, checks, name, lanes, text, most, rows, stretched)                                     \
    TEST(suite, HaveTheReferencesBits_##name) {                                                                        \
        compare_cycles<Vcycle_##name>(text, most, stretched);                                                          \
    }                                                                                                                  \
    TEST(suite, SolveAsTheReferenceDoes_##name) {                                                                      \
        for (int level = 3; level <= (most); ++level)                                                                  \
            compare_solve<Vcycle_##name>(text, level, stretched, lanes, rows, checks);                                 \
    }

} // namespace mantissa::test
