#include "mantissa/multilevel/cycle_spec.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "../spec_text.hpp"
#include "mantissa/format.hpp"

namespace mantissa {

namespace {

/// A number of bits, or one for each level.
struct BitsField {
    std::string_view key;
    std::vector<int> CycleSpec::*member;
    int least, most;
};
constexpr BitsField kBitsFields[] = {{"w", &CycleSpec::w, 4, 16},
                                     {"f", &CycleSpec::f, 4, 24},
                                     {"e", &CycleSpec::e, 4, 24},
                                     {"c", &CycleSpec::c, 4, 16},
                                     {"p", &CycleSpec::p, 4, 16}};
constexpr int kMostGuard = 8, kFindings = 7;
constexpr std::size_t kMostLists = 16;

[[noreturn]] void fail(std::string_view text, const std::string& what) {
    throw InvalidInput(fmt::format("cycle '{}': {}", text.substr(0, 120), what));
}

/// Bits of f where none are given: of w and a few more, level by level.
std::vector<int> usual_f(const std::vector<int>& w) {
    std::vector<int> f = w;
    for (int& bits : f) bits += kFindings;
    return f;
}

/// "b2", "v11": how often to smooth.
void parse_shape(std::string_view text, std::string_view shape, CycleSpec& spec) {
    const auto digit = [&](std::size_t at, int least) {
        const int steps = at < shape.size() ? shape[at] - '0' : -1;
        if (steps < least || steps > kMostSmoothing)
            fail(text, fmt::format("begin with b<steps> or v<before><after>, {} to {} steps each, as b2 or v11", least,
                                   kMostSmoothing));
        return steps;
    };
    const bool v = shape.starts_with('v');
    if ((!v && !shape.starts_with('b')) || shape.size() != (v ? 3 : 2))
        fail(text, "begin with the cycle's shape, b<steps> or v<before><after>, as b2 or v11");
    spec.before = digit(1, 1);
    spec.after = v ? digit(2, 1) : 0;
}

std::vector<int> parse_bits(std::string_view text, const BitsField& field, std::string_view value) {
    std::vector<int> bits;
    for (std::size_t begin = 0; begin <= value.size();) {
        const std::size_t end = std::min(value.find('/', begin), value.size());
        const std::optional<int> number = spec_text::to_int(value.substr(begin, end - begin));
        if (!number || *number < field.least || *number > field.most)
            fail(text, fmt::format("{}= takes {} to {} bits, one number or several for the levels, as {}=10/8",
                                   field.key, field.least, field.most, field.key));
        bits.push_back(*number);
        begin = end + 1;
    }
    if (bits.size() > kMostLists) fail(text, fmt::format("{}= has more than {} levels", field.key, kMostLists));
    while (bits.size() > 1 && bits.back() == bits[bits.size() - 2]) bits.pop_back();
    return bits;
}

/// An interpolation's bits where nothing is said of them.
std::vector<int> usual_p(const std::vector<int>& c) {
    std::vector<int> bits;
    for (const int of_c : c) bits.push_back(std::max(kUsualInterpolation, of_c));
    while (bits.size() > 1 && bits.back() == bits[bits.size() - 2]) bits.pop_back();
    return bits;
}

/// A sum's where nothing is said of them: coefficients of more bits leave e in a sum of 32 too short to be of use.
int usual_sums(const std::vector<int>& c) {
    constexpr int kMostBeside32 = 12;
    return std::ranges::max(c) > kMostBeside32 ? 64 : 32;
}

} // namespace

std::string to_string(const CycleSpec& spec) {
    std::string text =
        spec.after == 0 ? fmt::format("b{}", spec.before) : fmt::format("v{}{}", spec.before, spec.after);
    if (spec.in_double) return text + ",w=double";
    CycleSpec usual;
    usual.f = usual_f(spec.w);
    if (spec.p == usual_p(spec.c)) usual.p = spec.p;
    for (const BitsField& field : kBitsFields)
        if (const auto& bits = spec.*field.member; field.key == "w" || bits != usual.*field.member)
            text += fmt::format(",{}={}", field.key, fmt::join(bits, "/"));
    if (spec.sums != usual_sums(spec.c)) text += fmt::format(",s={}", spec.sums);
    if (spec.guard != usual.guard) text += fmt::format(",g={}", spec.guard);
    return text;
}

CycleSpec parse_cycle_spec(std::string_view text) {
    CycleSpec spec;
    std::set<std::string_view> seen;
    const std::vector<std::string_view> parts = spec_text::split_fields(text);
    parse_shape(text, parts.front(), spec);
    for (std::size_t k = 1; k < parts.size(); ++k) {
        const std::size_t equals = parts[k].find('=');
        if (equals == std::string_view::npos) fail(text, "write its fields as w=10,f=16,e=16,c=12,p=14,s=64,g=4");
        const std::string_view key = parts[k].substr(0, equals), value = parts[k].substr(equals + 1);
        if (!seen.insert(key).second) fail(text, fmt::format("{}= is given twice", key.substr(0, 20)));
        if (key == "w" && value == "double") {
            spec.in_double = true;
        } else if (key == "g") {
            const std::optional<int> bits = spec_text::to_int(value);
            if (!bits || *bits < 0 || *bits > kMostGuard) fail(text, fmt::format("g= takes 0 to {} bits", kMostGuard));
            spec.guard = *bits;
        } else if (key == "s") {
            if (value != "32" && value != "64") fail(text, "s= takes 32 or 64 bits");
            spec.sums = value == "64" ? 64 : 32;
        } else {
            const auto* field = std::find_if(std::begin(kBitsFields), std::end(kBitsFields),
                                             [&](const BitsField& f) { return f.key == key; });
            if (field == std::end(kBitsFields))
                fail(text, fmt::format("there is no field '{}'; write w, f, e, c, p, s or g", key.substr(0, 20)));
            spec.*field->member = parse_bits(text, *field, value);
        }
    }
    if (spec.in_double && seen.size() > 1) fail(text, "with w=double there are no other bits: leave them out");
    if (seen.count("f") == 0) spec.f = usual_f(spec.w);
    if (seen.count("s") == 0) spec.sums = usual_sums(spec.c);
    if (spec.p == usual_p(spec.c)) spec.p.clear();
    return spec;
}

} // namespace mantissa
