// The axes of a solve for `mantissa help solve`, and the reference of all options.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command/options/declare.hpp"
#include "options/written.hpp"
#include "pages.hpp"

namespace mantissa::cli::help {

namespace {

constexpr const char* kPicture = R"(A solve is a product of choices that know nothing of each other:

    --problem        what A u = b is: a grid, a matrix file, a mesh
       |
    --outer-loop     in double precision: d = b - A u, and how a correction enters u
       |   d down, a correction up
    --recurrence     what iterates inside (help recurrences), in the datapath of --format or --spec
       |   with --preconditioner
    --engine         who computes the datapath; all of them give the same bits
       |
    --parts, --gpus  where the vectors lie: threads, ranks, devices

)";

/// What `solve` has beside the tables of options.
std::string further_options(const CLI::App& solve) {
    std::string text = "\n## Of dense systems\n\n| option of `solve` | | default |\n|---|---|---|\n";
    for (const CLI::Option* option : solve.get_options()) {
        const std::string name = option->get_name();
        if (name.find("--help") != std::string::npos || declared_as(name) != nullptr) continue;
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
