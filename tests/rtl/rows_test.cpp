// The row stage of the integer core against row sums in 128-bit integers, word for word: random words and coefficients,
// grids of many shapes, pauses of the enable, pass after pass, and the rules by which coefficient streams are taken.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "Vrows_top.h"
#include "mantissa/fixed_words.hpp"
#include "mantissa/nine_point.hpp"
#include "mantissa/symmetric_bands.hpp"

namespace mantissa {
namespace {

using fixed::Wide;
using fixed::Word;
using Words = std::vector<Word>;
using Random = std::mt19937_64;

constexpr int kCases = 21, kStreams = 5, kConfig = 20;

struct Config {
    int lanes, mode, row_sums, p_bits, q_bits, coefficient_bits, shift, down;
    std::array<int, kBands> stencil;
    int max_row, latency;
    [[nodiscard]] bool constant() const { return mode == 1; }
    [[nodiscard]] int streams() const { return constant() ? 0 : 4 + row_sums; }
};

/// A grid and its numbers.
struct Pass {
    std::size_t row_length, length;
    Words p;
    std::array<Words, kStreams> coefficients;
};

/// Words of every length, the longest ones among them.
Word random_word(Random& random, int bits) {
    const auto word = static_cast<Word>(random() << (64 - bits)) >> (64 - bits);
    switch (random() % 8) {
    case 0:
        return std::int64_t{1} << (bits - 2) << 1 > 0 ? (Word{1} << (bits - 1)) - 1 : 0;
    case 1:
        return -(Word{1} << (bits - 1));
    case 2:
        return 0;
    case 3:
    case 4:
        return word;
    default:
        return word >> (random() % static_cast<unsigned>(bits));
    }
}

Pass random_pass(Random& random, const Config& c) {
    Pass pass;
    const auto least = static_cast<std::size_t>(std::max(3, c.lanes)), most = static_cast<std::size_t>(c.max_row);
    switch (random() % 4) { // the shortest and the longest rows, and those whose memory is as short as can be
    case 0:
        pass.row_length = least;
        break;
    case 1:
        pass.row_length = random() % 3 == 0 ? most : std::min(most, least + random() % 4);
        break;
    default:
        pass.row_length = least + random() % (most - least + 1);
    }
    const std::size_t rows = 1 + random() % 5;
    // A constant stencil's vector is a whole grid.
    pass.length = rows * pass.row_length + (c.constant() || random() % 2 == 0 ? 0 : random() % pass.row_length);
    pass.p.resize(pass.length);
    // In some passes neighbours are close, so that sums fit.
    const bool smooth = random() % 2 == 0;
    Word base = random_word(random, c.p_bits - 1);
    for (Word& w : pass.p) w = smooth ? base + static_cast<Word>(random() % 3) : random_word(random, c.p_bits);
    for (int s = 0; s < c.streams(); ++s) {
        pass.coefficients[s].resize(pass.length);
        for (Word& w : pass.coefficients[s]) w = random_word(random, c.coefficient_bits);
    }
    // The one flux that would come out of the first row into itself.
    if (!c.constant()) pass.coefficients[1][0] = 0;
    return pass;
}

Wide row_sum(const Config& c, const Pass& pass, std::size_t i) {
    const auto at = [&](const Words& words, std::ptrdiff_t k) {
        return k < 0 || k >= static_cast<std::ptrdiff_t>(pass.length) ? Wide{0}
                                                                      : Wide{words[static_cast<std::size_t>(k)]};
    };
    const auto here = static_cast<std::ptrdiff_t>(i);
    Wide sum = 0;
    if (c.constant()) {
        const std::size_t column = i % pass.row_length;
        if (i < pass.row_length || i + pass.row_length >= pass.length || column == 0 || column + 1 == pass.row_length)
            return 0;
        for (int b = 0; b < kBands; ++b)
            sum += c.stencil[static_cast<std::size_t>(b)] * at(pass.p, here + band_offset(b, pass.row_length));
        return sum;
    }
    const auto flux = [&](std::size_t d, std::ptrdiff_t k) {
        return at(pass.coefficients[d], k) * (at(pass.p, k) - at(pass.p, k + weight_offset(d, pass.row_length)));
    };
    for (std::size_t d = 0; d < kWeights; ++d) sum += flux(d, here) - flux(d, here - weight_offset(d, pass.row_length));
    if (c.row_sums != 0) sum += at(pass.coefficients[4], here) * at(pass.p, here);
    return sum;
}

void put(std::uint32_t* to, std::size_t first, int bits, Word word) {
    for (int k = 0; k < bits; ++k) {
        const std::size_t at = first + static_cast<std::size_t>(k);
        const std::uint32_t bit = std::uint32_t{1} << (at % 32);
        to[at / 32] = ((static_cast<std::uint64_t>(word) >> k) & 1) != 0 ? to[at / 32] | bit : to[at / 32] & ~bit;
    }
}
Word get(const std::uint32_t* from, std::size_t first, int bits) {
    std::uint64_t word = 0;
    for (int k = 0; k < bits; ++k) {
        const std::size_t at = first + static_cast<std::size_t>(k);
        word |= static_cast<std::uint64_t>((from[at / 32] >> (at % 32)) & 1) << k;
    }
    return static_cast<Word>(word << (64 - bits)) >> (64 - bits);
}

/// One row stage in the model.
class Stage {
public:
    Stage(Vrows_top& model, int index) : m_(model), n_(index) {
        const auto at = [&](int k) { return static_cast<int>(m_.config_o[index * kConfig + k]); };
        config_ = {at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7), {}, at(17), at(18)};
        for (int b = 0; b < kBands; ++b) config_.stencil[static_cast<std::size_t>(b)] = at(8 + b);
        streams_ = {m_.w_east_i[n_].data(), m_.w_north_west_i[n_].data(), m_.w_north_i[n_].data(),
                    m_.w_north_east_i[n_].data(), m_.c_i[n_].data()};
    }
    [[nodiscard]] const Config& config() const { return config_; }

