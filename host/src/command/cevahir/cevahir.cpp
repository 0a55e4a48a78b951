#include "cevahir.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command/command.hpp"
#include "mantissa/format.hpp"

namespace mantissa::cli {

void add_cevahir_options(CLI::App& app, CevahirFlags& flags) {
    app.add_option("--problem", flags.problems,
                   "cevahir: sparse problems for the communication table, as mtx:FILE; default: made ones");
    app.add_option("--parts", flags.parts, "cevahir: parts of the communication table")
        ->check(whole_number(1, 4096))
        ->capture_default_str();
}

int reproduce_cevahir(const CevahirFlags& flags) {
    if ((flags.figure == 0) == (flags.table == 0))
        throw InvalidInput("cevahir: give one of --figure 4, --figure 5 and --table communication");
    if (flags.table != 0 && flags.table != kCommunicationTable)
        throw InvalidInput(fmt::format("--table {}: this paper has --table communication alone", flags.table));
    if (flags.table == kCommunicationTable) {
        if (!flags.results.empty())
            throw InvalidInput("--results: the communication table is computed; leave it out, or give --problem");
        fmt::print("{}", cevahir_communication(flags)); // printed whole or not at all
        return kDone;
    }
    if (flags.figure != 4 && flags.figure != 5)
        throw InvalidInput(fmt::format("--figure {}: of this paper give 4 or 5", flags.figure));
    if (!flags.problems.empty())
        throw InvalidInput(fmt::format("--problem: Figure {} is read from stored runs; leave it out", flags.figure));
    fmt::print("{}", cevahir_figure(flags));
    return kDone;
}

} // namespace mantissa::cli
