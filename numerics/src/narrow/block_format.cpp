#include "mantissa/narrow/block_format.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "../spec_text.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/narrow/block_scale.hpp"
#include "mantissa/narrow/narrow_format.hpp"
#include "mantissa/narrow/narrow_unit.hpp"

namespace mantissa::narrow {

namespace {

/// Of an element: its names, its largest power of two, its largest number, its fraction bits and its word's.
struct ElementFacts {
    BlockElement element;
    std::string_view name;
    std::string_view format; ///< as parse_narrow() reads it; binary8p7sf has the numbers of mxint8
    int top;
    double max;
    int fraction_bits, bits, factor_bits;
};
constexpr std::array<ElementFacts, 6> kElements{{
    {BlockElement::int8, "mxint8", "binary8p7sf:sat", 0, 127.0 / 64, 6, 8, 8},
    {BlockElement::fp8_e4m3, "mxfp8_e4m3", "fp8_e4m3", 8, 448, 3, 8, 4},
    {BlockElement::fp8_e5m2, "mxfp8_e5m2", "fp8_e5m2:sat", 15, 57344, 2, 8, 3},
    {BlockElement::fp6_e3m2, "mxfp6_e3m2", "fp6_e3m2", 4, 28, 2, 6, 3},
    {BlockElement::fp6_e2m3, "mxfp6_e2m3", "fp6_e2m3", 2, 7.5, 3, 6, 4},
    {BlockElement::fp4_e2m1, "mxfp4_e2m1", "fp4_e2m1", 2, 6, 1, 4, 2},
}};
constexpr std::array<std::string_view, 4> kRules{"floor", "ceil", "even", "rceil"};

const ElementFacts* facts(BlockElement element) {
    const auto* const found = std::ranges::find(kElements, element, &ElementFacts::element);
    return found == kElements.end() ? nullptr : found;
}

constexpr int kLeast = -127, kMost = 127; ///< exponents of E8M0

/// The exponent of block_scale(); none of NaN.
std::optional<int> exponent(const ElementFacts& e, ScaleRule rule, double most) {
    if (!std::isfinite(most)) return std::nullopt;
    if (rule == ScaleRule::rceil) {
        const auto in_float = static_cast<float>(most);
        if (!std::isfinite(in_float)) return std::nullopt;
        int power = 0;
        const float ratio = in_float * static_cast<float>(1 / e.max);
        if (ratio == 0) return kLeast;
        const float fraction = std::frexp(ratio, &power);
        return std::clamp(power - (fraction == 0.5F ? 1 : 0), kLeast, kMost);
    }
    if (most == 0) return kLeast;
    int power = 0; // most = fraction 2^power
    const double fraction = std::frexp(most, &power);
    if (rule == ScaleRule::ceil && fraction != 0.5) ++power;
    if (rule == ScaleRule::even && fraction >= 1 - std::ldexp(1.0, -e.fraction_bits - 2)) ++power;
    return std::clamp(power - 1 - e.top, kLeast, kMost);
}

/// Numbers that are rounded at a time: whole blocks.
constexpr std::size_t kAtATime = 4096;

} // namespace

int BlockFormat::element_bits() const {
    const ElementFacts* const f = facts(element);
    return f == nullptr ? 0 : f->bits;
}

int BlockFormat::factor_bits() const {
    const ElementFacts* const f = facts(element);
    return f == nullptr ? 0 : f->factor_bits;
}

double block_scale(const BlockFormat& f, double most) {
    const ElementFacts* const e = facts(f.element);
    if (e == nullptr) throw InvalidInput("block scale: no format is given; give one, as mxint8");
    const std::optional<int> power = exponent(*e, f.rule, most);
    return power ? std::ldexp(1.0, *power) : std::numeric_limits<double>::quiet_NaN();
}

std::optional<BlockFormat> parse_block_format(std::string_view text) {
    if (!text.starts_with("mx")) return std::nullopt;
    const auto fail = [&](const std::string& what) -> InvalidInput {
        return InvalidInput(fmt::format("block format '{}': {}", text.substr(0, 80), what));
    };
    const auto slash = text.find('/');
    const std::string_view front = text.substr(0, slash);
    const auto colon = front.find(':');
    const auto* const e = std::ranges::find(kElements, front.substr(0, colon), &ElementFacts::name);
    if (e == kElements.end()) {
        std::string names;
        for (const ElementFacts& known : kElements) names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
        throw fail("the block formats are " + names);
    }
    BlockFormat f;
    f.element = e->element;
    if (colon != std::string_view::npos) {
        const auto* const rule = std::ranges::find(kRules, front.substr(colon + 1));
        if (rule == kRules.end()) throw fail("after the colon is the scale's rule: floor, ceil, even or rceil");
        f.rule = static_cast<ScaleRule>(rule - kRules.begin());
    }
    if (slash != std::string_view::npos) {
        const auto length = spec_text::to_int(text.substr(slash + 1));
        if (!length || *length < 1 || *length > BlockFormat::kMaxLength ||
            !std::has_single_bit(static_cast<unsigned>(*length)))
            throw fail(
                fmt::format("after the slash is a block's length, a power of two in 1..{}", BlockFormat::kMaxLength));
        f.length = *length;
    }
    return f;
}

std::string to_string(const BlockFormat& f) {
    const ElementFacts* const e = facts(f.element);
    if (e == nullptr) return {};
    std::string text(e->name);
    if (f.rule != ScaleRule::floor) text += fmt::format(":{}", kRules[static_cast<std::size_t>(f.rule)]);
    if (f.length != BlockFormat::kUsualLength) text += fmt::format("/{}", f.length);
    return text;
}

void round_blocks(const BlockFormat& f, std::span<const double> x, std::span<double> out) {
    if (x.size() != out.size())
        throw InvalidInput(fmt::format("blocks: {} numbers into {} places; give as many", x.size(), out.size()));
    const ElementFacts* const e = facts(f.element);
    if (e == nullptr) {
        if (x.data() != out.data()) std::ranges::copy(x, out.begin());
        return;
    }
    const NarrowUnit unit(*parse_narrow(e->format));
    const auto length = static_cast<std::size_t>(f.length);
    const std::size_t at_a_time = std::max(kAtATime, length);
    std::vector<double> quotient(std::min(at_a_time, x.size()));
    std::vector<double> scale;
    for (std::size_t first = 0; first < x.size(); first += at_a_time) {
        const std::size_t count = std::min(at_a_time, x.size() - first);
        scale.clear();
        for (std::size_t begin = 0; begin < count; begin += length) {
            const auto block = x.subspan(first + begin, std::min(length, count - begin));
            double most = 0;
            for (const double v : block) most = std::isnan(v) ? v : std::max(most, std::abs(v)); // a NaN stays
            const std::optional<int> power = exponent(*e, f.rule, most);
            scale.push_back(power ? std::ldexp(1.0, *power) : std::numeric_limits<double>::quiet_NaN());
            const double over = power ? std::ldexp(1.0, -*power) : 1.0;
            for (std::size_t i = 0; i < block.size(); ++i) quotient[begin + i] = block[i] * over;
        }
        const std::span<double> rounded(quotient.data(), count);
        unit.round(rounded, rounded);
        for (std::size_t i = 0; i < count; ++i) out[first + i] = rounded[i] * scale[i / length];
    }
}

} // namespace mantissa::narrow
