#include "mantissa/host/problem.hpp"

#include <fmt/format.h>

#include "mantissa/format.hpp"
#include "problem_kinds.hpp"

namespace mantissa {

Problem make_problem(std::string_view text) {
    struct Kind {
        std::string_view name;
        Problem (*make)(std::string_view text, std::string_view options);
    };
    static constexpr Kind kKinds[] = {{"poisson2d", detail::make_poisson2d},
                                      {"diffusion2d", detail::make_diffusion2d},
                                      {"poisson3d", detail::make_poisson3d},
                                      {"mtx", detail::make_matrix_problem}};
    const auto colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    const std::string_view options = colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
    for (const Kind &kind : kKinds)
        if (name == kind.name) return kind.make(text, options);
    throw InvalidInput(fmt::format("problem '{}': no kind '{}'; write poisson2d:level=8, diffusion2d:level=7, "
                                   "poisson3d:level=5 or mtx:FILE",
                                   text.substr(0, 200), name.substr(0, 80)));
}

} // namespace mantissa
