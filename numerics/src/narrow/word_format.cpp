#include "mantissa/narrow/word_format.hpp"

#include <array>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "../policy_words.hpp"
#include "mantissa/format.hpp"

namespace mantissa::narrow {

namespace {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

struct Word {
    std::string_view text;
    WordRounding rounding;
};
constexpr std::array<Word, 8> kRoundings = {{{"nearest", WordRounding::nearest},
                                             {"floor", WordRounding::floor},
                                             {"up", WordRounding::up},
                                             {"rz", WordRounding::toward_zero},
                                             {"rne", WordRounding::nearest_even},
                                             {"rna", WordRounding::nearest_away},
                                             {"odd", WordRounding::odd},
                                             {"sr", WordRounding::stochastic}}};

/// Is the integer below x, x being `rest` of `units` more (0 <= rest < units), rounded to the next one?
bool goes_up(WordRounding rounding, bool negative, bool odd, UnsignedWide rest, UnsignedWide units,
             std::uint32_t random) {
    const UnsignedWide left = units - rest; // rest against one half: rest against what is left
    switch (rounding) {
    case WordRounding::nearest:
        return rest >= left;
    case WordRounding::floor:
        return false;
    case WordRounding::up:
        return rest != 0;
    case WordRounding::toward_zero:
        return rest != 0 && negative;
    case WordRounding::nearest_even:
        return rest > left || (rest == left && odd);
    case WordRounding::nearest_away:
        return rest > left || (rest == left && !negative);
    case WordRounding::odd:
        return rest != 0 && !odd;
    case WordRounding::stochastic:
        break;
    }
    // floor(2^32 rest / units), in 32 steps of a long division: 2 rest < 2^128.
    std::uint32_t share = 0;
    for (int bit = 0; bit < 32; ++bit) {
        const bool one = rest >= units - rest;
        rest = one ? rest - (units - rest) : 2 * rest;
        share = 2 * share + (one ? 1 : 0);
    }
    return share > random;
}

/// An exact result: whole + rest / units with 0 <= rest < units, or one beyond 127 bits, of which the low 64 stand.
struct Exact {
    Wide whole = 0;
    UnsignedWide rest = 0, units = 1;
    bool negative = false, beyond = false;

