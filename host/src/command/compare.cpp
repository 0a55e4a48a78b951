// mantissa compare: designs on devices, joined from solves, clocks, areas and traffic.
#include <filesystem>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command.hpp"
#include "command/options/declare.hpp"
#include "command/options/named_files.hpp"
#include "compare/compare.hpp"
#include "compare/join.hpp"
#include "mantissa/base/ending.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/format.hpp"
#include "store/database.hpp"
#include "text/json_text.hpp"

namespace mantissa::cli {

namespace {

struct CompareFlags {
    std::string file, store;
    int threads = 0;
    bool stored = false, json = false;
};

/// A stored document shown again, its sentences formed anew from its figures; nothing is computed.
int show_document(const CompareFlags& flags, const std::string& typed) {
    static_cast<void>(thread_count(flags.threads));
    if (flags.stored || flags.threads != 0)
        throw InvalidInput(fmt::format("{}: a document is shown, nothing is computed; leave {} out", flags.file,
                                       flags.stored ? "--stored" : flag_of(Common::threads)));
    if (!flags.store.empty()) {
        base::check_store_path(flag_of(Common::store), flags.store);
        refuse_overwriting({{flag_of(Common::store), flags.store}}, {{"the document", flags.file}});
    }
    const base::FileText file = base::read_file(flags.file);
    results::Json document = results::Json::parse(file.view(), nullptr, false);
    const auto refuse = [&](const std::string& why) {
        return InvalidInput(
            fmt::format("{}: no document of mantissa compare ({}); give what `mantissa compare FILE.toml "
                        "--json` printed",
                        results::path_text(flags.file), why));
    };
    if (!document.is_object() || !document.contains("name") || !document["name"].is_string())
        throw refuse(document.is_discarded() ? "no JSON" : "it has no name");
    std::string wrong;
    comparison::ComparisonDocument typed_document = comparison::document_from_json(document, &wrong);
    if (!wrong.empty()) throw refuse(fmt::format("a value of {} is of another kind", wrong));
    if (typed_document.scheme.empty()) throw refuse("it has no scheme");
    // (what a later version wrote beside it stays in what is printed and stored)
    document["findings"] = typed_document.findings = findings::sentences(typed_document, {});
    const std::string text = compare::comparison_text(typed_document), &name = typed_document.name;
    if (!flags.store.empty())
        compare::ComparisonStore(flags.store).put_comparison(name, document, current_provenance(typed));
    if (flags.json) fmt::print("{}\n", json_text(document));
    else if (flags.store.empty()) fmt::print("{}", text);
    else fmt::print("{}\nstored as '{}' in {}\n", text, name, flags.store);
    return kDone;
}

int compare_command(const CompareFlags& flags, const std::string& typed) {
    if (flags.file.ends_with(".json")) return show_document(flags, typed);
    const compare::Comparison comparison = compare::read_comparison(flags.file);
    const NamedFile store = store_of(flags.store, flags.file, comparison.store);
    const std::string& path = store.path;
    const int threads = thread_count(flags.threads);
    std::vector<NamedFile> inputs{{"the comparison", flags.file}};
    for (const std::string& problem : comparison.problems)
        add_files(inputs, "the comparison", outline_problem(problem).files);
    refuse_overwriting({store}, inputs);
    try {
        if (!flags.stored) base::check_store_path(store.by, path);
    } catch (const InvalidInput& fault) {
        const bool there = std::filesystem::is_regular_file(path);
        throw InvalidInput(fault.what() +
                           std::string(there ? "; --stored shows what it holds and writes nothing" : ""));
    }
    std::optional<base::EndingNote> note;
    if (!flags.stored)
        note.emplace([&] {
            return fmt::format("stopped; what is done is stored in {}, and the same command goes on from there", path);
        });
    const comparison::ComparisonDocument document =
        compare::run_comparison(comparison, {path, typed, threads, flags.stored});
    if (flags.json) fmt::print("{}\n", json_text(to_json(document)));
    else if (flags.stored)
        fmt::print("{}\njoined from {}; nothing was computed or stored\n", compare::comparison_text(document), path);
    else fmt::print("{}\nstored as '{}' in {}\n", compare::comparison_text(document), comparison.name, path);
    return kDone;
}

Run setup_compare(CLI::App& app, const std::string& typed) {
    const auto flags = std::make_shared<CompareFlags>();
    app.add_option(
           "file", flags->file,
           "the comparison, a TOML file (see docs/compare.md); or a .json document that --json printed, to show or "
           "store it again")
        ->required();
    declare(app, Common::store, flags->store, "results file (SQLite); default: what the comparison names, or its name");
    declare(app, Common::threads, flags->threads, "solves, simulations and syntheses at a time, 0 for all cores");
    app.add_flag(
        "--stored", flags->stored,
        "compute nothing and write nothing: join what the results file holds (--json prints the document, which "
        "`compare DOCUMENT.json --store FILE` stores)");
    declare(app, Common::json, flags->json, "print the stored document");
    return [flags, typed] { return compare_command(*flags, typed); };
}

} // namespace

const Command kCompare{"compare", "Which design wins on which device, and why: time and area from all engines",
                       setup_compare};

} // namespace mantissa::cli
