// The vector updates and dot products of the integer core against fixed_arithmetic.hpp: words, overflows and exact
// sums, for every scalar and every word of a small format, and at the formats that solvers use for scalars of every
// size: all shifts, both roundings, sums that fit and sums of which only the low bits stay.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "Vfx18.h"
#include "Vfx20.h"
#include "Vfx4.h"
#include "Vfx_blocks.h"
#include "Vfx_blocks_apart.h"
#include "Vfx_cut.h"
#include "Vfx_mixed.h"
#include "mantissa/fixed_arithmetic.hpp"

namespace mantissa {
namespace {

using fixed::Rounded;
using fixed::Wide;
using fixed::Word;

/// The formats of a model, as the CMakeLists gives them to it.
struct Datapath {
    Format u, r, p, q, operand;
    int lanes;
};

struct Element {
    Word u, r, p, q;
};
struct Updated {
    Rounded u, r, p;
};

/// alpha or beta as a word of the operand format.
fixed::Scalar scalar_of(const Format& f, std::uint64_t word) {
    const int exponent = static_cast<int>((word >> f.fraction_bits) & ((1U << f.exponent_bits) - 1));
    if (exponent == 0 || exponent == (1 << f.exponent_bits) - 1) return {};
    const auto one = std::int64_t{1} << f.fraction_bits;
    const auto size = one | static_cast<std::int64_t>(word & static_cast<std::uint64_t>(one - 1));
    const bool negative = ((word >> (f.exponent_bits + f.fraction_bits)) & 1) != 0;
    return {negative ? -size : size, exponent - ((1 << (f.exponent_bits - 1)) - 1) - f.fraction_bits};
}

Updated updated(const Datapath& d, const fixed::Scalar& alpha, const fixed::Scalar& beta, const Element& e) {
    Updated out;
    out.u = fixed::add_scaled(d.u, e.u, alpha, d.p, e.p);
    out.r = fixed::sub_scaled(d.r, e.r, alpha, d.q, e.q);
    const Wide r = fixed::shift_round(out.r.word, d.r.fraction_bits - d.p.fraction_bits, d.p.rounding);
    out.p = fixed::fit_shifted(d.p, Wide{beta.significand} * e.p, fixed::shift_of(d.p, beta, d.p), r);
    return out;
}

Word signed_word(const Format& f, std::uint64_t bits) {
    return fixed::fit(f, static_cast<Wide>(bits)).word;
}

template <class Model> class Check {
public:
    explicit Check(const Datapath& d) : d_(d) {
        model_.rst_ni = 0;
        clock();
        model_.rst_ni = 1;
    }

    /// alpha and beta of the tokens after it.
    void load(std::uint64_t alpha, std::uint64_t beta) {
        drain();
        alpha_ = scalar_of(d_.operand, alpha);
        beta_ = scalar_of(d_.operand, beta);
        model_.alpha_i = with_class(alpha);
        model_.beta_i = with_class(beta);
        model_.load_i = 1;
        clock();
        model_.load_i = 0;
        model_.clear_i = 1;
        for (int k = 0; k < 12; ++k) clock();
        model_.clear_i = 0;
        pr_ = rr_ = 0;
    }
    /// A token; with `live` lanes it is the last one.
    void token(const std::vector<Element>& elements, int live) {
        std::vector<Updated> wanted;
        for (int l = 0; l < d_.lanes; ++l) {
            const Element& e = elements[static_cast<std::size_t>(l)];
            model_.u_i[l] = static_cast<std::uint64_t>(e.u);
            model_.r_i[l] = static_cast<std::uint64_t>(e.r);
            model_.p_i[l] = static_cast<std::uint64_t>(e.p);
            model_.q_i[l] = static_cast<std::uint64_t>(e.q);
            wanted.push_back(l < live ? updated(d_, alpha_, beta_, e) : Updated{});
            pr_ += Wide{wanted.back().p.word} * wanted.back().r.word;
            rr_ += Wide{wanted.back().r.word} * wanted.back().r.word;
        }
        model_.slot_i = 1;
        model_.last_i = live < d_.lanes ? 1 : 0;
        model_.live_last_i = (1U << live) - 1;
        due_.push_back({now_ + model_.latency_o, elements, std::move(wanted)});
        clock();
        model_.slot_i = 0;
        model_.last_i = 0;
        if (live < d_.lanes) drain(); // live_last_i stands for a whole pass
    }
    /// All tokens out, and their sums compared.
    void drain() {
        for (std::uint32_t k = 0; k < model_.dot_latency_o; ++k) clock();
        ASSERT_TRUE(due_.empty());
        EXPECT_TRUE(wide(model_.pr_o) == pr_ && wide(model_.rr_o) == rr_) << "sums of products";
    }
    std::uint64_t overflows = 0, fitting = 0;

private:
    struct Due {
        std::uint64_t at;
        std::vector<Element> in;
        std::vector<Updated> out;
    };
    template <class Words> static Wide wide(const Words& words) {
        fixed::UnsignedWide x = 0;
        for (int k = 3; k >= 0; --k) x = (x << 32) | words[k];
        return static_cast<Wide>(x);
    }
    std::uint64_t with_class(std::uint64_t word) const {
        const Format& f = d_.operand;
        const std::uint64_t ones = (std::uint64_t{1} << f.exponent_bits) - 1,
                            exponent = (word >> f.fraction_bits) & ones;
        const bool fraction = (word & ((std::uint64_t{1} << f.fraction_bits) - 1)) != 0;
        const std::uint64_t cls = exponent == 0 ? 0 : exponent != ones ? 1 : fraction ? 3 : 2;
        return word | cls << (1 + f.exponent_bits + f.fraction_bits);
    }
    void clock() {
        model_.clk_i = 0;
        model_.eval();
        model_.clk_i = 1;
        model_.eval();
        ++now_;
        if (!due_.empty() && due_.front().at == now_) {
            for (int l = 0; l < d_.lanes; ++l) compare(l);
            due_.pop_front();
        }
    }
    void compare(int l) {
        const auto at = static_cast<std::size_t>(l);
        const Updated& w = due_.front().out[at];
        const auto over = [l](auto bits) { return ((bits >> l) & 1) != 0; };
        const Updated got = {{signed_word(d_.u, model_.u_o[l]), over(model_.u_over_o)},
                             {signed_word(d_.r, model_.r_o[l]), over(model_.r_over_o)},
                             {signed_word(d_.p, model_.p_o[l]), over(model_.p_over_o)}};
        (w.u.overflow || w.r.overflow || w.p.overflow ? overflows : fitting) += 1;
        const Element& e = due_.front().in[at];
        const auto text = [&] {
            return ::testing::Message() << "lane " << l << " of u " << e.u << ", r " << e.r << ", p " << e.p << ", q "
                                        << e.q << "; alpha " << alpha_.significand << " 2^" << alpha_.exponent
                                        << ", beta " << beta_.significand << " 2^" << beta_.exponent;
        };
        ASSERT_EQ(got.u.word, w.u.word) << text();
        ASSERT_EQ(got.r.word, w.r.word) << text();
        ASSERT_EQ(got.p.word, w.p.word) << text();
        ASSERT_EQ(got.u.overflow, w.u.overflow) << "u' overflows? " << text();
        ASSERT_EQ(got.r.overflow, w.r.overflow) << "r' overflows? " << text();
        ASSERT_EQ(got.p.overflow, w.p.overflow) << "p' overflows? " << text();
    }

    Datapath d_;
    Model model_;
    fixed::Scalar alpha_, beta_;
    std::deque<Due> due_;
    std::uint64_t now_ = 0;
    Wide pr_ = 0, rr_ = 0;
};

/// Words of every length, corners among them.
Word random_word(std::mt19937_64& random, const Format& f) {
    const Word most = fixed::max_word(f), least = fixed::min_word(f);
    const auto choice = random() % 16;
    if (choice < 6) return std::array<Word, 6>{0, 1, -1, most, least, least + 1}[choice];
    return signed_word(f, random()) >> (random() % static_cast<unsigned>(f.word_bits));
}

/// Scalars of every exponent; those that leave a word some bits more often, and corners of the significand.
std::uint64_t random_scalar(std::mt19937_64& random, const Format& f, int bits) {
    const int bias = (1 << (f.exponent_bits - 1)) - 1, top = (1 << f.exponent_bits) - 1;
    const auto any = static_cast<int>(random() % static_cast<unsigned>(top + 1));
    const auto near = bias - 2 * bits + static_cast<int>(random() % static_cast<unsigned>(3 * bits));
    const int exponent = random() % 8 == 0 ? any : std::clamp(near, 1, top - 1);
    const std::uint64_t mask = (std::uint64_t{1} << f.fraction_bits) - 1;
    const auto choice = random() % 6;
    const std::uint64_t fraction = choice == 0 ? 0 : choice == 1 ? mask : choice == 2 ? 1 : random() & mask;
    return (random() & 1) << (f.exponent_bits + f.fraction_bits) |
           static_cast<std::uint64_t>(exponent) << f.fraction_bits | fraction;
}

template <class Model> void run_random(const Datapath& d, int loads, int tokens) {
    Check<Model> check(d);
    std::mt19937_64 random(11);
    for (int k = 0; k < loads && !::testing::Test::HasFatalFailure(); ++k) {
        check.load(random_scalar(random, d.operand, d.p.word_bits), random_scalar(random, d.operand, d.p.word_bits));
        for (int t = 0; t < tokens && !::testing::Test::HasFatalFailure(); ++t) {
            std::vector<Element> elements;
            for (int l = 0; l < d.lanes; ++l)
                elements.push_back({random_word(random, d.u), random_word(random, d.r), random_word(random, d.p),
                                    random_word(random, d.q)});
            check.token(elements,
                        t + 1 < tokens ? d.lanes : 1 + static_cast<int>(random() % static_cast<unsigned>(d.lanes)));
        }
    }
    check.drain();
    EXPECT_GT(check.overflows, 1000U);
    EXPECT_GT(check.fitting, 1000U);
}

Format floor_of(int w, int f) {
    return Format::fixed(w, f, Rounding::down);
}

TEST(FxUpdate, EveryScalarAndWordOfASmallFormat) {
    const Datapath d = {Format::fixed(5, 3), Format::fixed(4, 2),  Format::fixed(4, 2),
                        Format::fixed(4, 2), parse_format("s2e4"), 1};
    Check<Vfx4> check(d);
    for (std::uint64_t scalar = 0; scalar < 128; ++scalar) {
        check.load(scalar, scalar);
        for (Word p = -8; p < 8; ++p)
            for (Word u = -16; u < 16; ++u) check.token({{u, u >> 1, p, p}}, 1);
        if (HasFatalFailure()) return;
    }
    check.drain();
    EXPECT_GT(check.overflows, 1000U);
    EXPECT_GT(check.fitting, 1000U);
}

TEST(FxUpdate, Fx18) {
    const Format f = Format::fixed(18, 16);
    run_random<Vfx18>({Format::fixed(31, 21), f, f, f, parse_format("s13e8"), 2}, 6000, 24);
}
TEST(FxUpdate, ShiftsInBlocks) {
    const Format f = Format::fixed(18, 16);
    run_random<Vfx_blocks>({Format::fixed(25, 21), f, f, f, parse_format("s14e8"), 2}, 6000, 24);
}
TEST(FxUpdate, ShiftsInBlocksPointsApart) {
    run_random<Vfx_blocks_apart>({Format::fixed(35, 24), Format::fixed(17, 14), Format::fixed(16, 14),
                                  Format::fixed(18, 15), parse_format("s14e8"), 1},
                                 6000, 24);
}
TEST(FxUpdate, Fx20) {
    const Format f = Format::fixed(20, 18);
    run_random<Vfx20>({Format::fixed(31, 23), f, f, f, parse_format("s16e8"), 4}, 4000, 16);
}
TEST(FxUpdate, PointsAndRoundingsApart) {
    run_random<Vfx_mixed>(
        {Format::fixed(53, 20), floor_of(21, 17), Format::fixed(24, 19), floor_of(19, 14), parse_format("s9e7"), 1},
        4000, 24);
}
TEST(FxUpdate, ResidualsFinerThanDirections) {
    run_random<Vfx_cut>({floor_of(16, 12), Format::fixed(32, 28), Format::fixed(17, 15), Format::fixed(30, 27),
                         parse_format("s23e8"), 2},
                        4000, 24);
}

} // namespace
} // namespace mantissa
