#include "space.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mantissa/base/quoted.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/options.hpp"
#include "text/key_values.hpp"

namespace mantissa::tuning {

namespace {

/// Words of u and the defect of a solve by cycles.
constexpr Format kCycleOuter = kResidentIterate;

constexpr AxisHelp kAxes[] = {
    {"words", "fixed,floating,cycle", "all", "what r, p and q are; or a multilevel cycle in words in place of CG",
     "fixed"},
    {"bits", "10..26", "CG", "bits of r, p and q: of a fixed word all of them, of a floating number its fraction's",
     "10..30", 2, 53},
    {"whole", "2,3", "fixed", "of these, bits before the point, the sign among them", "2..6", 1, 52},
    {"longer", "4,7,10", "fixed", "bits that u has more; the first five of them after the point", "4,7,10,13", 0, 51},
    {"factor", "10..17", "fixed", "fraction bits of alpha and beta where they meet a vector (operand=)", {}, 2, 52},
    {"scalar", "15,17,19,21,23", "fixed", "fraction bits in which alpha and beta are formed", {}, 2, 52},
    {"coef", "8,10,12,14,16,18,20", "streamed", "bits of a coefficient; stencils have their own",
     "8,10,12,14,16,18,20,22,24", 2, 53},
    {"exponent", "8,11", "floating", "exponent bits", {}, 2, 11},
    {"order", "chain,flux,second-difference", "floating", "how a row is formed"},
    {"window", "no,yes", "floating", "are dot products summed in a fixed window, dot=fixed[13:-50]?"},
    {"lanes", "1,2,4", "grid", "elements that a core takes a clock", {}, 1, 256},
    {"inner", "5,7,10,14,20,28,40", "CG", "inner iterations of an outer step", {}, 1, 1000},
    {"smoothing", "b1,b2,b3,v11,v12,v22", "cycle", "of a cycle: steps on the way down alone, or before and after"},
    {"word", "6..14", "cycle", "bits of a word of r as it enters a level", {}, 4, 16},
    {"found", "4,5,6,7", "cycle", "bits that a word of what smoothing found has more", {}, 0, 20},
    {"headroom",
     "adapted,0,1",
     "fixed",
     "bits that a defect leaves free; adapted: as the last step needed them",
     {},
     0,
     40},
};

/// "10..26", "a,b,c" or one value, as a list; a whole number as it is printed (018 is 18). Empty where it is none.
std::vector<std::string> listed_values(std::string_view text) {
    constexpr std::int64_t kMost = 1000;
    std::vector<std::string> list;
    if (const auto dots = text.find(".."); dots != std::string_view::npos) {
        std::int64_t low = 0, high = 0;
        if (!text::read_number(text.substr(0, dots), low) || !text::read_number(text.substr(dots + 2), high) ||
            low < 0 || low > high || high > kMost)
            return {};
        for (std::int64_t v = low; v <= high; ++v) list.push_back(std::to_string(v));
        return list;
    }
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        if (end == at) return {};
        const std::string_view value = text.substr(at, end - at);
        std::int64_t number = 0;
        list.push_back(text::read_number(value, number) ? std::to_string(number) : std::string(value));
        at = end + 1;
    }
    return list;
}

bool is_number(std::string_view text) {
    int value = 0;
    return text::read_number(text, value);
}

const AxisHelp& help_of(std::string_view name) {
    return *std::find_if(std::begin(kAxes), std::end(kAxes), [&](const AxisHelp& a) { return a.name == name; });
}

/// An axis of numbers takes any within its bounds; one of names those of its list.
void check_value(const AxisHelp& axis, const std::string& value, const char* option) {
    const std::vector<std::string> known = listed_values(axis.values);
    const bool named = std::find(known.begin(), known.end(), value) != known.end();
    const bool numbers = std::any_of(known.begin(), known.end(), is_number);
    int number = 0;
    const bool fits =
        numbers && text::read_number(std::string_view(value), number) && number >= axis.least && number <= axis.most;
    if (!named && !fits)
        throw InvalidInput(
            fmt::format("{} {}={}: {} takes {}", option, axis.name, base::shortened(value), axis.name,
                        numbers ? fmt::format("whole numbers from {} to {}, as {}", axis.least, axis.most, axis.values)
                                : axis.values));
}

/// The values that `text`, NAME=VALUES, lists; there must be some.
std::vector<std::string> values_of(const std::string& text, std::string_view name, std::string_view values,
                                   const char* option) {
    std::vector<std::string> list = listed_values(values);
    if (list.empty())
        throw InvalidInput(fmt::format("{} {}: no values; write {}=A..B or {}=A,B,C, of numbers up to 1000", option,
                                       base::quoted(text), name, name));
    return list;
}

/// "k=v" taken apart; the axis must be one.
std::pair<std::string_view, std::string_view> taken_apart(const std::string& text, const char* option) {
    const std::size_t at = text.find('=');
    const std::string_view name = std::string_view(text).substr(0, at);
    const bool known =
        std::any_of(std::begin(kAxes), std::end(kAxes), [&](const AxisHelp& a) { return a.name == name; });
    if (at == std::string::npos || at + 1 == text.size() || !known) {
        std::vector<std::string_view> names;
        for (const AxisHelp& a : kAxes) names.push_back(a.name);
        throw InvalidInput(fmt::format("{} {}: {}; the axes are {}", option, base::quoted(text),
                                       known || at == std::string::npos ? "write AXIS=VALUE" : "no such axis",
                                       fmt::join(names, ", ")));
    }
    return {name, std::string_view(text).substr(at + 1)};
}

} // namespace

std::span<const AxisHelp> axis_table() {
    return kAxes;
}

