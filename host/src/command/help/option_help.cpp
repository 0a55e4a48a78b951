// mantissa help OPTION: what every command says of an option, and commands with it.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command/options/solve_flags.hpp"
#include "pages.hpp"

namespace mantissa::cli::help {

namespace {

/// Commands with the options of a solve that the commands' own examples lack. tests/docs/check_commands.py runs them,
/// and looks whether an option has none.
constexpr std::array<std::string_view, 24> kMore{
    "mantissa solve --problem poisson2d:level=6 --format s10e8 --scheme defect-correction --middle s36e11,s23e8 "
    "--middle-digits 3",
    "mantissa solve --problem poisson2d:level=6 --schedule '1:s52e11;2e-3:s23e8'",
    "mantissa solve --problem poisson2d:level=6 --format s23e8 --stop energy=1e-6",
    "mantissa solve --problem poisson2d:level=5 --format s23e8 --bound",
    "mantissa solve --problem poisson2d:level=6 --spec fx18.16 --outer fx64.62",
    "mantissa solve --problem poisson2d:level=6 --spec fx18.16 --headroom 0",
    "mantissa solve --problem mtx:MATRIX.mtx --jacobi --format s17e8 --couplings s10e8",
    "mantissa solve --problem poisson2d:level=6 --format s17e8 --inner 20 --tolerance 1e-8",
    "mantissa solve --problem poisson2d:level=6 --format s17e8 --scheme defect-correction --digits 2",
    "mantissa solve --problem poisson2d:level=6 --format s17e8 --scheme defect-correction --recurrence cg",
    "mantissa solve --problem convection2d:level=5,peclet=100 --format s10e11 --scheme defect-correction --recurrence "
    "'gmres(20)'",
    "mantissa solve --problem poisson2d:level=6 --spec fx18.16 --recurrence chebyshev --inner 50 --bounds 0.004,4",
    "mantissa solve --problem poisson2d:level=6 --preconditioner multilevel:v11,w=10",
    "mantissa solve --problem mtx:MATRIX.mtx --preconditioner multilevel:v22,w=10 --directions 1",
    "mantissa solve --problem poisson2d:level=6 --format s10e8 --max-iterations 500",
    "mantissa solve --problem poisson2d:level=6 --spec fx18.16 --resident",
    "mantissa solve --problem poisson2d:level=8 --engine gpu --plan grid-stream",
    "mantissa solve --problem mtx:MATRIX.mtx --advise --engine hls,systemc",
    "mantissa solve --problem mtx:MATRIX.mtx --format s17e8 --jacobi --threads 2",
    "mantissa solve --problem poisson2d:level=6 --spec fx18.16 --parts 3 --exchange host",
    "mantissa solve --problem mtx:MATRIX.mtx --format double --scheme jacobi-pcg --parts 2 --cut rcm",
    "mantissa solve --dense n=128 --lu 'lu:s10e5,acc=fixed[15:-34]' --refine ir --refine-steps 20",
    "mantissa solve --dense n=128,kind=graded --lu lu:s23e8 --unscaled",
    "mantissa solve --dense n=128 --lu lu:s7e8 --gmres-steps 10 --gmres-tolerance 1e-4",
};

constexpr std::size_t kShown = 4;

/// Does a command hold the option, and not one that begins as it does?
bool holds(std::string_view command, const std::string& option) {
    for (std::size_t at = command.find(option); at != command.npos; at = command.find(option, at + 1))
        if (const std::size_t end = at + option.size();
            end == command.size() || command[end] == ' ' || command[end] == '=' || command[end] == '\n')
            return true;
    return false;
}

void add_lines(std::vector<std::string_view>& lines, std::string_view text, const std::string& option) {
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        if (holds(line, option)) lines.push_back(line);
        text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
}

} // namespace

std::string option_page(const CLI::App& app, std::string_view wanted) {
    const options::Option* const dense = options::find(wanted, options::dense());
    const std::string option = dense != nullptr ? flag_of(*dense) : "--" + std::string(wanted);
    std::vector<std::pair<std::string, std::vector<std::string>>> said; // what, by which commands
    std::vector<std::string_view> lines;
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
        const CLI::Option* const found = sub->get_option_no_throw(option);
        if (found == nullptr) continue;
        const auto same = std::find_if(said.begin(), said.end(),
                                       [&](const auto& entry) { return entry.first == found->get_description(); });
        if (same != said.end()) same->second.push_back(sub->get_name());
        else said.push_back({found->get_description(), {sub->get_name()}});
        add_lines(lines, examples(sub->get_name()), option);
    }
    if (said.empty()) return {};
    for (const std::string_view line : kMore)
        if (holds(line, option)) lines.push_back(line);
    std::string text;
    for (const auto& [what, commands] : said)
        text += fmt::format("{} of mantissa {}:\n  {}\n", option, fmt::join(commands, ", "), what);
    for (std::size_t i = 0; i < lines.size() && i < kShown; ++i)
        text += fmt::format("{}  {}\n", i == 0 ? "\nExamples:\n" : "", lines[i]);
    return text;
}

} // namespace mantissa::cli::help
