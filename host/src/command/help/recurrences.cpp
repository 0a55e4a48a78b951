// The recurrences, written from their definitions: `mantissa help recurrences`, a part of docs/recurrences.md.
#include <fmt/format.h>

#include "mantissa/recurrence/ledger.hpp"
#include "mantissa/recurrence/library.hpp"
#include "pages.hpp"
#include "text/tables/table.hpp"

namespace mantissa::cli::help {

namespace {

using recurrence::Definition;
using recurrence::Needs;

std::string_view needs(const Definition& d) {
    return d.needs == Needs::nothing     ? "no symmetry"
           : d.needs == Needs::symmetric ? "symmetric"
                                         : "symmetric positive definite";
}

/// What an iteration costs, a line each.
std::string table() {
    const text::Table table("{recurrence}{matrix}{vectors}{reads}{writes}{A x}{M x}{sums}{waits}{sweeps}",
                            text::Markup::markdown);
    std::string text = table.head();
    for (const recurrence::Entry& entry : recurrence::library()) {
        const Definition& d = *entry.definition;
        const recurrence::Ledger l = recurrence::ledger(d);
        text +=
            table.row({text::code(d.name.view()), needs(d), l.vectors, l.reads, l.writes, l.products, l.preconditioned,
                       l.sums, fmt::format("{}{}", l.waits, l.overlapped > 0 ? ", after a product" : ""), l.sweeps});
    }
    return text;
}

std::string steps(const Definition& d, std::size_t from, std::size_t to) {
    std::string text;
    for (std::size_t k = from; k < to; ++k) text += "    " + recurrence::to_string(d, d.step[k]) + "\n";
    return text;
}

std::string section(const recurrence::Entry& entry) {
    const Definition& d = *entry.definition;
    std::string text = fmt::format("\n## {}\n\n{}: {}. Runs on: {}. Accuracy: {}.\n", d.name.view(), entry.title,
                                   entry.source, entry.runs_on, entry.accuracy);
    if (d.lag_vector != Definition::kNone)
        text += fmt::format("It lags: the iterate is {} + {} {}.\n", d.vector[d.solution].name.view(),
                            d.scalar[d.lag_scalar].name.view(), d.vector[d.lag_vector].name.view());
    if (d.first > 0) text += "\nOnce:\n\n" + steps(d, 0, d.first);
    text += "\nAn iteration:\n\n" + steps(d, d.first, d.watched);
    if (d.every != 0) text += fmt::format("\nAfter every {} iterations:\n\n", d.every) + steps(d, d.watched, d.steps);
    return text;
}

} // namespace

std::string recurrences() {
    std::string text = "# Recurrences\n\n"
                       "Made by `mantissa help recurrences` from the definitions in\n"
                       "`numerics/include/mantissa/recurrence/library.hpp`. Reads and writes are elements of vectors "
                       "per unknown\nand iteration where each sweep goes over memory once; the matrix comes with "
                       "each A x.\n\n" +
                       table();
    for (const recurrence::Entry& entry : recurrence::library()) text += section(entry);
    return text;
}

} // namespace mantissa::cli::help
