#include "result_json.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "point_columns.hpp"

namespace mantissa::results {

Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json to_json(const options::Value& value) {
    return std::visit([](const auto& v) { return Json(v); }, value);
}

Json options_to_json(const SolveOptions& given, std::span<const options::Option> among) {
    Json j = Json::object();
    for (const options::Option& option : among)
        if (const auto value = option.get != nullptr && in_use(option, given) ? option.get(given) : std::nullopt)
            j[options::spelt(option)] = to_json(*value);
    return j;
}

Json to_json(const Point& point) {
    using options::Common;
    Json j{{options::spelt(options::common(Common::problem)), point.problem},
           {options::spelt(options::common(Common::engine)), point.engine}};
    j.update(options_to_json(point.options));
    return j;
}

namespace {

Json to_json(const ResidentOutcome& core) {
    return {{"end", to_string(core.end)},
            {"formed_again", core.formed_again},
            {"headroom", core.headroom},
            {"e", core.e},
            {"rr", number(core.rr)}};
}

ResidentOutcome resident_from_json(const Json& j) {
    ResidentOutcome core;
    const std::string end = j.at("end");
    for (int k = 0; k <= static_cast<int>(ResidentEnd::stopped); ++k)
        if (to_string(static_cast<ResidentEnd>(k)) == end) core.end = static_cast<ResidentEnd>(k);
    core.formed_again = j.at("formed_again");
    core.headroom = j.at("headroom");
    core.e = j.at("e");
    core.rr = j.at("rr");
    return core;
}

Json to_json(const NativeOutcome& native) {
    return {{"plan", to_string(native.plan)}, {"why", native.why}, {"seconds", number(native.seconds)}};
}

Json to_json(const ChebyshevBounds& c) {
    return {{"low", number(c.bounds.low)}, {"high", number(c.bounds.high)}, {"lanczos_steps", c.lanczos_steps}};
}

Json to_json(const EnergyEstimate& e) {
    return {{"estimate", number(e.value())},
            {"lower", number(e.lower)},
            {"upper", number(e.upper)},
            {"steps", e.steps},
            {"settled", e.settled}};
}
Json to_json(const ErrorBound& b) {
    return {{"absolute", b.absolute ? Json(*b.absolute) : Json(nullptr)},
            {"relative", b.relative ? number(*b.relative) : Json(nullptr)},
            {"method", b.method},
            {"why", b.why}};
}

double real_or_infinite(const Json& j) {
    return j.is_null() ? std::numeric_limits<double>::infinity() : j.get<double>();
}
void errors_from_json(const Json& j, SolveResult& r) {
    if (j.contains("energy_error")) {
        const Json& e = j["energy_error"];
        r.energy = EnergyEstimate{real_or_infinite(e.at("lower")), real_or_infinite(e.at("upper")), e.at("steps"),
                                  e.at("settled")};
    }
    if (j.contains("error_bound")) {
        const Json& b = j["error_bound"];
        ErrorBound bound;
        if (!b.at("absolute").is_null()) bound.absolute = b.at("absolute").get<double>();
        if (!b.at("relative").is_null()) bound.relative = b.at("relative").get<double>();
        bound.method = b.at("method");
        bound.why = b.at("why");
        r.bound = bound;
    }
}

} // namespace

Json to_json(const SolveResult& result) {
    Json j;
    j["status"] = to_string(result.status);
    j["detail"] = result.detail;
    j["inner_iterations"] = result.inner_iterations;
    j["outer_iterations"] = result.outer_iterations;
    j["true_residual"] = number(result.true_residual);
    j["error"] = result.error ? number(*result.error) : Json(nullptr);
    j["sigma_guards"] = result.sigma_guards;
    j["cycles"] = result.cycles ? Json(*result.cycles) : Json(nullptr);
    if (const BitOperations& bits = result.bit_operations; bits != BitOperations{})
        j["bit_operations"] = {{"multiplied", bits.multiplied}, {"added", bits.added}};
    if (Json words = words_to_json(result); !words.empty()) {
        words.erase("bit_operations");
        words.erase("resident_core");
        words.erase("native");
        words.erase("chebyshev");
        words.erase("device_seconds");
        words.erase("energy_error");
        words.erase("error_bound");
        if (!words.empty()) j["words"] = words;
    }
    if (result.resident) j["resident_core"] = to_json(*result.resident);
    if (result.native) j["native"] = to_json(*result.native);
    if (result.chebyshev) j["chebyshev"] = to_json(*result.chebyshev);
    if (result.energy) j["energy_error"] = to_json(*result.energy);
    if (result.bound) j["error_bound"] = to_json(*result.bound);
    if (result.levels)
        j["levels"] = {{"text", result.levels->text}, {"set_up_seconds", number(result.levels->seconds)}};
    if (result.device_seconds) j["device_seconds"] = number(*result.device_seconds);
    j["seconds"] = number(result.seconds);
    if (!result.history.empty()) j["history"] = history_to_json(result.history);
    return j;
}

Json words_to_json(const SolveResult& r) {
    Json j;
    if (r.equation_scale != 1) j["equation_scale"] = r.equation_scale;
    if (r.bit_operations != BitOperations{})
        j["bit_operations"] = {r.bit_operations.multiplied, r.bit_operations.added};
    if (r.resident) j["resident_core"] = to_json(*r.resident);
    if (r.native) j["native"] = to_json(*r.native);
    if (r.chebyshev) j["chebyshev"] = to_json(*r.chebyshev);
    if (r.energy) j["energy_error"] = to_json(*r.energy);
    if (r.bound) j["error_bound"] = to_json(*r.bound);
    if (r.device_seconds) j["device_seconds"] = number(*r.device_seconds);
    if (r.words == WordUse{}) return j;
    j["overflows"] = r.overflows;
    j["bits"] = {{"u", r.words.u}, {"r", r.words.r}, {"p", r.words.p}, {"q", r.words.q}};
    return j;
}

void words_from_json(std::string_view text, SolveResult& r) {
    if (text.empty()) return;
    const Json j = Json::parse(text);
    if (j.is_null()) return;
    r.equation_scale = j.value("equation_scale", 1.0);
    r.overflows = j.value("overflows", std::uint64_t{0});
    if (j.contains("bit_operations")) r.bit_operations = {j["bit_operations"].at(0), j["bit_operations"].at(1)};
    if (j.contains("resident_core")) r.resident = resident_from_json(j["resident_core"]);
    if (j.contains("device_seconds")) r.device_seconds = j["device_seconds"].get<double>();
    if (j.contains("native")) {
        const Json& n = j["native"];
        r.native = NativeOutcome{parse_native_plan(n.at("plan").get<std::string>()), n.at("why"), n.at("seconds")};
    }
    if (j.contains("chebyshev")) {
        const Json& c = j["chebyshev"];
        r.chebyshev = ChebyshevBounds{{c.at("low"), c.at("high")}, c.at("lanczos_steps")};
    }
    errors_from_json(j, r);
    if (!j.contains("bits")) return;
    const Json& bits = j.at("bits");
    r.words = {bits.at("u"), bits.at("r"), bits.at("p"), bits.at("q")};
}

Json history_to_json(const std::vector<HistoryPoint>& history) {
    Json list = Json::array();
    for (const HistoryPoint& h : history)
        list.push_back(Json::array({h.inner_iterations, h.outer_iterations, number(h.relative_defect)}));
    return list;
}

std::vector<HistoryPoint> history_from_json(std::string_view text) {
    std::vector<HistoryPoint> history;
    if (text.empty()) return history;
    for (const Json& item : Json::parse(text))
        history.push_back({item.at(0).get<std::uint64_t>(), item.at(1).get<std::uint64_t>(),
                           item.at(2).is_null() ? std::numeric_limits<double>::quiet_NaN() : item.at(2).get<double>()});
    return history;
}

Status parse_status(std::string_view text) {
    for (const Status s :
         {Status::converged, Status::diverged, Status::stagnated, Status::breakdown, Status::iteration_limit})
        if (to_string(s) == text) return s;
    throw InvalidInput(fmt::format("status '{}' is none of this program's", text));
}

} // namespace mantissa::results
