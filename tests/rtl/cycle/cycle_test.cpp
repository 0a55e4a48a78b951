// The cycle core: single cycles have the bits of the reference, whole solves those of exact integers around it.
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <verilated.h>

#include "Vcycle_b2w10.h"
#include "Vcycle_b2w12.h"
#include "Vcycle_b2w8.h"
#include "Vcycle_v11w10.h"
#include "Vcycle_v12w10.h"
#include "mantissa/multilevel/cycle.hpp"
#include "mantissa/nine_point.hpp"

namespace mantissa {
namespace {

using Integers = std::vector<std::int64_t>;
enum class Kind { noise, bump, small, one };
enum Register : std::uint32_t {
    kId = 0x00,
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
constexpr std::uint32_t kStart = 1, kSend = 4;
enum End : std::uint32_t { kReached, kEndCycles, kExact, kOverflow, kFault };

Integers defect(int n, Kind kind, unsigned seed = 7) {
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

System poisson(int n) {
    const auto side = static_cast<std::size_t>(n) + 1;
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
            const bool at = top_->s_axil_awvalid && top_->s_axil_awready, data = top_->s_axil_wvalid && top_->s_axil_wready;
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

    void load(const Integers& d) {
        for (std::size_t k = 0; k < d.size();) {
            top_->s_axis_d_tvalid = waits() ? 0 : 1;
            top_->s_axis_d_tdata = static_cast<std::uint64_t>(d[k]);
            top_->s_axis_d_tlast = k + 1 == d.size() ? 1 : 0;
            low();
            const bool taken = top_->s_axis_d_tvalid != 0 && top_->s_axis_d_tready != 0;
            high();
            if (taken) ++k;
        }
        top_->s_axis_d_tvalid = 0;
    }
    /// Returns how it ended.
    std::uint32_t run(int level, std::uint32_t cycles, bool alone) {
        static_cast<void>(level);
        write(kCycles, cycles);
        write(kMode, alone ? 1 : 0);
        write(kControl, kStart);
        for (std::uint64_t k = 0; top_->busy_o != 0 && k < 100000000; ++k) {
            edge();
            if (top_->accepted_o) history_.push_back({top_->exponent_o, top_->squares_o});
        }
        return (read(kStatus) >> 4) & 15;
    }
    Integers take(std::size_t most) {
        write(kControl, kSend);
        Integers words;
        for (std::size_t k = 0; k < 10 * most + 100; ++k) {
            top_->m_axis_u_tready = waits() ? 0 : 1;
            low();
            const bool taken = top_->m_axis_u_tvalid != 0 && top_->m_axis_u_tready != 0, last = top_->m_axis_u_tlast != 0;
            if (taken) words.push_back(static_cast<std::int64_t>(top_->m_axis_u_tdata));
            high();
            if (taken && last) break;
        }
        top_->m_axis_u_tready = 0;
        return words;
    }
    struct Looked {
        int exponent;
        std::uint64_t squares;
    };
    std::vector<Looked> history_;

private:
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
    bool stalls_;
};

template <class Model> void compare_cycle(Core<Model>& core, const char* text, int level, Kind kind) {
    const int n = 1 << level;
    const Integers d = defect(n, kind);
    core.write(kLevel, static_cast<std::uint32_t>(level));
    core.load(d);
    ASSERT_EQ(core.run(level, 1, true), kEndCycles) << text << ", level " << level;
    const Integers e = core.take(d.size());
    const int point = static_cast<std::int32_t>(core.read(kPoint));
    const std::vector<double> given(d.begin(), d.end());
    std::vector<double> there(d.size());
    make_reference_cycle(poisson(n), parse_cycle_spec(text))->correct(given, there);
    ASSERT_EQ(e.size(), d.size());
    for (std::size_t i = 0; i < d.size(); ++i)
        ASSERT_EQ(std::ldexp(static_cast<double>(e[i]), -point), there[i])
            << text << ", level " << level << ", kind " << static_cast<int>(kind) << ", element " << i << ", point " << point;
}

template <class Model> void compare_cycles(const char* text, int most) {
    Core<Model> core(3);
    for (int level = 3; level <= most; ++level)
        for (const Kind kind : {Kind::noise, Kind::bump, Kind::small, Kind::one}) {
            compare_cycle(core, text, level, kind);
            if (::testing::Test::HasFatalFailure()) return;
        }
}

TEST(CycleCore, HasTheReferencesBitsB2W10) {
    compare_cycles<Vcycle_b2w10>("b2,w=10", 7);
}
TEST(CycleCore, HasTheReferencesBitsB2W8) {
    compare_cycles<Vcycle_b2w8>("b2,w=8", 7);
}
TEST(CycleCore, HasTheReferencesBitsB2W12) {
    compare_cycles<Vcycle_b2w12>("b2,w=12", 7);
}
TEST(CycleCore, HasTheReferencesBitsV11W10) {
    compare_cycles<Vcycle_v11w10>("v11,w=10", 7);
}
TEST(CycleCore, HasTheReferencesBitsV12W10) {
    compare_cycles<Vcycle_v12w10>("v12,w=10,f=16", 6);
}

/// x, and the sum of squares that the core forms.
struct Looked {
    int exponent = 0;
    std::uint64_t squares = 0;
};
Looked look_at(const Integers& d) {
    std::uint64_t largest = 0;
    for (const std::int64_t x : d) largest = std::max(largest, static_cast<std::uint64_t>(std::abs(x)));
    Looked looked;
    while (looked.exponent < 64 && (largest >> looked.exponent) != 0) ++looked.exponent;
    for (const std::int64_t x : d) {
        const int s = looked.exponent - 15;
        const std::int64_t leading = s > 0 ? x >> s : x * (std::int64_t{1} << -s);
        looked.squares += static_cast<std::uint64_t>(leading * leading);
    }
    return looked;
}

/// Cycles until SQUARES 4^(x - 15) <= limit 4^exponent: U, D, and what was looked at.
struct Solved {
    Integers u, d;
    std::vector<Looked> history;
    std::uint32_t cycles = 0;
};
Solved solve(const char* text, int n, const Integers& b, std::uint64_t limit, int exponent) {
    const auto cycle = make_reference_cycle(poisson(n), parse_cycle_spec(text));
    const auto side = static_cast<std::size_t>(n) + 1;
    Solved s{Integers(b.size(), 0), b, {}, 0};
    for (;;) {
        s.history.push_back(look_at(s.d));
        const Looked& now = s.history.back();
        if (now.exponent == 0 || std::ldexp(static_cast<long double>(now.squares), 2 * (now.exponent - 15)) <=
                                     std::ldexp(static_cast<long double>(limit), 2 * exponent))
            return s;
        const std::vector<double> given(s.d.begin(), s.d.end());
        std::vector<double> c(b.size());
        cycle->correct(given, c);
        Integers words(b.size());
        for (std::size_t i = 0; i < b.size(); ++i)
            words[i] = static_cast<std::int64_t>(std::floor(static_cast<long double>(c[i]) + 0.5L));
        for (std::size_t y = 1; y + 1 < side; ++y)
            for (std::size_t x = 1; x + 1 < side; ++x) {
                std::int64_t sum = 9 * words[y * side + x];
                for (const std::size_t row : {y - 1, y, y + 1})
                    sum -= words[row * side + x - 1] + words[row * side + x] + words[row * side + x + 1];
                s.u[y * side + x] += words[y * side + x];
                s.d[y * side + x] -= sum;
            }
        ++s.cycles;
    }
}

template <class Model> void compare_solve(const char* text, int level) {
    Core<Model> core(5);
    const int n = 1 << level;
    const Integers b = defect(n, Kind::noise, 11);
    const Looked first = look_at(b);
    // 1e-10 of b's norm, squared.
    const auto limit = static_cast<std::uint64_t>(std::ldexp(1e-20 * static_cast<double>(first.squares), 60));
    const int exponent = first.exponent - 15 - 30;
    const Solved wanted = solve(text, n, b, limit, exponent);
    core.write(kLevel, static_cast<std::uint32_t>(level));
    core.write(kLimit, static_cast<std::uint32_t>(limit));
    core.write(kLimit + 4, static_cast<std::uint32_t>(limit >> 32));
    core.write(kLimitExponent, static_cast<std::uint32_t>(exponent));
    core.load(b);
    ASSERT_EQ(core.run(level, 100, false), kReached);
    EXPECT_EQ(core.read(kCount), wanted.cycles);
    EXPECT_EQ(core.take(b.size()), wanted.u);
    ASSERT_EQ(core.history_.size(), wanted.history.size());
    for (std::size_t k = 0; k < wanted.history.size(); ++k) {
        EXPECT_EQ(core.history_[k].exponent, wanted.history[k].exponent) << "cycle " << k;
        EXPECT_EQ(core.history_[k].squares, wanted.history[k].squares) << "cycle " << k;
    }
    std::printf("%s, level %d: %u cycles, %llu clocks\n", text, level, wanted.cycles,
                static_cast<unsigned long long>(core.read_pair(kClocks)));
}

TEST(CycleCore, SolvesAsExactIntegersDo) {
    for (int level = 3; level <= 7; ++level) {
        compare_solve<Vcycle_b2w10>("b2,w=10", level);
        compare_solve<Vcycle_b2w8>("b2,w=8", level);
        compare_solve<Vcycle_b2w12>("b2,w=12", level);
        compare_solve<Vcycle_v11w10>("v11,w=10", level);
        if (level <= 6) compare_solve<Vcycle_v12w10>("v12,w=10,f=16", level);
        if (HasFatalFailure()) return;
    }
}

} // namespace
} // namespace mantissa
