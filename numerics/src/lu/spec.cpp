#include "mantissa/lu/spec.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "../spec_text.hpp"
#include "mantissa/errors.hpp"

namespace mantissa {

namespace {

constexpr std::string_view kKeys = "a l u acc product order pivot div scale sum";

struct FormatField {
    std::string_view key;
    Format LuSpec::*member;
};
struct TensorWords {
    std::string_view name;
    LuNative value;
};
constexpr std::string_view kTensor = "tensor:";
constexpr TensorWords kTensorWords[] = {{"half", LuNative::half},
                                        {"half-pair", LuNative::half_pair},
                                        {"bfloat", LuNative::bfloat},
                                        {"bfloat-pair", LuNative::bfloat_pair}};
constexpr FormatField kFormatFields[] = {{"a", &LuSpec::a}, {"l", &LuSpec::l}, {"u", &LuSpec::u}};

[[noreturn]] void fail(std::string_view text, const std::string& what) {
    throw InvalidInput(fmt::format("factorisation '{}': {}", text.substr(0, 120), what));
}

using spec_text::split_fields;
using spec_text::to_int;

void parse_accumulator(std::string_view text, std::string_view value, LuSpec& spec) {
    spec.fixed = value.starts_with("fixed");
    if (!spec.fixed) {
        spec.accumulator = parse_format(value);
        return;
    }
    const std::string_view body = value.substr(5);
    const auto colon = body.find(':');
    if (body.size() < 5 || body.front() != '[' || body.back() != ']' || colon == std::string_view::npos)
        fail(text, fmt::format("acc={}: write fixed[MSB:LSB], as in fixed[15:-34]", value));
    const auto msb = to_int(body.substr(1, colon - 1));
    const auto lsb = to_int(body.substr(colon + 1, body.size() - colon - 2));
    if (!msb || !lsb) fail(text, fmt::format("acc={}: write fixed[MSB:LSB] with whole numbers", value));
    spec.window = {*msb, *lsb};
}

void parse_order(std::string_view text, std::string_view value, LuSpec& spec) {
    if (value == "right") spec.order = LuOrder::right;
    else if (value == "crout") spec.order = LuOrder::crout;
    else if (value.starts_with("blocked:")) {
        const auto block = to_int(value.substr(8));
        if (!block) fail(text, fmt::format("order={}: write blocked:NB, NB columns a panel", value));
        spec.order = LuOrder::blocked;
        spec.block = *block;
    } else fail(text, "order is right, crout or blocked:NB");
}

/// "", ":C" or ":C:R".
void parse_tournament(std::string_view text, std::string_view rest, LuSpec& spec) {
    spec.pivot = LuPivot::tournament;
    if (rest.empty()) return;
    const auto colon = rest.find(':', 1);
    const auto columns = to_int(rest.substr(1, colon == std::string_view::npos ? colon : colon - 1));
    // Without ROWS, four times the columns; more columns than a leaf may have are refused by validate().
    const auto rows = colon != std::string_view::npos            ? to_int(rest.substr(colon + 1))
                      : columns && *columns <= LuSpec::kMaxBlock ? std::optional(4 * *columns)
                                                                 : columns;
    if (!columns || !rows)
        fail(text, fmt::format("pivot=tournament{}: write tournament:COLUMNS:ROWS, whole numbers", rest));
    spec.tournament_columns = *columns;
    spec.tournament_rows = *rows;
}

void parse_pivot(std::string_view text, std::string_view value, LuSpec& spec) {
    if (value == "none") spec.pivot = LuPivot::none;
    else if (value == "partial") spec.pivot = LuPivot::partial;
    else if (value == "full") spec.pivot = LuPivot::full;
    else if (value.starts_with("threshold:")) {
        const std::string_view number = value.substr(10);
        const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), spec.tau);
        if (error != std::errc{} || end != number.data() + number.size() || number.empty())
            fail(text, fmt::format("pivot={}: write threshold:TAU, 0 < TAU <= 1", value));
        spec.pivot = LuPivot::threshold;
    } else if (value == "tournament" || value.starts_with("tournament:")) {
        parse_tournament(text, value.substr(10), spec);
    } else fail(text, "pivot is none, partial, full, threshold:TAU or tournament[:COLUMNS[:ROWS]]");
}

} // namespace

