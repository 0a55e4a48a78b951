// The manual page, in roff's man macros, from what the program declares.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "pages.hpp"

namespace mantissa::cli::help {

namespace {

/// Text that roff shows as it is.
std::string escaped(std::string_view text) {
    std::string out;
    bool line_begins = true;
    for (const char c : text) {
        if (line_begins && (c == '.' || c == '\'')) out += "\\&";
        if (c == '\\') out += "\\e";
        else if (c == '-') out += "\\-";
        else out += c;
        line_begins = c == '\n';
    }
    return out;
}

std::string option_entry(const CLI::Option& option) {
    std::string name = option.get_name(false, true);
    if (const std::string type = option.get_type_name(); option.get_type_size() != 0 && !type.empty())
        name += " " + type;
    std::string text = fmt::format(".TP\n.B {}\n{}", escaped(name), escaped(option.get_description()));
    if (const std::string value = option.get_default_str(); !value.empty() && value != "false")
        text += fmt::format(" (default: {})", escaped(value));
    return text + "\n";
}

std::string subcommand_section(const CLI::App& sub) {
    std::string text = fmt::format(".SS {}\n{}.\n", escaped(sub.get_name()), escaped(sub.get_description()));
    for (const CLI::Option* option : sub.get_options())
        if (option->get_name() != "--help") text += option_entry(*option);
    for (const CLI::App* inner : sub.get_subcommands([](const CLI::App*) { return true; })) {
        text += fmt::format(".PP\n.B {} {}\n.br\n{}.\n", escaped(sub.get_name()), escaped(inner->get_name()),
                            escaped(inner->get_description()));
        for (const CLI::Option* option : inner->get_options())
            if (option->get_name() != "--help") text += option_entry(*option);
    }
    if (const std::string_view lines = examples(sub.get_name()); !lines.empty())
        text += fmt::format(".PP\nExamples:\n.nf\n.RS\n{}.RE\n.fi\n", escaped(lines));
    return text;
}

std::string topic_section(const char* heading, std::string_view topic) {
    for (const Topic& t : topics())
        if (topic == t.name) return fmt::format(".SH {}\n.nf\n{}.fi\n", heading, escaped(t.text));
    return {};
}

} // namespace

std::string man_page(const CLI::App& app, std::string_view version) {
    std::string text = fmt::format(".TH MANTISSA 1 \"\" \"{}\" \"User commands\"\n", escaped(version));
    text += ".ad l\n.SH NAME\nmantissa \\- number formats for solvers, from bits to area and time\n"
            ".SH SYNOPSIS\n.B mantissa\n.I subcommand\n[options]\n.SH DESCRIPTION\n";
    text += escaped(app.get_description()) + "\n.SH SUBCOMMANDS\n";
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
        text += subcommand_section(*sub);
    return text + topic_section("SPECS", "spec") + topic_section("PROBLEMS", "problem") +
           topic_section("FILES", "files") + topic_section("ENVIRONMENT", "environment") +
           topic_section("EXIT STATUS", "exit-codes");
}

} // namespace mantissa::cli::help
