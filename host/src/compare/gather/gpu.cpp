// Runs on a GPU, imported from files that `mantissa bench gpu` wrote.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "gather.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/base/quoted.hpp"
#include "mantissa/format.hpp"
#include "store/database.hpp"

namespace mantissa::compare {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
    throw InvalidInput(fmt::format("{}: no result of mantissa bench gpu ({}); give a file that it wrote",
                                   results::path_text(path), what));
}

bool is_count(const results::Json& value) {
    return value.is_number_unsigned();
}
bool is_number_or_null(const results::Json& value) {
    return value.is_number() || value.is_null();
}

/// Every field that the comparison takes from a solve that converged.
void check_solve(const std::string& path, const std::string& where, const results::Json& solve) {
    const auto need = [&](const char* name, const char* what, const auto& good) {
        if (!solve.contains(name) || !good(solve.at(name)))
            refuse(path, fmt::format("{}: '{}' must be {}", where, name, what));
    };
    const auto is_text = [](const results::Json& v) { return v.is_string(); };
    need("end", "text", is_text);
    if (solve.at("end") != "converged") return;
    need("arithmetic", "text", is_text);
    need("plan", "text", is_text);
    need("passes", "a whole number", is_count);
    need("outer", "a whole number", is_count);
    need("seconds", "a number above 0", [](const results::Json& v) { return v.is_number() && v.get<double>() > 0; });
    need("true_residual", "a number", [](const results::Json& v) { return v.is_number(); });
    need("error", "a number or null", is_number_or_null);
    need("joules", "a number or null", is_number_or_null);
    need("inner", "a whole number, text or null",
         [](const results::Json& v) { return v.is_null() || v.is_string() || v.is_number_integer(); });
    if (solve.contains("scheme")) need("scheme", "text", is_text);
    for (const char* end : {"seconds_least", "seconds_most"})
        if (solve.contains(end)) need(end, "a number", [](const results::Json& v) { return v.is_number(); });
}

/// Every field that the comparison takes from Jacobi CG on matrices.
void check_matrices(const std::string& path, const results::Json& matrices) {
    if (!matrices.is_array()) refuse(path, "'matrices' must be a list");
    std::size_t index = 0;
    for (const results::Json& matrix : matrices) {
        const std::string where = fmt::format("matrices[{}]", index++);
        if (!matrix.is_object() || !matrix.contains("name") || !matrix.at("name").is_string())
            refuse(path, where + ": 'name' must be text");
        if (!matrix.contains("jacobi_cg")) continue;
        if (!matrix.at("jacobi_cg").is_array()) refuse(path, where + ": 'jacobi_cg' must be a list");
        for (const results::Json& s : matrix.at("jacobi_cg")) {
            const auto text = [&](const char* key) { return s.contains(key) && s.at(key).is_string(); };
            if (!s.is_object() || !text("format") || !text("end") || !s.contains("iterations") ||
                !is_count(s.at("iterations")) || s.at("iterations") == 0 || !s.contains("seconds") ||
                !s.at("seconds").is_number() || !(s.at("seconds").get<double>() > 0))
                refuse(path, where + ": a solve under 'jacobi_cg' must have format, end, iterations and seconds");
        }
    }
}

void check_document(const std::string& path, const results::Json& document) {
    if (document.is_discarded()) refuse(path, "no JSON");
    if (!document.is_object() || !document.contains("poisson") || !document.at("poisson").is_array())
        refuse(path, "no list 'poisson'");
    std::size_t index = 0;
    for (const results::Json& level : document.at("poisson")) {
        const std::string where = fmt::format("poisson[{}]", index++);
        if (!level.is_object() || !level.contains("level") || !level.at("level").is_number_integer())
            refuse(path, where + ": 'level' must be a whole number");
        if (!level.contains("solves") || !level.at("solves").is_array()) refuse(path, where + ": no list 'solves'");
        std::size_t solve_index = 0;
        for (const results::Json& solve : level.at("solves"))
            check_solve(path, fmt::format("{}.solves[{}]", where, solve_index++), solve);
    }
    if (document.contains("matrices")) check_matrices(path, document.at("matrices"));
}

/// A file with what it says of itself as its provenance.
GpuFile read_one(const std::string& path) {
    const base::FileText file = base::read_file(path);
    results::Json document = results::Json::parse(file.view(), nullptr, false);
    check_document(path, document);
    const auto text = [&](const char* key, const char* fallback) {
        return document.value(key, results::Json(fallback)).is_string() ? document.value(key, std::string(fallback))
                                                                        : fallback;
    };
    const std::string note = text("note", "");
    const Provenance from{text("version", "unknown"), text("commit", "unknown"), text("device", "unknown"),
                          text("date", "unknown"), text("command", note.empty() ? "mantissa bench gpu" : note.c_str())};
    return {"gpu: " + std::filesystem::path(path).filename().string(), {std::move(document), from}};
}

