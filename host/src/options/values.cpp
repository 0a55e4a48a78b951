#include "values.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "mantissa/base/quoted.hpp"
#include "text/key_values.hpp"

namespace mantissa::options {

SpectrumBounds parse_bounds(std::string_view text) {
    SpectrumBounds bounds;
    const std::size_t comma = text.find(',');
    if (comma == std::string_view::npos || !text::read_number(text.substr(0, comma), bounds.low) ||
        !text::read_number(text.substr(comma + 1), bounds.high))
        throw InvalidInput(
            fmt::format("bounds {}: write the smallest and the largest eigenvalue, as 0.01,4.2", base::quoted(text)));
    if (const std::string why = bounds.why_bad(); !why.empty()) throw InvalidInput(why);
    return bounds;
}

std::string bounds_text(const SpectrumBounds& bounds) {
    return text::shortest(bounds.low) + ',' + text::shortest(bounds.high);
}

std::vector<Format> parse_middle(std::string_view text) {
    std::vector<Format> formats;
    if (text.ends_with(','))
        throw InvalidInput(
            fmt::format("middle {}: a comma at its end; leave it out, or give a format after it", base::quoted(text)));
    while (!text.empty()) {
        const std::string_view part = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), part.size() + 1));
        formats.push_back(mantissa::parse_format(part));
    }
    return formats;
}

std::vector<ScheduleStage> parse_schedule(std::string_view text) {
    std::vector<ScheduleStage> schedule;
    for (bool more = true; more;) {
        const auto end = text.find(';');
        more = end != std::string_view::npos;
        const std::string_view part = text.substr(0, end);
        text.remove_prefix(more ? end + 1 : text.size());
        const auto colon = part.find(':');
        ScheduleStage stage;
        if (colon == std::string_view::npos || !text::read_number(part.substr(0, colon), stage.below) ||
            !(stage.below > 0 && stage.below <= 1))
            throw InvalidInput(fmt::format("schedule: stage {}: write a defect above 0 and up to 1, a colon and a "
                                           "datapath, as in 1:s52e11;2e-3:s23e8",
                                           base::quoted(part)));
        stage.spec = parse_spec(part.substr(colon + 1));
        schedule.push_back(stage);
    }
    return schedule;
}

std::string middle_text(const std::vector<Format>& formats) {
    std::string text;
    for (const Format& f : formats) text += (text.empty() ? "" : ",") + to_string(f);
    return text;
}

std::string schedule_text(const std::vector<ScheduleStage>& schedule) {
    std::string text;
    for (const ScheduleStage& stage : schedule) {
        if (!text.empty()) text += ';';
        text += text::shortest(stage.below) + ':' + to_string(stage.spec);
    }
    return text;
}

bool names_no_cycle(std::string_view text) {
    return text == "multilevel";
}

void set_preconditioner(SolveOptions& options, std::string_view text) {
    constexpr std::string_view kMultilevel = "multilevel";
    options.jacobi = text == "jacobi";
    options.preconditioner.reset();
    if (text == "none" || options.jacobi) return;
    if (text != kMultilevel && !text.starts_with("multilevel:"))
        throw InvalidInput(fmt::format("preconditioner {}: write none, jacobi or multilevel[:CYCLE], as "
                                       "multilevel:v11,w=10",
                                       base::quoted(text)));
    options.preconditioner = parse_cycle_spec(names_no_cycle(text) ? kUsualCycle : text.substr(kMultilevel.size() + 1));
}

std::string preconditioner_text(const SolveOptions& options) {
    if (options.preconditioner) return "multilevel:" + to_string(*options.preconditioner);
    return options.jacobi ? "jacobi" : "none";
}

void set_stop(SolveOptions& options, std::string_view text) {
    const auto equals = std::min(text.find('='), text.size());
    const std::string_view name = text.substr(0, equals);
    double number = 0;
    if ((name != "energy" && name != "residual") ||
        !text::read_number(text.substr(std::min(equals + 1, text.size())), number) || !(number > 0 && number < 1))
        throw InvalidInput(
            fmt::format("stop {}: write energy=1e-6 or residual=1e-10, a number between 0 and 1", base::quoted(text)));
    if (name == "residual") {
        options.energy.reset();
        options.tolerance = number;
    } else {
        options.energy = number;
    }
}

std::string stop_text(const SolveOptions& options) {
    return options.energy ? "energy=" + text::shortest(*options.energy)
                          : "residual=" + text::shortest(options.tolerance);
}

} // namespace mantissa::options