    void clear() {
        m_.clear_i[n_] = 1;
        m_.slot_i[n_] = 0;
        for (int k = 0; k < 4; ++k) clock(random_() % 2 == 0);
        m_.clear_i[n_] = 0;
    }

    /// Runs a pass and judges every word.
    void run(const Pass& pass) {
        const std::size_t lanes = static_cast<std::size_t>(config_.lanes);
        const std::size_t tokens = (pass.length + lanes - 1) / lanes;
        const std::size_t slots = tokens + pass.row_length / lanes + (lanes == 1 ? 1 : 2);
        m_.length_i[n_] = static_cast<std::uint32_t>(pass.length);
        m_.row_length_i[n_] = static_cast<std::uint32_t>(pass.row_length);
        const std::size_t live = pass.length - (tokens - 1) * lanes;
        m_.live_last_i[n_] = live == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << live) - 1;
        clear();
        const unsigned pause = random_() % 3; // none, some, many
        std::array<std::size_t, kStreams> taken{};
        std::size_t given = 0;
        std::uint32_t ahead = 0, now = 0;
        bool moved = false;
        for (std::size_t slot = 0; slot < slots + static_cast<std::size_t>(config_.latency) + 8;) {
            offer(pass, slot, tokens, slots);
            m_.eval();
            const std::uint32_t take = m_.take_o[n_] | (m_.give_o[n_] & 1u) << kStreams;
            if (slot > 0 || moved) ASSERT_EQ(take, moved ? ahead : now) << "what moves is not what was said ahead";
            for (int s = 0; s < kStreams; ++s) feed(pass, s, (take >> s & 1) != 0, taken[s]);
            const bool enable = pause == 0 || random_() % (pause * 3) != 0;
            m_.en_i[n_] = enable ? 1 : 0;
            m_.eval();
            now = take;
            ahead = m_.take_ahead_o[n_] | (m_.give_o[n_] >> 1 & 1u) << kStreams;
            moved = enable;
            if (enable) {
                for (int s = 0; s < config_.streams(); ++s)
                    if ((take >> s & 1) != 0)
                        ASSERT_EQ(m_.take_last_o[n_] >> s & 1, ++taken[s] == tokens ? 1u : 0u) << "stream " << s;
                if ((take >> kStreams) != 0) {
                    ASSERT_EQ(m_.give_o[n_] >> 2 & 1, given + 1 == tokens ? 1u : 0u);
                    judge(pass, given++, tokens);
                    if (testing::Test::HasFatalFailure()) return;
                }
                ++slot;
            }
            clock(enable);
        }
        ASSERT_EQ(given, tokens);
        for (int s = 0; s < config_.streams(); ++s) ASSERT_EQ(taken[s], tokens);
    }