    static Exact of(Wide x) { return {x, 0, 1, x < 0, false}; }
    void add(Wide more) {
        beyond = __builtin_add_overflow(whole, more, &whole) || beyond;
        if (!beyond) negative = whole < 0;
    }
};

/// x 2^-shift
Exact shifted(Wide x, int shift) {
    // A number of 53 bits is so far below one half of 2^127 that it may as well be further.
    const int down = shift < 127 ? shift : 127;
    if (down > 0) {
        const UnsignedWide units = UnsignedWide{1} << down;
        return {x >> down, static_cast<UnsignedWide>(x) & (units - 1), units, x < 0, false};
    }
    const int up = -shift;
    const auto moved = up < 128 ? static_cast<UnsignedWide>(x) << up : UnsignedWide{0};
    const bool fits = x == 0 || (up < 127 && (static_cast<Wide>(moved) >> up) == x);
    return {static_cast<Wide>(moved), 0, 1, x < 0, !fits};
}

std::int64_t fit(const WordFormat& f, const Exact& e, std::uint32_t random, WordFlags& flags) {
    Wide x = e.whole;
    if (!e.beyond && goes_up(f.rounding, e.negative, (x & 1) != 0, e.rest, e.units, random)) ++x;
    if (!e.beyond && x >= f.min_word() && x <= f.max_word()) return static_cast<std::int64_t>(x);
    flags.overflow = true;
    if (f.overflow == WordOverflow::saturate) return e.negative ? f.min_word() : f.max_word();
    const auto low = static_cast<std::uint64_t>(static_cast<UnsignedWide>(x)) << (64 - f.word_bits);
    return f.is_signed ? static_cast<std::int64_t>(low) >> (64 - f.word_bits)
                       : static_cast<std::int64_t>(low >> (64 - f.word_bits));
}

void require(bool equal) {
    if (!equal) throw InvalidInput("words: arrays of different lengths; give equal ones");
}

/// a / b in units of 2^-F.
Exact quotient(const WordFormat& f, Wide a, Wide b) {
    if (f.fraction_bits >= 0) a = static_cast<Wide>(static_cast<UnsignedWide>(a) << f.fraction_bits);
    else b = static_cast<Wide>(static_cast<UnsignedWide>(b) << -f.fraction_bits);
    if (b < 0) {
        a = -a;
        b = -b;
    }
    Wide whole = a / b, rest = a % b;
    if (rest < 0) {
        rest += b;
        --whole;
    }
    return {whole, static_cast<UnsignedWide>(rest), static_cast<UnsignedWide>(b), whole < 0, false};
}

} // namespace

std::optional<WordFormat> parse_words(std::string_view text) {
    policy_words::refuse_twice(text);
    const std::string_view head = text.substr(0, text.find(':'));
    WordFormat f;
    f.is_signed = head.substr(0, 3) != "ufx";
    if (f.is_signed && head.substr(0, 2) != "fx") return std::nullopt;
    std::string_view rest = text.substr(head.size());
    if (f.is_signed && (rest.empty() || rest == ":nearest" || rest == ":floor")) return std::nullopt; // a Format
    const std::string_view numbers = head.substr(f.is_signed ? 2 : 3);
    const std::size_t point = numbers.find('.');
    const auto number = [&](std::string_view digits) {
        const bool minus = !digits.empty() && digits.front() == '-';
        const std::string_view bare = digits.substr(minus ? 1 : 0);
        if (bare.empty() || bare.size() > 2 || bare.find_first_not_of("0123456789") != std::string_view::npos)
            throw InvalidInput(
                fmt::format("format '{}': write fx<W>.<F> or ufx<W>.<F>, as ufx18.16:sat", text.substr(0, 60)));
        int value = 0;
        for (const char c : bare) value = 10 * value + (c - '0');
        return minus ? -value : value;
    };
    f.word_bits = number(numbers.substr(0, point));
    f.fraction_bits = number(point == std::string_view::npos ? std::string_view() : numbers.substr(point + 1));
    const int most = f.is_signed ? WordFormat::kMaxWord : WordFormat::kMaxWord - 1;
    if (f.word_bits < 1 || f.word_bits > most || f.fraction_bits < WordFormat::kMinPoint ||
        f.fraction_bits > WordFormat::kMaxPoint)
        throw InvalidInput(fmt::format("format '{}': words have 1 to {} bits here, of which -31 to 63 are fraction",
                                       text.substr(0, 60), most));
    while (!rest.empty()) {
        rest.remove_prefix(1);
        const std::string_view word = rest.substr(0, rest.find(':'));
        rest.remove_prefix(word.size());
        bool known = word == "sat" || word == "wrap";
        if (known) f.overflow = word == "sat" ? WordOverflow::saturate : WordOverflow::wrap;
        for (const Word& w : kRoundings)
            if (word == w.text) {
                f.rounding = w.rounding;
                known = true;
            }
        if (!known)
            throw InvalidInput(
                fmt::format("format '{}': the policy words of fixed-point formats are nearest, floor, up, "
                            "rz, rne, rna, odd, sr, sat and wrap",
                            text.substr(0, 60)));
    }
    return f;
}

std::string to_string(const WordFormat& f) {
    std::string text = fmt::format("{}fx{}.{}", f.is_signed ? "" : "u", f.word_bits, f.fraction_bits);
    // A signed format without a word of its own would read back as a datapath's: the overflow is the same there.
    if (f.rounding != WordRounding::nearest)
        for (const Word& w : kRoundings)
            if (w.rounding == f.rounding) {
                text += fmt::format(":{}", w.text);
                break;
            }
    if (f.overflow != WordOverflow::report) text += f.overflow == WordOverflow::saturate ? ":sat" : ":wrap";
    return text;
}

WordFlags WordUnit::convert(std::span<const double> a, std::span<std::int64_t> out, std::uint64_t first) const {
    require(a.size() == out.size());
    WordFlags flags;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double x = a[i];
        const bool negative = std::signbit(x);
        if (std::isnan(x) || (std::isinf(x) && format_.overflow == WordOverflow::wrap)) {
            flags.impossible = true;
            out[i] = 0;
        } else if (std::isinf(x)) {
            flags.overflow = true;
            out[i] = negative ? format_.min_word() : format_.max_word();
        } else {
            int exponent = 0;
            const auto significand = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &exponent), 53));
            const int left = exponent - 53 + format_.fraction_bits;
            out[i] = fit(format_, shifted(significand, -left), random_bits(seed_, first + i), flags);
        }
    }
    return flags;
}

WordFlags WordUnit::apply(Op op, std::span<const std::int64_t> a, std::span<const std::int64_t> b,
                          std::span<const std::int64_t> c, std::span<std::int64_t> out, std::uint64_t first) const {
    require(a.size() == out.size() && b.size() == out.size() && (op != Op::fma || c.size() == out.size()));
    WordFlags flags;
    const int point = format_.fraction_bits;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const Wide x = a[i], y = b[i];
        Exact e;
        switch (op) {
        case Op::add:
            e = Exact::of(x + y);
            break;
        case Op::sub:
            e = Exact::of(x - y);
            break;
        case Op::mul:
            e = shifted(x * y, point);
            break;
        case Op::fma:
            e = shifted(x * y, point);
            e.add(c[i]);
            break;
        case Op::div:
            if (y == 0) {
                flags.impossible = flags.impossible || format_.overflow == WordOverflow::wrap || x == 0;
                flags.overflow = true;
                out[i] = x == 0 || format_.overflow == WordOverflow::wrap ? 0
                         : x < 0                                          ? format_.min_word()
                                                                          : format_.max_word();
                continue;
            }
            e = quotient(format_, x, y);
            break;
        }
        out[i] = fit(format_, e, random_bits(seed_, first + i), flags);
    }
    return flags;
}

WordFlags WordUnit::sum(std::span<const std::int64_t> a, const std::int64_t* b, std::size_t stride, std::int64_t& out,
                        std::uint64_t number) const {
    const int term = b == nullptr ? format_.word_bits : 2 * format_.word_bits;
    if (term + static_cast<int>(std::bit_width(a.size())) > 127)
        throw InvalidInput("a sum of so many products of " + to_string(format_) +
                           " may not fit 128 bits; take shorter words");
    Wide total = 0;
    for (std::size_t i = 0; i < a.size(); ++i) total += b == nullptr ? Wide{a[i]} : Wide{a[i]} * b[i * stride];
    WordFlags flags;
    const Exact e = shifted(total, b == nullptr ? 0 : format_.fraction_bits);
    out = fit(format_, e, random_bits(seed_, number), flags);
    return flags;
}

} // namespace mantissa::narrow
