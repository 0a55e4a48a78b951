#include "mantissa/host/problem.hpp"

#include <utility>

#include <fmt/format.h>

#include "mantissa/base/quoted.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/point.hpp"
#include "problem_kinds.hpp"

namespace mantissa {

namespace {

Problem make(std::string_view text, problems::Build build) {
    struct Kind {
        std::string_view name;
        Problem (*make)(std::string_view text, std::string_view options, problems::Build build);
    };
    static constexpr Kind kKinds[] = {{"poisson2d", problems::make_poisson2d},
                                      {"diffusion2d", problems::make_diffusion2d},
                                      {"poisson3d", problems::make_poisson3d},
                                      {"mtx", problems::make_matrix_problem}};
    const auto colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    const std::string_view options = colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
    for (const Kind& kind : kKinds)
        if (name == kind.name) return kind.make(text, options, build);
    throw InvalidInput(fmt::format("problem {}: no kind {}; write poisson2d:level=8, diffusion2d:level=7, "
                                   "poisson3d:level=5 or mtx:FILE",
                                   base::quoted(text, 200), base::quoted(name)));
}

} // namespace

Problem make_problem(std::string_view text) {
    return make(text, problems::Build::everything);
}

ProblemOutline outline_problem(std::string_view text) {
    Problem problem = make(text, problems::Build::outline);
    return {std::move(problem.name), static_cast<double>(problem.system.size)};
}

} // namespace mantissa
