#include "solves.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "mantissa/base/jobs.hpp"
#include "mantissa/base/quoted.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/provenance.hpp"
#include "mantissa/host/registry.hpp"
#include "text/key_values.hpp"

namespace mantissa::tuning {

namespace {

constexpr int kCoarsestLevel = 5;

/// `text` up to and with "level=", the level, and what follows.
struct Levelled {
    std::string before, after;
    int level = 0;
};
std::optional<Levelled> levelled(const std::string& problem) {
    // Of a grid, poisson2d:level=8. (A file's path may have the word in it, and begin with it.)
    const std::size_t at = problem.find("d:level=") + 2;
    if (at != problem.find(':') + 1) return std::nullopt;
    const std::size_t digits = at + 6, end = std::min(problem.find(',', digits), problem.size());
    Levelled l{problem.substr(0, digits), problem.substr(end), 0};
    if (!text::read_number(std::string_view(problem).substr(digits, end - digits), l.level)) return std::nullopt;
    return l;
}

} // namespace

Solves::Solves(Store& store, std::string command, int threads)
    : store_(store), command_(std::move(command)), threads_(threads), engine_(make_engine("emulated")) {}

const Problem& Solves::problem(const std::string& name) {
    const auto it = problems_.find(name);
    return it != problems_.end() ? it->second : problems_.emplace(name, make_problem(name)).first->second;
}

std::vector<SolveResult> Solves::results(std::span<const Point> points) {
    std::vector<SolveResult> all(points.size());
    std::vector<std::size_t> todo;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (auto known = store_.find(points[i])) {
            all[i] = std::move(*known);
            ++stored_;
        } else {
            problem(points[i].problem); // (made here, by one thread)
            todo.push_back(i);
        }
    }
    base::run_jobs(
        todo.size(), threads_,
        [&](std::size_t k) {
            const Point& point = points[todo[k]];
            SolveResult& result = all[todo[k]];
            try {
                result = solve(problems_.at(point.problem), *engine_, point.options);
            } catch (const InvalidInput& refused) {
                result.status = Status::breakdown;
                result.detail = refused.what();
            }
        },
        [&](std::size_t k) {
            const Point& point = points[todo[k]];
            store_.put(point, all[todo[k]], problems_.at(point.problem).system.size(), current_provenance(command_));
            ++made_;
        });
    return all;
}

double Solves::reference(const std::string& name, double tolerance) {
    if (const auto it = references_.find(name); it != references_.end()) return it->second;
    Point point;
    point.problem = name;
    point.options.scheme = Scheme::cg;
    point.options.spec = DatapathSpec(formats::kDouble);
    point.options.tolerance = tolerance;
    point.options.jacobi = problem(name).system.kind() == System::Kind::sparse; // as its cores' solves
    const SolveResult r = results({&point, 1}).front();
    if (!gives_count(point.options.scheme, r.status, r.true_residual, tolerance))
        throw InvalidInput(fmt::format("problem {}: CG in double precision ended {}; loosen the tolerance, or see "
                                       "mantissa solve --advise",
                                       base::quoted(name), to_string(r.status)));
    return references_[name] = static_cast<double>(r.inner_iterations);
}

std::vector<std::string> coarser(const std::string& problem) {
    std::vector<std::string> list;
    const auto l = levelled(problem);
    if (!l) return list;
    for (const int down : {2, 1})
        if (l->level - down >= kCoarsestLevel)
            list.push_back(fmt::format("{}{}{}", l->before, l->level - down, l->after));
    return list;
}

std::vector<std::string> other_sides(const std::string& problem, int count) {
    std::vector<std::string> list;
    // (A name has its right-hand side last. One from a file has no others like it.)
    const std::string matrix = problem.substr(0, problem.rfind(",rhs=random,seed="));
    if (!problem.starts_with("poisson2d:") &&
        !(problem.starts_with("mtx:") && matrix.find(",rhs=") == std::string::npos))
        return list;
    for (int seed = 1; static_cast<int>(list.size()) < count; ++seed) {
        std::string side = outline_problem(fmt::format("{},rhs=random,seed={}", matrix, seed)).name;
        if (side != problem) list.push_back(std::move(side));
    }
    return list;
}

} // namespace mantissa::tuning