Space::Space(std::string_view rows, const Narrowing& narrowing)
    : streams_(rows != "constant"), sparse_(rows == "sparse") {
    for (const AxisHelp& a : kAxes)
        axes_.push_back({a.name, listed_values(sparse_ && !a.sparse.empty() ? a.sparse : a.values)});
    const auto axis = [&](std::string_view name) -> Axis& { return axes_[index(name)]; };
    std::map<std::string_view, std::string> given; // axis, and what gave its values
    const auto give = [&](const std::vector<std::string>& list, const char* option) {
        for (const std::string& text : list) {
            const auto [name, values] = taken_apart(text, option);
            const std::string words = fmt::format("{} {}", option, base::shortened(text));
            if (const auto [before, fresh] = given.emplace(name, words); !fresh)
                throw InvalidInput(fmt::format("{}: {} is given twice, by {} too; leave one of the two out", words,
                                               name, before->second));
            std::vector<std::string> now = values_of(text, name, values, option);
            for (const std::string& v : now) check_value(help_of(name), v, option);
            if (std::set<std::string>(now.begin(), now.end()).size() != now.size())
                throw InvalidInput(fmt::format("{}: a value is given twice; give each once", words));
            axis(name).values = std::move(now);
        }
    };
    give(narrowing.vary, "--vary");
    for (const std::string& text : narrowing.fix)
        if (text.find(',') != std::string::npos || text.find("..") != std::string::npos)
            throw InvalidInput(fmt::format("--fix {}: one value; use --vary for several", base::quoted(text)));
    give(narrowing.fix, "--fix");
    for (const std::string& text : narrowing.no) {
        const auto [name, values] = taken_apart(text, "--no");
        for (const std::string& v : values_of(text, name, values, "--no"))
            if (std::erase(axis(name).values, v) == 0)
                throw InvalidInput(fmt::format("--no {}={}: {} is none of its values ({})", name, v, v,
                                               fmt::join(axis(name).values, ", ")));
        if (axis(name).values.empty())
            throw InvalidInput(fmt::format("--no {}: no value of {} is left", base::quoted(text), name));
    }
    std::erase_if(axis("words").values, [&](const std::string& v) { return (v == "cycle") != (rows == "cycle"); });
    for (const Axis& a : axes_) sizes_.push_back(a.values.size());
}

std::size_t Space::index(std::string_view name) const {
    return static_cast<std::size_t>(
        std::find_if(axes_.begin(), axes_.end(), [&](const Axis& a) { return a.name == name; }) - axes_.begin());
}

bool Space::used(const Axis& axis, std::string_view words) const {
    const std::string_view of = help_of(axis.name).of;
    if (of == "streamed") return streams_ && words == "fixed";
    if (of == "grid") return !sparse_ && words == "fixed";
    if (of == "CG") return words != "cycle";
    return of == "all" || of == words;
}

bool Space::uses(std::string_view axis) const {
    return std::ranges::any_of(axes_[index("words")].values,
                               [&](const std::string& words) { return used(axes_[index(axis)], words); });
}

double Space::points() const {
    double all = 0;
    for (const std::string& words : axes_[index("words")].values) {
        double these = 1;
        for (const Axis& a : axes_) {
            if (a.name != "words" && used(a, words)) these *= static_cast<double>(a.values.size());
        }
        all += these;
    }
    return all;
}

std::string_view Space::value(const Choice& choice, std::string_view axis) const {
    const std::size_t i = index(axis);
    return axes_[i].values[choice[i]];
}

int Space::number(const Choice& choice, std::string_view axis) const {
    int number = 0;
    text::read_number(value(choice, axis), number);
    return number;
}

Choice Space::canonical(Choice choice) const {
    const std::string_view words = value(choice, "words");
    for (std::size_t i = 0; i < axes_.size(); ++i) {
        if (!used(axes_[i], words)) choice[i] = 0;
    }
    return choice;
}

SolveOptions Space::options(const Choice& choice, double tolerance) const {
    const auto n = [&](std::string_view axis) { return number(choice, axis); };
    SolveOptions o;
    o.tolerance = tolerance;
    if (value(choice, "words") == "cycle") {
        const int word = n("word");
        o.scheme = Scheme::defect_correction;
        o.preconditioner =
            parse_cycle_spec(fmt::format("{},w={},f={}", value(choice, "smoothing"), word, word + n("found")));
        o.outer = kCycleOuter;
        return o;
    }
    std::string spec;
    const bool fixed = value(choice, "words") == "fixed";
    if (fixed) {
        const int word = n("bits"), fraction = word - n("whole"), longer = n("longer");
        spec = fmt::format("fx{}.{},u=fx{}.{},operand=s{}e8,scalar=s{}e8:rne", word, fraction, word + longer,
                           fraction + std::min(5, longer), n("factor"), n("scalar"));
        if (streams_) spec += fmt::format(",coef=fx{0}.{1}", n("coef"), n("coef") - 1);
        if (!sparse_ && n("lanes") > 1) spec += fmt::format(",lanes={}", n("lanes"));
    } else {
        spec = fmt::format("s{}e{}", n("bits"), n("exponent"));
        if (value(choice, "order") != "chain") spec += fmt::format(",order={}", value(choice, "order"));
        if (value(choice, "window") == "yes") spec += ",dot=fixed[13:-50]";
    }
    o.spec = parse_spec(spec);
    o.inner = static_cast<std::uint64_t>(n("inner"));
    o.jacobi = sparse_; // a core's coefficients lie within -1 and 1
    if (fixed && value(choice, "headroom") != "adapted") o.headroom = n("headroom");
    return o;
}

} // namespace mantissa::tuning