LuSpec::LuSpec(const Format& f) : a(f), l(f), u(f), accumulator(f), product(f) {}

bool operator==(const LuSpec& x, const LuSpec& y) {
    for (const FormatField& field : kFormatFields)
        if (!(x.*field.member == y.*field.member)) return false;
    if (x.fixed != y.fixed || (x.fixed ? !(x.window == y.window) : !(x.accumulator == y.accumulator))) return false;
    if (x.exact_product != y.exact_product || (!x.exact_product && !(x.product == y.product))) return false;
    if (x.order != y.order || (x.order == LuOrder::blocked && x.block != y.block)) return false;
    if (x.pivot != y.pivot || (x.pivot == LuPivot::threshold && x.tau != y.tau)) return false;
    if (x.pivot == LuPivot::tournament &&
        (x.tournament_columns != y.tournament_columns || x.tournament_rows != y.tournament_rows))
        return false;
    return x.division == y.division && x.scale == y.scale && x.native == y.native;
}

void LuSpec::validate_bits() const {
    validate();
    if (native != LuNative::none)
        fail(to_string(*this), "only a device's own kernels form such sums, and no bits are promised: take engine gpu"
                               ", or leave sum=free out");
}

void LuSpec::validate() const {
    const auto check = [&](bool good, const std::string& what) {
        if (!good) fail(to_string(*this), what);
    };
    for (const FormatField& field : kFormatFields) {
        const Format& f = this->*field.member;
        check(f.valid(), fmt::format("{}= is no format", field.key));
        check(!f.is_fixed(), fmt::format("{}={} is fixed: the factors are floating; a fixed accumulator is "
                                         "acc=fixed[MSB:LSB]",
                                         field.key, mantissa::to_string(f)));
    }
    if (fixed) {
        check(window.msb > window.lsb && window.width() <= FixedWindow::kMaxWidth &&
                  window.lsb >= FixedWindow::kMinLsb && window.msb <= FixedWindow::kMaxMsb,
              "a fixed window is fixed[MSB:LSB] with LSB < MSB and at most 64 bits");
        check(exact_product, "product= has no meaning with a fixed window: its products are exact before they are cut");
    } else {
        check(accumulator.valid() && !accumulator.is_fixed(), "acc= is a floating format or fixed[MSB:LSB]");
        check(exact_product || (product.valid() && !product.is_fixed()), "product= is a floating format or exact");
    }
    if (native == LuNative::sums_free) {
        LuSpec plain(u);
        plain.pivot = pivot;
        plain.native = native;
        check((u == formats::kDouble || u == formats::kFloat) && *this == plain &&
                  (pivot == LuPivot::none || pivot == LuPivot::partial),
              "sum=free is of lu:double and lu:float, with pivot=none or partial and nothing else");
    }
    check(order != LuOrder::blocked || (block >= 1 && block <= kMaxBlock),
          fmt::format("order=blocked:NB has 1 to {} columns a panel", kMaxBlock));
    check(pivot != LuPivot::threshold || (tau > 0 && tau <= 1), "pivot=threshold:TAU has 0 < TAU <= 1");
    if (pivot == LuPivot::tournament) {
        check(tournament_columns >= 1 && tournament_columns <= kMaxBlock && tournament_rows >= tournament_columns &&
                  tournament_rows <= kMaxLeaf,
              fmt::format("pivot=tournament:COLUMNS:ROWS has 1 to {} columns, and from as many rows as columns to {}",
                          kMaxBlock, kMaxLeaf));
        check(order != LuOrder::blocked || block % tournament_columns == 0,
              fmt::format("pivot=tournament:{} chooses the pivots of {} columns at once, and order=blocked:{} has no "
                          "whole number of those in a panel: write a multiple",
                          tournament_columns, tournament_columns, block));
    }
    check(
        pivot != LuPivot::full || order == LuOrder::right,
        "pivot=full looks at the whole trailing matrix in each step, which order=crout and order=blocked do not have: "
        "write order=right");
}

int top_exponent(const LuSpec& spec, std::size_t n) {
    int top = std::min(spec.a.max_exponent(), spec.u.max_exponent());
    top = std::min(top, spec.fixed ? spec.window.msb - 1 : spec.accumulator.max_exponent());
    if (!spec.fixed && !spec.exact_product) top = std::min(top, spec.product.max_exponent());
    const int growth = static_cast<int>(std::bit_width(n)) * 2 / 3 + 2;
    return std::clamp(top - growth, 0, 64);
}

