#include "mantissa/spec.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>

namespace mantissa {

namespace {

Format wide_like(const Format& f) {
    return Format{52, 11, f.rounding, f.subnormals, f.overflow}.canonical();
}

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

std::optional<int> to_int(std::string_view s) {
    int v = 0;
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), v);
    if (error != std::errc{} || end != s.data() + s.size() || s.empty()) return std::nullopt;
    return v;
}

/// Splits at commas outside brackets.
std::vector<std::string_view> split_fields(std::string_view text) {
    std::vector<std::string_view> parts;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i == text.size() || (text[i] == ',' && depth == 0)) {
            parts.push_back(text.substr(begin, i - begin));
            begin = i + 1;
        } else if (text[i] == '[') {
            ++depth;
        } else if (text[i] == ']') {
            --depth;
        }
    }
    return parts;
}

void parse_dot(std::string_view text, std::string_view value, DotSpec& dot) {
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
        if (!depth) fail(text, fmt::format("dot={}: the depth behind / is a power of two in 1..64", value));
        dot.depth = *depth;
    }
}

} // namespace

DatapathSpec::DatapathSpec(const Format& f)
    : u(f), r(f), p(f), q(f), coefficient(f), operand(f), row(f), scalar(wide_like(f)) {
    dot.accumulator = wide_like(f);
    dot.product = f;
}

void DatapathSpec::validate() const {
    const auto check = [&](bool good, const std::string& what) {
        if (!good) fail(to_string(*this), what);
    };
    for (const FormatField& field : kFormatFields)
        check((this->*field.member).valid(), fmt::format("{}= is no format", field.key));
    check(dot.fixed || dot.accumulator.valid(), "the dot product's accumulator is no format");
    check(dot.exact_product || dot.product.valid(), "product= is no format");
    check(lanes >= 1 && lanes <= kMaxLanes && std::has_single_bit(static_cast<unsigned>(lanes)),
          "lanes is a power of two in 1..64");
    if (dot.fixed) {
        const FixedWindow& w = dot.window;
        check(w.msb > w.lsb && w.width() <= FixedWindow::kMaxWidth && w.lsb >= FixedWindow::kMinLsb &&
                  w.msb <= FixedWindow::kMaxMsb,
              "a fixed window is fixed[MSB:LSB] with LSB < MSB and at most 64 bits");
    } else {
        check(dot.depth >= 1 && dot.depth <= DotSpec::kMaxDepth &&
                  std::has_single_bit(static_cast<unsigned>(dot.depth)),
              "the accumulator depth is a power of two in 1..64");
        if (dot.exact_product) {
            const int bits = std::max({2 * r.precision(), 2 * q.precision(), p.precision() + q.precision()});
            check(
                bits <= dot.accumulator.precision(),
                fmt::format("exact products have up to {} bits and the accumulator {}: round them (product=FORMAT) or "
                            "use dot=fixed[MSB:LSB]",
                            bits, dot.accumulator.precision()));
            const int exponent = std::max({r.exponent_bits, p.exponent_bits, q.exponent_bits});
            const bool gradual = !r.flushes() || !p.flushes() || !q.flushes();
            check(
                exponent < dot.accumulator.exponent_bits && !gradual,
                "exact products need an accumulator with more exponent bits and vectors without subnormals: round them "
                "(product=FORMAT) or use dot=fixed[MSB:LSB]");
        }
    }
}

DatapathSpec parse_spec(std::string_view text) {
    const auto parts = split_fields(text);
    if (parts.front().find('=') != std::string_view::npos)
        fail(text, "it begins with the base format, as in s17e8,u=s23e8");
    DatapathSpec spec(parse_format(parts.front()));
    std::set<std::string_view> seen;
    bool product_given = false;
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const auto equals = parts[i].find('=');
        if (equals == std::string_view::npos)
            fail(text, fmt::format("'{}' is not KEY=VALUE; the keys are u r p q coef operand row order product dot "
                                   "scalar lanes",
                                   parts[i]));
        const std::string_view key = parts[i].substr(0, equals), value = parts[i].substr(equals + 1);
        if (!seen.insert(key).second) fail(text, fmt::format("{}= is given twice", key));
        bool known = false;
        for (const FormatField& field : kFormatFields)
            if (key == field.key) {
                spec.*field.member = parse_format(value);
                known = true;
            }
        if (key == "order") {
            if (value != "chain" && value != "tree") fail(text, "order is chain or tree");
            spec.order = value == "tree" ? RowOrder::tree : RowOrder::chain;
        } else if (key == "product") {
            product_given = true;
            spec.dot.exact_product = value == "exact";
            if (!spec.dot.exact_product) spec.dot.product = parse_format(value);
        } else if (key == "dot") {
            parse_dot(text, value, spec.dot);
        } else if (key == "lanes") {
            const auto lanes = to_int(value);
            if (!lanes) fail(text, "lanes is a power of two in 1..64");
            spec.lanes = *lanes;
        } else if (!known) {
            fail(text, fmt::format(
                           "no field '{}'; the keys are u r p q coef operand row order product dot scalar lanes", key));
        }
    }
    if (!product_given) spec.dot.exact_product = spec.dot.fixed;
    spec.validate();
    return spec;
}

std::string to_string(const DatapathSpec& spec) {
    const DatapathSpec plain(spec.r);
    std::string text = to_string(spec.r);
    for (const FormatField& field : kFormatFields)
        if (field.key != "scalar" && !(spec.*field.member == plain.*field.member))
            text += fmt::format(",{}={}", field.key, to_string(spec.*field.member));
    if (spec.order == RowOrder::tree) text += ",order=tree";
    const DotSpec& dot = spec.dot;
    if (dot.exact_product != dot.fixed || (!dot.exact_product && !(dot.product == plain.dot.product)))
        text += ",product=" + (dot.exact_product ? std::string("exact") : to_string(dot.product));
    if (dot.fixed) text += fmt::format(",dot=fixed[{}:{}]", dot.window.msb, dot.window.lsb);
    else if (!(dot.accumulator == plain.dot.accumulator) || dot.depth != plain.dot.depth)
        text += fmt::format(",dot={}{}", to_string(dot.accumulator),
                            dot.depth != plain.dot.depth ? fmt::format("/{}", dot.depth) : "");
    if (!(spec.scalar == plain.scalar)) text += ",scalar=" + to_string(spec.scalar);
    if (spec.lanes != 1) text += fmt::format(",lanes={}", spec.lanes);
    return text;
}

} // namespace mantissa