    std::uint64_t overflows = 0, kept = 0;

private:
    void clock(bool enable) {
        m_.en_i[n_] = enable ? 1 : 0;
        m_.clk_i = 0;
        m_.eval();
        m_.clk_i = 1;
        m_.eval();
        if (enable) m_.ptr_i[n_] = (m_.ptr_i[n_] + 1) & 127;
    }
    void offer(const Pass& pass, std::size_t slot, std::size_t tokens, std::size_t slots) {
        m_.slot_i[n_] = static_cast<unsigned>(slot < slots) | static_cast<unsigned>(slot < tokens) << 1 |
                        static_cast<unsigned>(slot + 1 == slots) << 2;
        for (int l = 0; l < config_.lanes; ++l) {
            const std::size_t i = slot * static_cast<std::size_t>(config_.lanes) + static_cast<std::size_t>(l);
            const Word word = slot >= slots ? random_word(random_, config_.p_bits) : i < pass.length ? pass.p[i] : 0;
            put(m_.p_i[n_].data(), static_cast<std::size_t>(l * config_.p_bits), config_.p_bits, word);
        }
    }
    /// The beat that is taken, or anything.
    void feed(const Pass& pass, int stream, bool wanted, std::size_t beat) {
        if (stream >= config_.streams()) return;
        for (int l = 0; l < config_.lanes; ++l) {
            const std::size_t i = beat * static_cast<std::size_t>(config_.lanes) + static_cast<std::size_t>(l);
            const bool there = wanted && i < pass.length;
            put(streams_[stream], static_cast<std::size_t>(l * config_.coefficient_bits), config_.coefficient_bits,
                there ? pass.coefficients[stream][i] : random_word(random_, config_.coefficient_bits));
        }
    }
    void judge(const Pass& pass, std::size_t token, std::size_t tokens) {
        Format q = Format::fixed(config_.q_bits, 0, config_.down != 0 ? Rounding::down : Rounding::nearest_up);
        for (int l = 0; l < config_.lanes; ++l) {
            const std::size_t i = token * static_cast<std::size_t>(config_.lanes) + static_cast<std::size_t>(l);
            const bool live = i < pass.length;
            ASSERT_EQ(m_.live_o[n_] >> l & 1, live ? 1u : 0u)
                << "token " << token << " of " << tokens << ", lane " << l;
            const fixed::Rounded want =
                live ? fixed::fit_shifted(q, row_sum(config_, pass, i), config_.shift) : fixed::Rounded{};
            const Word word = get(m_.q_o[n_].data(), static_cast<std::size_t>(l * config_.q_bits), config_.q_bits);
            ASSERT_EQ(word, want.word) << where(pass, i);
            ASSERT_EQ(m_.over_o[n_] >> l & 1, want.overflow ? 1u : 0u) << where(pass, i);
            (want.overflow ? overflows : kept) += want.word != 0 || want.overflow ? 1 : 0;
            if (live)
                ASSERT_EQ(get(m_.p_o[n_].data(), static_cast<std::size_t>(l * config_.p_bits), config_.p_bits),
                          pass.p[i])
                    << where(pass, i);
        }
    }
    [[nodiscard]] std::string where(const Pass& pass, std::size_t i) const {
        return "element " + std::to_string(i) + " of " + std::to_string(pass.length) + " in rows of " +
               std::to_string(pass.row_length);
    }

    Vrows_top& m_;
    int n_;
    Config config_{};
    std::array<std::uint32_t*, kStreams> streams_{};
    Random random_{2026};
};

class Rows : public testing::TestWithParam<int> {};

TEST_P(Rows, EqualRowSumsWordForWord) {
    Vrows_top model;
    model.rst_ni = 0;
    model.clk_i = 0;
    model.eval();
    model.clk_i = 1;
    model.eval();
    model.rst_ni = 1;
    Stage stage(model, GetParam());
    Random random(static_cast<std::uint64_t>(GetParam()) + 1);
    std::size_t elements = 0;
    while (elements < 12'000) {
        const Pass pass = random_pass(random, stage.config());
        stage.run(pass);
        if (HasFatalFailure()) return;
        elements += pass.length;
    }
    // Both outcomes were seen, but where no sum can overflow, or every one that is not 0 does.
    const int shift = stage.config().shift;
    if (shift < 30 && GetParam() != 13) EXPECT_GT(stage.overflows, 10u);
    if (shift > -30 && shift < 60) EXPECT_GT(stage.kept, 100u);
}
INSTANTIATE_TEST_SUITE_P(Cases, Rows, testing::Range(0, kCases));

} // namespace
} // namespace mantissa
