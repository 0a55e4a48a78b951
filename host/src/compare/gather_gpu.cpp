// Runs on a GPU, imported from files that `mantissa bench gpu` wrote.
#include <filesystem>

#include <fmt/format.h>

#include "../text_file.hpp"
#include "gather.hpp"
#include "mantissa/format.hpp"

namespace mantissa::detail {

namespace {

/// The file as a measurement, with what it says of itself as its provenance.
StoredDocument import(const GatherContext& context, const std::string& path) {
    const std::string name = "gpu: " + std::filesystem::path(path).filename().string();
    const FileText file = read_file(path);
    Json document = Json::parse(file.view(), nullptr, false);
    if (document.is_discarded() || !document.is_object() || !document.contains("poisson"))
        throw InvalidInput(fmt::format("{}: no result of mantissa bench gpu; give a file that it wrote", path));
    const auto text = [&](const char* key, const char* fallback) {
        return document.value(key, Json(fallback)).is_string() ? document.value(key, std::string(fallback)) : fallback;
    };
    const std::string note = text("note", "");
    const Provenance from{text("version", "unknown"), text("commit", "unknown"), text("device", "unknown"),
                          text("date", "unknown"), text("command", note.empty() ? "mantissa bench gpu" : note.c_str())};
    const auto known = context.documents.measurement(name);
    if (!known || known->document != document) context.documents.put_measurement(name, document, from);
    return {std::move(document), from};
}

/// The fastest converged solve of each arithmetic at this problem's level; false when the file has none.
bool enter_level(GatherContext& context, const StoredDocument& stored, const std::string& problem) {
    std::map<std::string, const Json*> fastest;
    for (const Json& level : stored.document.at("poisson")) {
        if (fmt::format("poisson2d:level={}", level.at("level").get<int>()) != problem) continue;
        for (const Json& solve : level.at("solves")) {
            if (solve.at("end") != "converged") continue;
            const Json*& best = fastest[solve.at("arithmetic").get<std::string>()];
            if (best == nullptr || solve.at("seconds") < best->at("seconds")) best = &solve;
        }
    }
    for (const auto& [arithmetic, solve] : fastest) {
        Peer peer;
        peer.problem = problem;
        peer.engine = "gpu";
        const Json& inner = solve->at("inner");
        peer.label = fmt::format("{}, {}, {} plan{}", stored.provenance.machine, arithmetic,
                                 solve->at("plan").get<std::string>(),
                                 // (a direct solve has no inner iterations; digits are text)
                                 inner.is_null() || solve->value("scheme", "") == "direct" ? ""
                                 : inner.is_string() ? fmt::format(", inner by {}", inner.get<std::string>())
                                                     : fmt::format(", {} inner", inner.get<int>()));
        peer.iterations = solve->at("passes");
        peer.outer = solve->at("outer");
        peer.seconds = solve->at("seconds");
        peer.true_residual = solve->at("true_residual");
        if (!solve->at("error").is_null()) peer.error = solve->at("error").get<double>();
        if (!solve->at("joules").is_null()) peer.joules = solve->at("joules").get<double>();
        peer.origin = context.out.origins.add(
            {"measured", fmt::format("native solves on {}", stored.provenance.machine), stored.provenance});
        context.out.peers.push_back(std::move(peer));
    }
    return !fastest.empty();
}

} // namespace

void gather_gpu(GatherContext& context) {
    const Comparison& c = context.comparison;
    std::map<std::string, bool> there;
    for (const std::string& path : c.gpu) {
        const StoredDocument stored = import(context, path);
        try {
            for (const std::string& problem : c.problems)
                there[problem] = enter_level(context, stored, problem) || there[problem];
        } catch (const Json::exception& fault) {
            throw InvalidInput(
                fmt::format("{}: no result of mantissa bench gpu ({}); give a file that it wrote", path, fault.what()));
        }
    }
    for (const std::string& problem : c.problems) {
        if (there[problem]) continue;
        const bool poisson = problem.starts_with("poisson2d:level=") && problem.find(',') == std::string::npos;
        context.gap({"solves on a GPU, " + problem,
                     c.gpu.empty() ? "the comparison names no results of mantissa bench gpu"
                                   : "the files named under gpu have none of this problem",
                     poisson ? fmt::format("on a machine with a GPU run mantissa bench gpu --levels {0} {0} --output "
                                           "FILE, and add FILE to gpu",
                                           problem.substr(problem.find('=') + 1))
                             : std::string("mantissa bench gpu solves poisson2d problems only: choose one of those")});
    }
}

} // namespace mantissa::detail
