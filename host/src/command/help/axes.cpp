// The axes of a solve for `mantissa help solve`, and the reference of all options.
#include <set>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "options/written.hpp"
#include "pages.hpp"

namespace mantissa::cli::help {

namespace {

constexpr const char* kPicture = R"(A solve is a product of choices that know nothing of each other:

    --problem        what A u = b is: a grid, a matrix file, a mesh
       |
    --outer-loop     in double precision: d = b - A u, and how a correction enters u
       |   d down, a correction up
    --recurrence     the iteration inside, in the datapath of --format or --spec
       |   with --preconditioner
    --engine         who computes the datapath; all of them give the same bits
       |
    --parts, --gpus  where the vectors lie: threads, ranks, devices

)";

/// What the command has beside the table of options.
std::string further_options(const CLI::App& solve) {
    std::set<std::string> in_table;
    for (const options::Option& option : options::table())
        if (option.on_commands) in_table.insert(fmt::format("--{}", option.name));
    std::string text = "\n## Of the command alone\n\n| option | | default |\n|---|---|---|\n";
    for (const CLI::Option* option : solve.get_options()) {
        const std::string name = option->get_name(false, true);
        if (name.find("--help") != std::string::npos || in_table.contains(name)) continue;
        std::string help;
        for (const char c : option->get_description()) help += c == '|' ? std::string("\\|") : std::string(1, c);
        const std::string value = option->get_default_str();
        text += fmt::format("| `{}` | {} | {} |\n", name, help, value.empty() ? "" : fmt::format("`{}`", value));
    }
    return text;
}

} // namespace

std::string axes() {
    return kPicture + std::string("A scheme is a short name for three of them:\n\n") + options::scheme_table();
}

std::string options_page(const CLI::App& app) {
    return options::reference_page() + further_options(*app.get_subcommand(kSolve.name));
}

} // namespace mantissa::cli::help
