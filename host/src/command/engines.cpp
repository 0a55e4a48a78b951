// mantissa engines: what this build can run on.
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command.hpp"
#include "command/options/declare.hpp"
#include "mantissa/host/registry.hpp"
#include "store/result_json.hpp"
#include "text/json_text.hpp"

namespace mantissa::cli {

namespace {

Run setup_engines(CLI::App& app, const std::string&) {
    auto json = std::make_shared<bool>(false);
    declare(app, Common::json, *json, "print a JSON list");
    return [json] {
        results::Json list = results::Json::array();
        for (const EngineEntry& e : list_engines()) {
            const bool here = e.missing.empty();
            list.push_back(
                {{"name", e.name}, {"available", here}, {"description", e.description}, {"missing", e.missing}});
            if (!*json) fmt::print("{:<10} {:<5} {}\n", e.name, here ? "yes" : "no", here ? e.description : e.missing);
        }
        if (*json) fmt::print("{}\n", json_text(list));
        return kDone;
    };
}

} // namespace

const Command kEngines{"engines", "List the engines, and why one is missing", setup_engines};

} // namespace mantissa::cli
