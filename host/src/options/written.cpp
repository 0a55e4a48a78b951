#include "written.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "text/tables/table.hpp"
#include "values.hpp"

namespace mantissa::options {

namespace {

std::string takes(const Option& option) {
    switch (option.type) {
    case Type::truth:
        return "yes or no";
    case Type::choice:
        return fmt::format("{}", fmt::join(option.choices, ", "));
    case Type::text:
        return "text";
    case Type::format:
        return option.get == nullptr ? "a format or a datapath" : "a format";
    case Type::formats:
        return "formats";
    case Type::spec:
        return "a datapath";
    case Type::schedule:
        return "datapaths, each below a defect";
    default:
        return range_text(option) + (option.unit.empty() ? "" : fmt::format(" ({})", option.unit));
    }
}

std::string annotation(const Option& option) {
    switch (option.type) {
    case Type::truth:
        return "bool";
    case Type::whole:
    case Type::integer:
        return "int";
    case Type::number:
        return "float";
    case Type::format:
        return "FormatLike";
    case Type::formats:
        return "Union[str, Sequence[FormatLike]]";
    case Type::schedule:
        return "Union[str, Sequence[tuple[float, FormatLike]]]";
    default:
        return "str";
    }
}

std::string python_value(const Option& option) {
    if (option.default_text.empty()) return option.type == Type::truth ? "False" : "None";
    if (option.type == Type::truth) return option.default_text == "true" ? "True" : "False";
    const bool number = option.type == Type::whole || option.type == Type::integer || option.type == Type::number;
    return number ? std::string(option.default_text) : fmt::format("\"{}\"", option.default_text);
}

std::string joined(const std::vector<RecurrenceChoice>& recurrences) {
    std::string text;
    for (const RecurrenceChoice& r : recurrences) text += (text.empty() ? "" : " or ") + to_string(r);
    return text;
}

} // namespace

std::string solver_text(const SolveOptions& options, bool (*used)(const Option&, const SolveOptions&)) {
    constexpr std::array<std::string_view, 6> kElsewhere{"scheme",         "spec",      "schedule",
                                                         "max-iterations", "tolerance", "stop"};
    std::string text = scheme_name(options);
    for (const Option& option : table()) {
        const bool elsewhere =
            option.group == Group::output || std::ranges::find(kElsewhere, option.name) != kElsewhere.end();
        if (elsewhere || option.get == nullptr || !used(option, options)) continue;
        const auto value = option.get(options);
        if (!value) continue;
        const std::string written = text_of(*value);
        // (the inner iterations are said always: they are the first thing to ask of a solve that refines)
        if (written == option.default_text && option.name != "inner") continue;
        text += ", " + spelt(option);
        if (option.type != Type::truth) text += "=" + written;
    }
    return text;
}

std::string ends_text(const SolveOptions& options) {
    std::string text = stop_text(options);
    if (options.max_iterations != 0) text += fmt::format(", max_iterations={}", options.max_iterations);
    return text;
}

std::string scheme_table() {
    const text::Table table("  {--scheme:<20} {recurrence:<36} {preconditioner:<21} {outer loop}");
    std::string text = table.head();
    for (const SchemeAxes& s : schemes())
        text += table.row({s.name, joined(s.recurrences), s.preconditioner, s.outer_loop});
    return text;
}

std::string reference_page(std::span<const Option> among) {
    using text::code;
    const text::Table short_forms("{`--scheme`}{recurrence}{preconditioner}{outer loop}{}", text::Markup::markdown);
    const text::Table table("{option}{takes}{default}{}{since}", text::Markup::markdown);
    std::string text =
        "# Options of a solve\n\n"
        "Made by `mantissa help options` from the table in `host/src/options/table.cpp`; a test holds "
        "this page to it.\n"
        "An option `max-iterations` is `--max-iterations` on the command line, `max_iterations` in sweep "
        "files, in JSON, in\nthe columns of a store and as a keyword of Python's `solve()` and "
        "`simulate()`.\n\n## Schemes\n\n" +
        short_forms.head();
    for (const SchemeAxes& s : schemes())
        text += short_forms.row({code(s.name), joined(s.recurrences), s.preconditioner, s.outer_loop, s.note});
    const auto rows_of = [&table](std::span<const Option> options, auto&& wanted) {
        std::string rows;
        const auto by_names = [](const Option& o) {
            if (!o.on_commands) return std::string(" In sweep files alone.");
            if (!o.no.empty()) return fmt::format(" `--{}` says no.", o.no);
            return o.earlier.empty() ? "" : fmt::format(" In files and Python also `{}`.", o.earlier);
        };
        for (const Option& o : options) {
            if (!wanted(o)) continue;
            std::string beside;
            for (const std::string_view other : o.excludes) beside += fmt::format(" Not beside `{}`.", other);
            rows += table.row({code(o.name), takes(o), o.default_text.empty() ? "" : code(o.default_text),
                               fmt::format("{}.{}{}", o.help, beside, by_names(o)), o.since});
        }
        return rows;
    };
    for (const Group group : kGroups)
        if (const std::string rows = rows_of(among, [&](const Option& o) { return o.group == group; }); !rows.empty())
            text += fmt::format("\n## {}\n\n{}{}", title(group), table.head(), rows);
    text +=
        "\n## Of dense systems\n\nFor `solve --dense`, a `[[dense]]` grid of a sweep file and Python's "
        "`solve_dense()`, from the table in\n`host/src/options/dense.cpp`. Files and Python begin with lu:s10e5 and a "
        "GMRES tolerance of 1e-4, and GMRES\nends there alone. A grid has no `method`: the rows of a store are of "
        "factors.\n\n" +
        table.head() + rows_of(dense(), [](const Option&) { return true; });
    return text + fmt::format("\n## Of commands\n\nAs `solve` has them, in the table of `host/src/options/common.cpp`; "
                              "other commands have some, and say in their help where they\nmean something else. "
                              "`{}` and `{}` are keys of sweep files, of JSON and of a store, too.\n\n{}{}",
                              common(Common::problem).name, common(Common::engine).name, table.head(),
                              rows_of(common(), [](const Option&) { return true; }));
}

std::string python_keywords(std::span<const Option> among) {
    std::string fields, defaults, dense_fields;
    for (const Option& o : among) {
        if (!o.on_commands || names_datapath(o)) continue;
        fields += fmt::format("    {}: Optional[{}]\n", spelt(o), annotation(o));
        defaults += fmt::format("    \"{}\": {},\n", spelt(o), python_value(o));
    }
    for (const Option& o : dense()) dense_fields += fmt::format("    {}: Optional[{}]\n", spelt(o), annotation(o));
    return fmt::format(
        R"("""Keywords of solve(), simulate() and solve_dense(). Made by `mantissa help keywords`; a test holds this file to it.

docs/options.md explains them.
"""

from __future__ import annotations

from typing import Any, Optional, Sequence, TypedDict, Union

from .formats import FormatLike


class SolveOptions(TypedDict, total=False):
    """Options of a solve beside its problem and datapath. None stands for the default."""

{}

DEFAULTS: dict[str, Any] = {{
{}}}


class DenseOptions(TypedDict, total=False):
    """Options of a dense solve. None stands for the default."""

{})",
        fields, defaults, dense_fields);
}

} // namespace mantissa::options
