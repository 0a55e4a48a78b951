#include "curves.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "mantissa/engine.hpp"
#include "mantissa/fitted.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/options.hpp"
#include "mantissa/host/registry.hpp"
#include "mantissa/host/residual.hpp"
#include "mantissa/host/scaling.hpp"
#include "mantissa/run_end.hpp"

namespace mantissa::residuals {

namespace {

/// FNV-1a over the bits of values.
class Hash {
public:
    void take(std::span<const double> values) {
        for (const double value : values) {
            const auto bits = std::bit_cast<std::uint64_t>(value);
            for (int byte = 0; byte < 8; ++byte) {
                state_ ^= bits >> (8 * byte) & 0xFF;
                state_ *= 0x100000001B3U;
            }
        }
    }
    [[nodiscard]] std::uint64_t state() const { return state_; }

private:
    std::uint64_t state_ = 0xCBF29CE484222325U;
};

struct Run {
    Curve curve;
    std::vector<std::uint64_t> hashes;
};

/// `problem` has a right-hand side of norm 1.
Run run_one(const Problem& problem, const Engine& engine, const DatapathSpec& spec, const Request& request) {
    const auto fit = fitted(problem.system, spec);
    const double scale = fit ? fit->scale : 1;
    const auto session =
        engine.load(fit ? fit->system : problem.system, spec, {request.threads, Recurrence::pipelined});
    session->write(Vec::r, 0, problem.b);
    session->set_scalars(0, 0);
    Run run;
    Hash hash;
    std::vector<double> x(problem.b.size()), d(problem.b.size());
    // A pass lags its result: after pass k + 1, u and r are those of iteration k.
    RunEnd end = session->run({.passes = 1}).end;
    for (std::uint64_t done = 0;;) {
        const double rho = session->scalars().rho;
        session->read(Vec::r, 0, d);
        hash.take(d);
        session->read(Vec::u, 0, x);
        hash.take(x);
        hash.take(std::span(&rho, 1));
        run.hashes.push_back(hash.state());
        for (double& value : x) value *= scale;
        run.curve.iteration.push_back(done);
        // (A word that overflowed leaves no sum: the true residual stands for itself.)
        run.curve.recursive.push_back(end == RunEnd::window_overflow ? NAN : std::sqrt(rho));
        run.curve.true_residual.push_back(relative_residual(problem.system, x, problem.b, request.threads));
        if (end != RunEnd::passes || done >= request.iterations) break;
        const RunReport report = session->run({.passes = std::min(request.every, request.iterations - done)});
        end = report.end;
        done += report.passes;
    }
    run.curve.end = to_string(end);
    run.curve.bits = fmt::format("{:016x}", hash.state());
    return run;
}

/// coefficient(i, band): those of a nine-point grid.
template <class Coefficient> std::uint64_t nonzeros_of_grid(const System& system, const Coefficient& coefficient) {
    const auto size = static_cast<std::ptrdiff_t>(system.size());
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < system.size(); ++i)
        for (std::size_t b = 0; b < kBands; ++b) {
            const std::ptrdiff_t j =
                static_cast<std::ptrdiff_t>(i) + band_offset(static_cast<int>(b), system.row_length());
            if (j >= 0 && j < size && coefficient(i, b) != 0) ++count;
        }
    return count;
}

/// Of sparse rows the entries that are stored.
std::uint64_t nonzeros_of(const System& system) {
    return std::visit(
        Overloaded{[](const CompressedRows& rows) { return std::uint64_t{rows.nonzeros()}; },
                   [&](const Stencil& s) {
                       return nonzeros_of_grid(system, [&](std::size_t i, std::size_t b) {
                           return s.on_edge(i) ? 0.0 : s.coefficients()[b];
                       });
                   },
                   [&](const Bands& bands) {
                       return nonzeros_of_grid(system, [&](std::size_t i, std::size_t b) { return bands.band(b)[i]; });
                   },
                   [&](const SymmetricBands& bands) {
                       return nonzeros_of_grid(system,
                                               [&](std::size_t i, std::size_t b) { return bands.coefficient(b, i); });
                   }},
        system.matrix());
}

} // namespace

SystemCurves run_curves(const Problem& problem, const Request& request,
                        const std::function<void(const std::string&)>& say) {
    if (request.every == 0) throw InvalidInput("every 0: give 1 or more iterations");
    options::require_suits_cg(problem, "bench residuals");
    Problem scaled = jacobi_scaled(problem).problem;
    const double norm = norm2(scaled.b, request.threads);
    if (!(norm > 0)) throw InvalidInput(problem.name + ": its right-hand side is zero");
    for (double& value : scaled.b) value /= norm;
    SystemCurves system{problem.name, problem.b.size(), nonzeros_of(problem.system), {}};
    for (const std::string& text : request.specs) {
        const DatapathSpec spec = parse_spec(text);
        std::optional<Run> first;
        std::string refused;
        for (const std::string& name : request.engines) {
            const auto engine = make_engine(name);
            if (const std::string why = engine->refusal(spec, scaled.system, {request.threads, Recurrence::pipelined});
                !why.empty()) {
                refused = fmt::format("{}: {}", name, why);
                continue;
            }
            if (say) say(fmt::format("{}, {}, {}", problem.name, text, name));
            Run run = run_one(scaled, *engine, spec, request);
            if (!first) {
                first = std::move(run);
                first->curve.spec = text;
            } else if (run.hashes != first->hashes || run.curve.end != first->curve.end) {
                first->curve.same_bits = false;
            }
            first->curve.engines.push_back(name);
        }
        if (!first) throw InvalidInput(refused);
        first->curve.refused = refused;
        system.curves.push_back(std::move(first->curve));
    }
    return system;
}

results::Json to_json(const SystemCurves& system) {
    results::Json curves = results::Json::array();
    const auto numbers = [](const std::vector<double>& values) {
        results::Json list = results::Json::array();
        for (const double value : values) list.push_back(results::number(value));
        return list;
    };
    for (const Curve& c : system.curves)
        curves.push_back({{"spec", c.spec},
                          {"engines", c.engines},
                          {"refused", c.refused},
                          {"same_bits", c.same_bits},
                          {"bits", c.bits},
                          {"end", c.end},
                          {"iteration", c.iteration},
                          {"recursive", numbers(c.recursive)},
                          {"true", numbers(c.true_residual)}});
    return {{"problem", system.problem},
            {"unknowns", system.unknowns},
            {"nonzeros", system.nonzeros},
            {"curves", std::move(curves)}};
}

SystemCurves from_json(const results::Json& json) {
    try {
        SystemCurves system{json.at("problem"), json.at("unknowns"), json.at("nonzeros"), {}};
        for (const results::Json& c : json.at("curves")) {
            const auto numbers = [&](const char* name) {
                std::vector<double> values;
                for (const results::Json& v : c.at(name)) values.push_back(v.is_number() ? v.get<double>() : NAN);
                return values;
            };
            system.curves.push_back({c.at("spec"), c.at("engines"), c.at("refused"), c.at("same_bits"), c.at("bits"),
                                     c.at("end"), c.at("iteration"), numbers("recursive"), numbers("true")});
            const Curve& last = system.curves.back();
            if (last.recursive.size() != last.iteration.size() || last.true_residual.size() != last.iteration.size())
                throw InvalidInput("residual curves: lists of different lengths for " + last.spec);
        }
        return system;
    } catch (const results::Json::exception& fault) {
        throw InvalidInput(fmt::format("residual curves: {}", fault.what()));
    }
}

} // namespace mantissa::residuals
