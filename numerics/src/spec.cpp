#include "mantissa/spec.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mantissa/moving_point.hpp"
#include "spec_text.hpp"

namespace mantissa {

namespace {

Format wide_like(const Format& f) {
    if (f.is_fixed()) return Format{52, 11};
    return Format{52, 11, f.rounding, f.subnormals, f.overflow}.canonical();
}

struct OrderName {
    RowOrder order;
    std::string_view name;
};
constexpr OrderName kOrders[] = {{RowOrder::chain, "chain"},
                                 {RowOrder::tree, "tree"},
                                 {RowOrder::flux, "flux"},
                                 {RowOrder::second_difference, "second-difference"}};

struct FormatField {
    std::string_view key;
    Format DatapathSpec::*member;
};
constexpr FormatField kFormatFields[] = {{"u", &DatapathSpec::u},
                                         {"r", &DatapathSpec::r},
                                         {"p", &DatapathSpec::p},
                                         {"q", &DatapathSpec::q},
                                         {"coef", &DatapathSpec::coefficient},
                                         {"operand", &DatapathSpec::operand},
                                         {"row", &DatapathSpec::row},
                                         {"scalar", &DatapathSpec::scalar}};

[[noreturn]] void fail(std::string_view text, const std::string& what) {
    throw InvalidInput(fmt::format("datapath '{}': {}", text.substr(0, 120), what));
}

using spec_text::split_fields;
using spec_text::to_int;

/// The blocks that a field of this name has in `spec`; none where a field takes no blocks.
template <class Spec> auto blocks_of(Spec& spec, std::string_view key) -> decltype(&spec.p_blocks) {
    if (key == "p") return &spec.p_blocks;
    if (key == "coef") return &spec.coefficient_blocks;
    return nullptr;
}

/// A field of kFormatFields, from its text.
void parse_field(std::string_view text, const FormatField& field, std::string_view value, DatapathSpec& spec) {
    const auto blocks = narrow::parse_block_format(value);
    if (!blocks) {
        spec.*field.member = parse_format(value);
        return;
    }
    narrow::BlockFormat* const to = blocks_of(spec, field.key);
    if (to == nullptr) fail(text, fmt::format("{}={}: p and coef alone take blocks of MX words", field.key, value));
    *to = *blocks;
}

RowOrder parse_order(std::string_view text, std::string_view value) {
    for (const OrderName& o : kOrders)
        if (value == o.name) return o.order;
    fail(text, "order is chain, tree, flux or second-difference");
}

void parse_dot(std::string_view text, std::string_view value, DotSpec& dot) {
    dot.exact = value == "exact";
    if (dot.exact) {
        dot.fixed = false;
        return;
    }
    if (value.starts_with("fixed")) {
        std::string_view body = value.substr(5);
        const auto colon = body.find(':');
        if (body.size() < 5 || body.front() != '[' || body.back() != ']' || colon == std::string_view::npos)
            fail(text, fmt::format("dot={}: write fixed[MSB:LSB], as in fixed[13:-50]", value));
        const auto msb = to_int(body.substr(1, colon - 1));
        const auto lsb = to_int(body.substr(colon + 1, body.size() - colon - 2));
        if (!msb || !lsb) fail(text, fmt::format("dot={}: write fixed[MSB:LSB] with whole numbers", value));
        dot.fixed = true;
        dot.window = {*msb, *lsb};
        return;
    }
    dot.fixed = false;
    const auto slash = value.find('/');
    dot.accumulator = parse_format(value.substr(0, slash));
    if (slash != std::string_view::npos) {
        const auto depth = to_int(value.substr(slash + 1));
        if (!depth) fail(text, fmt::format("dot={}: the depth after / is a power of two in 1..64", value));
        dot.depth = *depth;
    }
}

} // namespace

std::string to_string(RowOrder order) {
    for (const OrderName& o : kOrders)
        if (order == o.order) return std::string(o.name);
    return "?";
}

namespace {

/// u beside fixed r, p and q: below four fraction bits more it costs iterations; eight and more above the point take
/// the corrections of a scale that leaves the words few idle bits.
Format usual_u(const Format& f) {
    if (!f.is_fixed()) return f;
    const int width = std::min(Format::kMaxDoubleWord, std::max(31, f.word_bits + 9));
    const int above = f.word_bits - f.fraction_bits; // bits over the point, of which u has four more at least
    const int point = std::min({f.fraction_bits + 5, width - above - 4, Format::kMaxPoint});
    return Format::fixed(width, std::max(point, Format::kMinPoint), f.rounding);
}

} // namespace

DatapathSpec::DatapathSpec(const Format& f)
    : u(usual_u(f)), r(f), p(f), q(f), coefficient(f), operand(f.is_fixed() ? kFixedOperand : f), row(f),
      scalar(wide_like(f)) {
    dot.exact = f.is_fixed();
    dot.exact_product = f.is_fixed();
    dot.accumulator = wide_like(f);
    dot.product = f;
}

bool operator==(const DatapathSpec& a, const DatapathSpec& b) {
    for (const FormatField& field : kFormatFields)
        if (!(a.fixed_vectors() && b.fixed_vectors() && field.key == "row") && !(a.*field.member == b.*field.member))
            return false;
    return a.order == b.order && a.point == b.point && a.sum == b.sum && a.dot == b.dot && a.lanes == b.lanes &&
           a.p_blocks == b.p_blocks && a.coefficient_blocks == b.coefficient_blocks;
}

namespace {

using Check = void (*)(const DatapathSpec&, bool, const std::string&);

void check_fixed(const DatapathSpec& s, Check check) {
    for (const FormatField& field : kFormatFields) {
        const Format& f = s.*field.member;
        const bool vector = field.key == "r" || field.key == "p" || field.key == "q" || field.key == "coef";
        if (vector)
            check(s, f.is_fixed(),
                  fmt::format("{}={} is floating beside fixed vectors: r, p, q and coef are of one kind", field.key,
                              to_string(f)));
        if (field.key == "operand" || field.key == "scalar")
            check(s, !f.is_fixed(),
                  fmt::format("{}={} is fixed: alpha and beta have an exponent; write a floating format, as in s16e11",
                              field.key, to_string(f)));
        if (f.is_fixed())
            check(s, f.word_bits <= Format::kMaxDoubleWord,
                  fmt::format("{}={}: a datapath's words have at most {} bits", field.key, to_string(f),
                              Format::kMaxDoubleWord));
    }
    check(s, s.dot.exact || s.dot.fixed,
          "floating accumulators beside fixed vectors: write dot=exact or dot=fixed[MSB:LSB]");
    check(s, s.dot.exact || s.dot.exact_product,
          "product= has no meaning with fixed vectors: their products are exact");
}

void check_floating(const DatapathSpec& s, Check check) {
    for (const FormatField& field : kFormatFields)
        // (where the vectors may be fixed, these three are not)
        check(s, !(s.*field.member).is_fixed(),
              field.key == "operand" || field.key == "row" || field.key == "scalar"
                  ? fmt::format("{}={} is fixed: it takes a floating format, as in s23e8", field.key,
                                to_string(s.*field.member))
                  : fmt::format("{}={} is fixed beside floating vectors, whose every element would need a shift of its "
                                "own: begin with the vectors' fixed format, as in fx18.16",
                                field.key, to_string(s.*field.member)));
    check(s, !s.dot.exact, "dot=exact is for fixed vectors: write dot=fixed[MSB:LSB] or a floating format");
    check(s, s.dot.exact_product || !s.dot.product.is_fixed(),
          "product= is floating beside floating vectors, or exact");
    check(s, s.dot.fixed || !s.dot.accumulator.is_fixed(), "dot= is a floating format, fixed[MSB:LSB] or exact");
}

void check_blocks(const DatapathSpec& s, Check check) {
    for (const FormatField& field : kFormatFields) {
        const auto* const blocks = blocks_of(s, field.key);
        if (blocks == nullptr || !blocks->given()) continue;
        check(s, !s.fixed_vectors(),
              fmt::format("{}={} beside fixed vectors, whose words have one exponent for all: begin with a floating "
                          "format, as in s23e8,{}={}",
                          field.key, to_string(*blocks), field.key, to_string(*blocks)));
        check(s,
              blocks->length >= 1 && blocks->length <= narrow::BlockFormat::kMaxLength &&
                  std::has_single_bit(static_cast<unsigned>(blocks->length)),
              fmt::format("{}=: a block's length is a power of two in 1..{}", field.key,
                          narrow::BlockFormat::kMaxLength));
        check(s, s.*field.member == s.r,
              fmt::format("{}={}: its format beside blocks is r's", field.key, to_string(*blocks)));
    }
}

void check_moving(const DatapathSpec& s, Check check) {
    check(
        s, s.fixed_vectors(),
        "point=moving beside floating vectors, whose every element has an exponent: leave it out or begin with a fixed "
        "format, as in fx18.16");
    for (const auto& [key, f] : {std::pair{"p", s.p}, {"q", s.q}})
        check(s, f.fraction_bits == s.r.fraction_bits,
              fmt::format("point=moving with {} fraction bits in r and {} in {}: r, p and q share one point",
                          s.r.fraction_bits, f.fraction_bits, key));
    for (const auto& [key, f] : {std::pair{"r", s.r}, {"p", s.p}})
        check(s, f.word_bits >= fixed::kLeastMovingWord,
              fmt::format("point=moving with {}={}: words of a moving point have at least {} bits", key, to_string(f),
                          fixed::kLeastMovingWord));
    check(s, s.dot.exact, "point=moving beside a dot product's window, which stands still: write dot=exact");
}

void check_free(const DatapathSpec& s, Check check) {
    DatapathSpec ordered = s;
    ordered.sum = SumOrder::ordered;
    check(s, ordered == DatapathSpec(formats::kDouble) || ordered == DatapathSpec(formats::kFloat),
          "sum=free is native arithmetic: write double,sum=free or float,sum=free and nothing else");
}

void check_lanes(const DatapathSpec& s, Check check) {
    const DotSpec& dot = s.dot;
    check(s, dot.depth >= 1 && dot.depth <= DotSpec::kMaxDepth && std::has_single_bit(static_cast<unsigned>(dot.depth)),
          "the accumulator depth is a power of two in 1..64");
    if (!dot.exact_product) return;
    const int bits = std::max({2 * s.r.precision(), 2 * s.q.precision(), s.p.precision() + s.q.precision()});
    check(s, bits <= dot.accumulator.precision(),
          fmt::format("exact products have up to {} bits and the accumulator {}: round them (product=FORMAT) or "
                      "use dot=fixed[MSB:LSB]",
                      bits, dot.accumulator.precision()));
    const int exponent = std::max({s.r.exponent_bits, s.p.exponent_bits, s.q.exponent_bits});
    const bool gradual = !s.r.flushes() || !s.p.flushes() || !s.q.flushes();
    check(s, exponent < dot.accumulator.exponent_bits && !gradual,
          "exact products need an accumulator with more exponent bits and vectors without subnormals: round them "
          "(product=FORMAT) or use dot=fixed[MSB:LSB]");
}

} // namespace

void DatapathSpec::validate() const {
    constexpr Check kCheck = [](const DatapathSpec& s, bool good, const std::string& what) {
        if (!good) fail(to_string(s), what);
    };
    const auto check = [&](bool good, const std::string& what) { kCheck(*this, good, what); };
    for (const FormatField& field : kFormatFields)
        check((this->*field.member).valid(), fmt::format("{}= is no format", field.key));
    check(dot.fixed || dot.exact || dot.accumulator.valid(), "the dot product's accumulator is no format");
    check(dot.exact || dot.exact_product || dot.product.valid(), "product= is no format");
    check(lanes >= 1 && lanes <= kMaxLanes && std::has_single_bit(static_cast<unsigned>(lanes)),
          "lanes is a power of two in 1..64");
    check_blocks(*this, kCheck);
    if (fixed_vectors()) check_fixed(*this, kCheck);
    else check_floating(*this, kCheck);
    if (moves()) check_moving(*this, kCheck);
    if (sums_free()) check_free(*this, kCheck);
    if (dot.exact) return;
    if (!dot.fixed) return check_lanes(*this, kCheck);
    const FixedWindow& w = dot.window;
    check(w.msb > w.lsb && w.width() <= FixedWindow::kMaxWidth && w.lsb >= FixedWindow::kMinLsb &&
              w.msb <= FixedWindow::kMaxMsb,
          "a fixed window is fixed[MSB:LSB] with LSB < MSB and at most 64 bits");
}

DatapathSpec parse_spec(std::string_view text) {
    const auto parts = split_fields(text);
    if (parts.front().find('=') != std::string_view::npos)
        fail(text, "it begins with the base format, as in s17e8,u=s23e8");
    if (narrow::parse_block_format(parts.front()))
        fail(text, "p and coef alone take blocks of MX words: begin with a floating format, as in s23e8,p=mxint8");
    DatapathSpec spec(parse_format(parts.front()));
    const bool fixed_base = spec.fixed_vectors();
    std::set<std::string_view> seen;
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const auto equals = parts[i].find('=');
        if (equals == std::string_view::npos)
            fail(text, fmt::format("'{}' is not KEY=VALUE; the keys are u r p q coef operand row order point "
                                   "product dot scalar lanes sum",
                                   parts[i]));
        const std::string_view key = parts[i].substr(0, equals), value = parts[i].substr(equals + 1);
        if (!seen.insert(key).second) fail(text, fmt::format("{}= is given twice", key));
        bool known = false;
        for (const FormatField& field : kFormatFields)
            if (key == field.key) {
                parse_field(text, field, value, spec);
                known = true;
            }
        if (key == "order") {
            spec.order = parse_order(text, value);
        } else if (key == "point") {
            if (value != "still" && value != "moving") fail(text, "point is still or moving");
            spec.point = value == "moving" ? BinaryPoint::moving : BinaryPoint::still;
        } else if (key == "sum") {
            if (value != "ordered" && value != "free") fail(text, "sum is ordered or free");
            spec.sum = value == "free" ? SumOrder::free : SumOrder::ordered;
        } else if (key == "product") {
            spec.dot.exact_product = value == "exact";
            if (!spec.dot.exact_product) spec.dot.product = parse_format(value);
        } else if (key == "dot") {
            parse_dot(text, value, spec.dot);
        } else if (key == "lanes") {
            const auto lanes = to_int(value);
            if (!lanes) fail(text, "lanes is a power of two in 1..64");
            spec.lanes = *lanes;
        } else if (!known) {
            fail(text,
                 fmt::format(
                     "no field '{}'; the keys are u r p q coef operand row order point product dot scalar lanes sum",
                     key));
        }
    }
    for (const FormatField& field : kFormatFields)
        if (const auto* const blocks = blocks_of(spec, field.key); blocks != nullptr && blocks->given())
            spec.*field.member = spec.r;
    if (fixed_base && !spec.fixed_vectors())
        fail(text, "floating vectors under a fixed base: begin with the vectors' format, as in s17e8,u=s23e8");
    if (spec.fixed_vectors()) {
        if (seen.contains("row")) fail(text, "row= has no meaning with fixed vectors: row sums are exact");
        if (seen.contains("product") && !spec.dot.exact_product)
            fail(text, "product= has no meaning with fixed vectors: their products are exact");
        // Words of a moving point are always long, and u's with them.
        if (spec.moves() && !seen.contains("u"))
            spec.u.word_bits = std::min(Format::kMaxDoubleWord, spec.r.word_bits + 18);
        if (!seen.contains("dot")) spec.dot.exact = true;
        if (!seen.contains("product")) spec.dot.exact_product = true;
        spec.row = spec.dot.product = spec.r;
    } else if (!seen.contains("product")) {
        spec.dot.exact_product = spec.dot.fixed;
    }
    spec.validate();
    return spec;
}

