// mantissa help: pages about specs, problems, files and exit codes, each subcommand's own, the manual page, and
// completion for bash.
#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "mantissa/base/quoted.hpp"
#include "options/written.hpp"
#include "pages.hpp"

namespace mantissa::cli {

namespace help {

void add_footers(CLI::App& app) {
    for (CLI::App* sub : app.get_subcommands({})) {
        std::string end;
        for (std::string_view rest = examples(sub->get_name()); !rest.empty();) {
            const std::size_t line = rest.find('\n');
            end += (end.empty() ? "Examples:\n  " : "  ") + std::string(rest.substr(0, line)) + "\n";
            rest.remove_prefix(line + 1);
        }
        if (sub->get_name() == kSolve.name) end += "\n" + axes();
        const bool solves =
            std::ranges::any_of(commands(), [&](const Command& c) { return c.solves && sub->get_name() == c.name; });
        end += fmt::format("\nExit codes: 0 done, {}2 a wrong request or a missing tool.\n",
                           solves ? "1 not converged or engines differ, " : "");
        end += "More: mantissa help lists pages about specs, problems, files and the environment.";
        sub->footer(end);
    }
    app.footer("mantissa SUBCOMMAND --help has its options and examples; mantissa help lists further pages.");
}

namespace {

constexpr std::string_view kMan = "man", kCompletion = "completion", kOptions = "options", kKeywords = "keywords",
                           kRecurrences = "recurrences";

std::string contents(const CLI::App& app) {
    std::string text = "mantissa help TOPIC, where TOPIC is one of\n\n";
    for (const Topic& topic : topics()) text += fmt::format("  {:<14}{}\n", topic.name, topic.summary);
    text += fmt::format("  {:<14}what iterates: formulas, and what an iteration moves and waits for\n", kRecurrences);
    text += fmt::format("  {:<14}the manual page: mantissa help man > mantissa.1\n", kMan);
    text += fmt::format("  {:<14}the options of a solve, in Markdown: docs/options.md\n", kOptions);
    text += fmt::format("  {:<14}the same as keywords of Python: python/mantissa/_options.py\n", kKeywords);
    text += fmt::format("  {:<14}for bash: source <(mantissa help completion)\n\nor a subcommand\n\n", kCompletion);
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
        text += fmt::format("  {:<14}{}\n", sub->get_name(), sub->get_description());
    return text + "\nor an option of one, as mantissa help inner: what it is, and commands with it\n";
}

std::string page(const CLI::App& app, const std::string& wanted) {
    if (wanted.empty()) return contents(app);
    for (const Topic& topic : topics())
        if (wanted == topic.name || wanted == std::string(topic.name) + "s") return topic.text; // "problems" too
    if (wanted == kMan) return man_page(app, app.version());
    if (wanted == kCompletion) return bash_completion(app);
    if (wanted == kOptions) return options::reference_page();
    if (wanted == kRecurrences) return recurrences();
    if (wanted == kKeywords) return options::python_keywords();
    for (CLI::App* sub : const_cast<CLI::App&>(app).get_subcommands({}))
        if (wanted == sub->get_name()) return sub->help("mantissa");
    if (const std::string text = option_page(app, wanted); !text.empty()) return text;
    std::string names;
    for (const Topic& topic : topics()) names += std::string(topic.name) + ", ";
    throw InvalidInput(fmt::format("help {}: no such page; give {}{}, {}, {}, {}, {}, a subcommand or an option",
                                   base::quoted(wanted), names, kRecurrences, kMan, kCompletion, kOptions, kKeywords));
}

Run setup_help(CLI::App& app, const std::string&) {
    const auto topic = std::make_shared<std::string>();
    app.add_option("topic", *topic,
                   "spec, problem, recurrences, files, environment, exit-codes, man, completion, options, keywords, or "
                   "a subcommand, or an option: help inner");
    return [topic, &app] {
        fmt::print("{}", page(*app.get_parent(), *topic));
        return int{kDone};
    };
}

} // namespace

} // namespace help

const Command kHelp{"help", "Pages about specs, problems, files, exit codes; the manual; completion", help::setup_help};

} // namespace mantissa::cli