/// The fastest converged solve of each arithmetic at this problem's level; false when the file has none.
bool enter_level(GatherContext& context, const StoredDocument& stored, const std::string& problem) {
    std::map<std::string, const results::Json*> fastest;
    for (const results::Json& level : stored.document.at("poisson")) {
        if (fmt::format("poisson2d:level={}", level.at("level").get<int>()) != problem) continue;
        for (const results::Json& solve : level.at("solves")) {
            if (solve.at("end") != "converged") continue;
            const results::Json*& best = fastest[solve.at("arithmetic").get<std::string>()];
            if (best == nullptr || solve.at("seconds") < best->at("seconds")) best = &solve;
        }
    }
    for (const auto& [arithmetic, solve] : fastest) {
        Peer peer;
        peer.problem = problem;
        peer.engine = "gpu";
        const results::Json& inner = solve->at("inner");
        peer.label = fmt::format("{}, {}, {} plan{}", stored.provenance.machine, arithmetic,
                                 solve->at("plan").get<std::string>(),
                                 // (a direct solve has no inner iterations; digits are text)
                                 inner.is_null() || solve->value("scheme", "") == "direct" ? ""
                                 : inner.is_string() ? fmt::format(", inner by {}", inner.get<std::string>())
                                                     : fmt::format(", {} inner", inner.get<int>()));
        peer.iterations = solve->at("passes");
        peer.outer = solve->at("outer");
        peer.seconds = solve->at("seconds");
        if (solve->contains("seconds_least")) peer.least = solve->at("seconds_least").get<double>();
        if (solve->contains("seconds_most")) peer.most = solve->at("seconds_most").get<double>();
        peer.true_residual = solve->at("true_residual");
        if (!solve->at("error").is_null()) peer.error = solve->at("error").get<double>();
        if (!solve->at("joules").is_null()) peer.joules = solve->at("joules").get<double>();
        peer.origin = context.out.origins.add(
            {"measured", fmt::format("native solves on {}", stored.provenance.machine), stored.provenance});
        context.out.peers.push_back(std::move(peer));
    }
    return !fastest.empty();
}

/// Jacobi CG on this problem's matrix, in the format whose iteration is shortest; false when the file has none.
bool enter_matrix(GatherContext& context, const StoredDocument& stored, const std::string& problem) {
    if (!stored.document.contains("matrices")) return false;
    std::string name = problem; // meshes are called as the problem, files of matrices by their name alone
    if (problem.starts_with("mtx:")) name = std::filesystem::path(problem.substr(4)).stem().string();
    bool there = false;
    for (const results::Json& matrix : stored.document.at("matrices")) {
        if (matrix.at("name") != name || !matrix.contains("jacobi_cg")) continue;
        const auto time = [](const results::Json& s) {
            return s.at("seconds").get<double>() / s.at("iterations").get<double>();
        };
        const results::Json* best = nullptr;
        for (const results::Json& solve : matrix.at("jacobi_cg"))
            if (best == nullptr || time(solve) < time(*best)) best = &solve;
        if (best == nullptr) continue;
        there = true;
        context.out.gpu_sparse.push_back(
            {problem,
             fmt::format("{}, Jacobi CG, {}", stored.provenance.machine, best->at("format").get<std::string>()),
             best->at("iterations").get<std::uint64_t>(), best->at("seconds").get<double>(),
             best->at("end") == "converged",
             context.out.origins.add({"measured", fmt::format("native sparse solves on {}", stored.provenance.machine),
                                      stored.provenance})});
    }
    return there;
}

/// How a GPU's time on this problem is had.
std::string gpu_mend(const std::string& problem) {
    constexpr const char* kRun = "on a machine with a GPU run mantissa bench gpu {} --output FILE, and add FILE to gpu";
    if (problem.starts_with("poisson2d:level=") && problem.find(',') == std::string::npos)
        return fmt::format(fmt::runtime(kRun), fmt::format("--levels {0} {0}", problem.substr(problem.find('=') + 1)));
    if (problem.starts_with("mtx:")) {
        const std::string path = problem.substr(4, problem.find(',') - 4);
        return fmt::format(fmt::runtime(kRun), "--matrix " + base::quoted(path));
    }
    return fmt::format("such a file has grids of poisson2d:level=N and sparse matrices; solve this one on a GPU with "
                       "mantissa solve --engine gpu --problem {}",
                       base::quoted(problem));
}

} // namespace

std::vector<GpuFile> read_gpu_files(const Comparison& comparison) {
    std::vector<GpuFile> files;
    for (const std::string& path : comparison.gpu) {
        GpuFile file = read_one(path);
        if (std::any_of(files.begin(), files.end(), [&](const GpuFile& f) { return f.name == file.name; }))
            throw InvalidInput(
                fmt::format("{}: another file under gpu has the same name, and one would take the other's "
                            "place; rename it",
                            results::path_text(path)));
        files.push_back(std::move(file));
    }
    return files;
}

void gather_gpu(GatherContext& context, const std::vector<GpuFile>& files) {
    const Comparison& c = context.comparison;
    std::map<std::string, bool> there;
    for (const GpuFile& file : files) {
        const auto known = context.documents.measurement(file.name);
        if (!context.options.stored_only && (!known || known->document != file.content.document))
            context.documents.put_measurement(file.name, file.content.document, file.content.provenance);
        for (const std::string& problem : c.problems) {
            there[problem] = enter_level(context, file.content, problem) || there[problem];
            if (c.has_sparse()) there[problem] = enter_matrix(context, file.content, problem) || there[problem];
        }
    }
    for (const std::string& problem : c.problems) {
        if (there[problem]) continue;
        context.gap({"solves on a GPU, " + problem,
                     c.gpu.empty() ? "the comparison names no results of mantissa bench gpu"
                                   : "the files named under gpu have none of this problem",
                     gpu_mend(problem)});
    }
}

} // namespace mantissa::compare