std::string blocks_refusal(const DatapathSpec& spec, std::string_view who) {
    if (!spec.has_blocks()) return {};
    const bool of_p = spec.p_blocks.given();
    return fmt::format("{}: {}={}: blocks of MX words are the emulated engine's alone; leave them out or use --engine "
                       "emulated",
                       who, of_p ? "p" : "coef", to_string(of_p ? spec.p_blocks : spec.coefficient_blocks));
}

std::string to_string(const DatapathSpec& spec) {
    const DatapathSpec plain(spec.r);
    std::string text = to_string(spec.r);
    for (const FormatField& field : kFormatFields) {
        const auto* const blocks = blocks_of(spec, field.key);
        if (blocks != nullptr && blocks->given()) text += fmt::format(",{}={}", field.key, to_string(*blocks));
        else if (field.key != "scalar" && !(field.key == "row" && spec.fixed_vectors()) &&
                 !(spec.*field.member == plain.*field.member))
            text += fmt::format(",{}={}", field.key, to_string(spec.*field.member));
    }
    if (spec.order != RowOrder::chain) text += ",order=" + to_string(spec.order);
    if (spec.moves()) text += ",point=moving";
    const DotSpec& dot = spec.dot;
    const bool usual_terms = spec.fixed_vectors() ? dot.exact || dot.exact_product
                             : dot.exact_product  ? dot.fixed
                                                  : !dot.fixed && dot.product == plain.dot.product;
    if (!usual_terms) text += ",product=" + (dot.exact_product ? std::string("exact") : to_string(dot.product));
    if (dot.fixed) text += fmt::format(",dot=fixed[{}:{}]", dot.window.msb, dot.window.lsb);
    else if (dot.exact) text += spec.fixed_vectors() ? "" : ",dot=exact";
    else if (spec.fixed_vectors() || !(dot.accumulator == plain.dot.accumulator) || dot.depth != plain.dot.depth)
        text += fmt::format(",dot={}{}", to_string(dot.accumulator),
                            dot.depth != plain.dot.depth ? fmt::format("/{}", dot.depth) : "");
    if (!(spec.scalar == plain.scalar)) text += ",scalar=" + to_string(spec.scalar);
    if (spec.lanes != 1) text += fmt::format(",lanes={}", spec.lanes);
    if (spec.sums_free()) text += ",sum=free";
    return text;
}

} // namespace mantissa
