#include "lu_paper.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command/command.hpp"
#include "command/stored/stored_runs.hpp"
#include "mantissa/format.hpp"
#include "mantissa/lu/paper_ledger.hpp"
#include "text/json_text.hpp"
#include "text/tables/table.hpp"

namespace mantissa::cli {

namespace {

constexpr std::uint64_t kMostSize = 65535;

/// The bytes and operations of both algorithms for one size: Table 1's and Table 2's formulas.
stored::Json table_json(const LuPaperFlags& flags) {
    stored::Json rows = stored::Json::array();
    const auto add = [&](const char* algorithm, const PaperLedger& ledger) {
        for (std::size_t p = 0; p < kPaperPasses; ++p) {
            const PaperCount& c = ledger[p];
            if (c == PaperCount()) continue;
            rows.push_back({{"algorithm", algorithm},
                            {"pass", to_string(static_cast<PaperPass>(p))},
                            {"fragments", c.fragments},
                            {"bytes", c.bytes},
                            {"divisions", c.divisions},
                            {"mads", c.mads}});
        }
    };
    add("Gauss-Jordan", paper_gauss_jordan_ledger(flags.n));
    add("LU", paper_lu_ledger(flags.n));
    return rows;
}

/// What a stored run counted in the kernels for the same size; null without one. Throws InvalidInput where the files
/// that were named hold none.
stored::Json counted(const LuPaperFlags& flags) {
    const auto run = stored::find_latest({flags.results, flags.data},
                                         [](const stored::Json& j) { return stored::is_kind(j, "lu_figures"); });
    if (run)
        for (const stored::Json& r : run->json.at("runs"))
            if (r.at("n") == flags.n && r.contains("counted")) return r.at("counted");
    if (!flags.results.empty())
        throw InvalidInput(
            fmt::format("--results: no run in there counted the kernels for n = {}; leave it out, or give "
                        "a file of mantissa bench gpu --lu-figures",
                        flags.n));
    return nullptr;
}

int lu_paper_table(const LuPaperFlags& flags) {
    stored::Json rows = table_json(flags);
    const stored::Json device = counted(flags);
    for (stored::Json& row : rows)
        for (const stored::Json& c : device)
            if (c.at("algorithm") == row.at("algorithm") && c.at("pass") == row.at("pass"))
                row[flags.table == 1 ? "counted_bytes" : "counted_instructions"] =
                    flags.table == 1 ? c.at("bytes").get<std::uint64_t>()
                                     : c.at("divisions").get<std::uint64_t>() + c.at("mads").get<std::uint64_t>();
    if (flags.json) {
        fmt::print("{}\n", json_text(rows));
        return kDone;
    }
    const bool bytes = flags.table == 1;
    const text::Table table(fmt::format("{{:<15}}{{:<15}}{{fragments:>16}}{{{}:>7}}{{{}:>18}}{{counted:>18}}",
                                        bytes ? "B/frag" : "each", bytes ? "bytes" : "instructions"));
    fmt::print("Table {}: {} for n = {}, words of 4 bytes\n{}", flags.table,
               bytes ? "memory operations" : "arithmetic instructions", flags.n, table.head());
    for (const stored::Json& row : rows) {
        const auto fragments = row.at("fragments").get<std::uint64_t>();
        const auto operations = row.at("divisions").get<std::uint64_t>() + row.at("mads").get<std::uint64_t>();
        const auto total = bytes ? row.at("bytes").get<std::uint64_t>() : operations;
        if (total == 0) continue;
        fmt::print("{}",
                   table.row({row.at("algorithm"), row.at("pass"), fragments, fragments == 0 ? 0 : total / fragments,
                              total, row.value(bytes ? "counted_bytes" : "counted_instructions", stored::Json())}));
    }
    const PaperCount lu = paper_total(paper_lu_ledger(flags.n)),
                     jordan = paper_total(paper_gauss_jordan_ledger(flags.n));
    const auto ratio = [](std::uint64_t a, std::uint64_t b) { return static_cast<double>(a) / static_cast<double>(b); };
    fmt::print("\n{}", stored::ratio_line(
                           "Gauss-Jordan over LU",
                           fmt::format("{:.3f}", bytes ? ratio(jordan.bytes, lu.bytes)
                                                       : ratio(jordan.divisions + jordan.mads, lu.divisions + lu.mads)),
                           "1.5"));
    fmt::print("counted: by the kernels of a stored run of this size (mantissa bench gpu --lu-figures); - where none "
               "is\nThe paper's Gauss-Jordan eliminations lack the factor n in their fragments; its bytes have it.\n");
    return kDone;
}

} // namespace

int reproduce_lu(const LuPaperFlags& flags) {
    if ((flags.figure == 0) == (flags.table == 0))
        throw InvalidInput("lu: give one of --figure 5, 6, 7, 8, 9, 11, 12, 13 or 14 and --table 1 or 2");
    if (flags.table != 0) {
        if (flags.table > 2 || flags.table < 1)
            throw InvalidInput(fmt::format("--table {}: of this paper give 1 or 2", flags.table));
        if (flags.n < 1 || flags.n > kMostSize)
            throw InvalidInput(fmt::format("--size {}: give 1 to {}", flags.n, kMostSize));
        return lu_paper_table(flags);
    }
    if (flags.figure == 4)
        throw InvalidInput("--figure 4: it turns texture interpolation off, and no device has it now; give 5 to 9 or "
                           "11 to 14");
    if (flags.figure == 10)
        throw InvalidInput("--figure 10: it changes the core's clock, and the device's settings are left alone; "
                           "--figure 9 uses some of its multiprocessors");
    if (flags.figure < 4 || flags.figure > 14)
        throw InvalidInput(fmt::format("--figure {}: give 5, 6, 7, 8, 9, 11, 12, 13 or 14", flags.figure));
    fmt::print("{}", lu_paper_figure(flags)); // printed whole or not at all
    return kDone;
}

} // namespace mantissa::cli
