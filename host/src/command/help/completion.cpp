// Completion for bash, from what the program declares.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "mantissa/host/options.hpp"
#include "pages.hpp"

namespace mantissa::cli::help {

namespace {

const auto kAll = [](const CLI::App*) { return true; };

std::string words_of(const CLI::App& app) {
    std::string words;
    for (const CLI::App* sub : app.get_subcommands(kAll)) words += sub->get_name() + " ";
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) words += "--" + name + " ";
        for (const std::string& name : option->get_snames()) words += "-" + name + " ";
    }
    if (!words.empty()) words.pop_back();
    return words;
}

/// What an option of a solve takes, where that is one of a few words.
std::string choices() {
    std::string cases;
    for (const options::Option& option : options::table())
        if (option.on_commands && option.type == options::Type::choice)
            cases += fmt::format("    'solve --{0}' | 'simulate --{0}') words=\"{1}\" ;;\n", option.name,
                                 fmt::join(option.choices, " "));
    return cases;
}

} // namespace

std::string bash_completion(const CLI::App& app) {
    std::string cases;
    for (const CLI::App* sub : app.get_subcommands(kAll)) {
        std::string words = words_of(*sub);
        if (sub->get_name() == "help") {
            for (const Topic& topic : topics()) words += std::string(" ") + topic.name;
            words += " recurrences man completion options keywords";
            for (const CLI::App* other : app.get_subcommands(kAll)) words += " " + other->get_name();
        }
        cases += fmt::format("    {}) words=\"{}\" ;;\n", sub->get_name(), words);
        for (const CLI::App* inner : sub->get_subcommands(kAll))
            cases +=
                fmt::format("    '{} {}') words=\"{}\" ;;\n", sub->get_name(), inner->get_name(), words_of(*inner));
    }
    // An option's value may be a file; so files are offered wherever no word of ours fits.
    return fmt::format(R"(# Completion of mantissa's subcommands, options and files: source <(mantissa help completion)
_mantissa() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" words="" key="${{COMP_WORDS[1]}}"
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W "{}" -- "$current"))
        return
    fi
    if ((COMP_CWORD > 2)) && [[ $key == bench && ${{COMP_WORDS[2]}} != -* ]]; then key="$key ${{COMP_WORDS[2]}}"; fi
    case "$key" in
{}    esac
    case "$key ${{COMP_WORDS[COMP_CWORD - 1]}}" in
{}    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    if ((${{#COMPREPLY[@]}} == 0)); then COMPREPLY=($(compgen -f -- "$current")); fi
}}
complete -o filenames -F _mantissa mantissa
)",
                       words_of(app), cases, choices());
}

} // namespace mantissa::cli::help