LuSpec parse_lu_spec(std::string_view text) {
    if (text.starts_with(kTensor)) {
        LuSpec spec(formats::kFloat);
        for (const TensorWords& words : kTensorWords)
            if (text.substr(kTensor.size()) == words.name) spec.native = words.value;
        if (!spec.tensor()) fail(text, "words of the tensor cores are half, half-pair, bfloat or bfloat-pair");
        return spec;
    }
    if (!text.starts_with("lu:")) fail(text, "it begins with lu: and a format, as in lu:s23e8 (or is tensor:WORDS)");
    const auto parts = split_fields(text.substr(3));
    LuSpec spec(parse_format(parts.front()));
    std::set<std::string_view> seen;
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const auto equals = parts[i].find('=');
        if (equals == std::string_view::npos)
            fail(text, fmt::format("'{}' is not KEY=VALUE; the keys are {}", parts[i], kKeys));
        const std::string_view key = parts[i].substr(0, equals), value = parts[i].substr(equals + 1);
        if (!seen.insert(key).second) fail(text, fmt::format("{}= is given twice", key));
        bool known = false;
        for (const FormatField& field : kFormatFields)
            if (key == field.key) {
                spec.*field.member = parse_format(value);
                known = true;
            }
        if (key == "acc") parse_accumulator(text, value, spec);
        else if (key == "order") parse_order(text, value, spec);
        else if (key == "pivot") parse_pivot(text, value, spec);
        else if (key == "product") {
            spec.exact_product = value == "exact";
            if (!spec.exact_product) spec.product = parse_format(value);
        } else if (key == "div") {
            if (value != "exact" && value != "reciprocal") fail(text, "div is exact or reciprocal");
            spec.division = value == "exact" ? LuDivision::exact : LuDivision::reciprocal;
        } else if (key == "scale") {
            if (value != "one" && value != "top") fail(text, "scale is one or top");
            spec.scale = value == "one" ? LuScale::one : LuScale::top;
        } else if (key == "sum") {
            if (value != "ordered" && value != "free") fail(text, "sum is ordered or free");
            spec.native = value == "free" ? LuNative::sums_free : LuNative::none;
        } else if (!known) fail(text, fmt::format("no field '{}'; the keys are {}", key, kKeys));
    }
    if (!seen.contains("product")) {
        spec.exact_product = spec.fixed;
        spec.product = spec.accumulator;
    }
    spec.validate();
    return spec;
}

std::string to_string(const LuSpec& spec) {
    for (const TensorWords& words : kTensorWords)
        if (spec.native == words.value) return std::string(kTensor) + std::string(words.name);
    std::string text = "lu:" + to_string(spec.u);
    if (!(spec.a == spec.u)) text += ",a=" + to_string(spec.a);
    if (!(spec.l == spec.u)) text += ",l=" + to_string(spec.l);
    if (spec.fixed) text += fmt::format(",acc=fixed[{}:{}]", spec.window.msb, spec.window.lsb);
    else if (!(spec.accumulator == spec.u)) text += ",acc=" + to_string(spec.accumulator);
    if (spec.exact_product != spec.fixed || (!spec.exact_product && !(spec.product == spec.accumulator)))
        text += ",product=" + (spec.exact_product ? std::string("exact") : to_string(spec.product));
    if (spec.order == LuOrder::crout) text += ",order=crout";
    if (spec.order == LuOrder::blocked) text += fmt::format(",order=blocked:{}", spec.block);
    if (spec.pivot == LuPivot::none) text += ",pivot=none";
    if (spec.pivot == LuPivot::full) text += ",pivot=full";
    if (spec.pivot == LuPivot::threshold) text += fmt::format(",pivot=threshold:{}", spec.tau);
    if (spec.pivot == LuPivot::tournament)
        text += fmt::format(",pivot=tournament:{}:{}", spec.tournament_columns, spec.tournament_rows);
    if (spec.division == LuDivision::reciprocal) text += ",div=reciprocal";
    if (spec.scale == LuScale::top) text += ",scale=top";
    if (spec.native != LuNative::none) text += ",sum=free";
    return text;
}

} // namespace mantissa
