// mantissa report: results files as one HTML page.
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command.hpp"
#include "command/options/declare.hpp"
#include "mantissa/base/files.hpp"
#include "report/page/page.hpp"
#include "store/result_json.hpp"
#include "text/counted.hpp"
#include "text/json_text.hpp"

namespace mantissa::cli {

namespace {

struct ReportFlags {
    report::Request request;
    std::string output = "report.html";
    bool json = false;
};

int report_command(const ReportFlags& flags, const std::string& typed) {
    std::FILE* const words = check_outputs({{"-o", flags.output}}, flags.json);
    const report::Report made = report::make_report(flags.request, current_provenance(typed));
    base::write_file(flags.output, made.html);
    for (const std::string& line : made.notes) fmt::print(stderr, "mantissa: {}\n", line);
    if (flags.json) {
        const results::Json j = {{"output", flags.output},
                                 {"bytes", made.html.size()},
                                 {"charts", made.charts},
                                 {"verdict", made.verdict},
                                 {"findings", made.findings}};
        fmt::print("{}\n", json_text(j));
        return kDone;
    }
    for (std::size_t i = 0; i < made.findings.size() && i < 3; ++i)
        fmt::print(words, "{}. {}\n", i + 1, made.findings[i]);
    if (!made.verdict.empty()) fmt::print(words, "Verdict: {}\n", made.verdict);
    fmt::print(words, "report in {} ({})\n", flags.output == "-" ? "standard output" : flags.output,
               text::counted(made.charts, "chart"));
    return kDone;
}

Run setup_report(CLI::App& app, const std::string& typed) {
    const auto flags = std::make_shared<ReportFlags>();
    app.add_option("results", flags->request.stores, "results files (SQLite) of sweep, synthesize, compare and upset")
        ->required();
    app.add_option("--against", flags->request.against,
                   "older results files: the page begins with what changed since then");
    app.add_option("-o,--output", flags->output, "the page; -: standard output")->capture_default_str();
    app.add_option("--title", flags->request.title, "its title")->capture_default_str();
    app.add_option("--data", flags->request.paper,
                   "folder with the paper's tables; default: the installed or source one");
    declare(app, Common::json, flags->json);
    return [flags, typed] { return report_command(*flags, typed); };
}

} // namespace

const Command kReport{"report", "Results files as one HTML page, with the origin of every figure", setup_report};

} // namespace mantissa::cli
