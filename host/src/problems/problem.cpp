#include "mantissa/host/problem.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "mantissa/base/quoted.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/point.hpp"
#include "problem_kinds.hpp"

namespace mantissa {

namespace {

problems::Description describe(std::string_view text) {
    struct Kind {
        std::string_view name;
        problems::Description (*describe)(std::string_view text, std::string_view options);
    };
    static constexpr Kind kKinds[] = {{"poisson2d", problems::describe_poisson2d},
                                      {"diffusion2d", problems::describe_diffusion2d},
                                      {"poisson3d", problems::describe_poisson3d},
                                      {"mtx", problems::describe_matrix_problem},
                                      {"convection2d", problems::describe_convection2d},
                                      {"convection3d", problems::describe_convection3d},
                                      {"lscm", problems::describe_lscm},
                                      {"dsi", problems::describe_dsi},
                                      {"generated", problems::describe_generated}};
    const auto colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    const std::string_view options = colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
    for (const Kind& kind : kKinds)
        if (name == kind.name) return kind.describe(text, options);
    for (const std::string_view ending : {".mtx", ".mtx.gz"})
        if (text.ends_with(ending))
            throw InvalidInput(
                fmt::format("problem {}: a file's name alone; write mtx: in front of it", base::quoted(text, 200)));
    throw InvalidInput(fmt::format("problem {}: no kind {}; write poisson2d:level=8, diffusion2d:level=7, "
                                   "poisson3d:level=5, convection2d:level=7, convection3d:level=5, mtx:FILE, "
                                   "lscm:MESH, dsi:MESH or generated:kind=nd,n=72000",
                                   base::quoted(text, 200), base::quoted(name)));
}

} // namespace

std::vector<double> Problem::placed(std::vector<double> x) const {
    for (std::size_t i = 0; i < std::min(x.size(), origin.size()); ++i) x[i] += origin[i];
    return x;
}

Problem make_problem(std::string_view text) {
    Problem problem = make_problem_of_columns(text);
    if (!problem.more.empty())
        throw InvalidInput(fmt::format(
            "problem {}: {} right-hand sides; a solve (mantissa solve without --advise, mt.solve_all()) takes "
            "several, here it is one: give a file of one column",
            base::quoted(text, 200), problem.more.size() + 1));
    return problem;
}

Problem make_problem_of_columns(std::string_view text) {
    return describe(text).assemble();
}

ProblemOutline outline_problem(std::string_view text) {
    problems::Description described = describe(text);
    return {std::move(described.name), described.unknowns, std::move(described.files)};
}

} // namespace mantissa
