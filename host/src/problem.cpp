#include "mantissa/host/problem.hpp"

#include <utility>

#include <fmt/format.h>

#include "mantissa/format.hpp"
#include "mantissa/host/point.hpp"
#include "problem_kinds.hpp"
#include "quoted.hpp"

namespace mantissa {

namespace {

Problem make(std::string_view text, detail::Build build) {
    struct Kind {
        std::string_view name;
        Problem (*make)(std::string_view text, std::string_view options, detail::Build build);
    };
    static constexpr Kind kKinds[] = {{"poisson2d", detail::make_poisson2d},
                                      {"diffusion2d", detail::make_diffusion2d},
                                      {"poisson3d", detail::make_poisson3d},
                                      {"mtx", detail::make_matrix_problem}};
    const auto colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    const std::string_view options = colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
    for (const Kind& kind : kKinds)
        if (name == kind.name) return kind.make(text, options, build);
    throw InvalidInput(fmt::format("problem {}: no kind {}; write poisson2d:level=8, diffusion2d:level=7, "
                                   "poisson3d:level=5 or mtx:FILE",
                                   detail::quoted(text, 200), detail::quoted(name)));
}

} // namespace

Problem make_problem(std::string_view text) {
    return make(text, detail::Build::everything);
}

ProblemOutline outline_problem(std::string_view text) {
    Problem problem = make(text, detail::Build::outline);
    return {std::move(problem.name), static_cast<double>(problem.system.size)};
}

} // namespace mantissa
