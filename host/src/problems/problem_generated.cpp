// Problems with large generated matrices.
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "generated/generated.hpp"
#include "problem_kinds.hpp"
#include "text/key_values.hpp"

namespace mantissa::problems {

Description describe_generated(std::string_view text, std::string_view options) {
    struct Kind {
        std::string_view name;
        std::uint64_t least, most; ///< of n: about 2^30 entries at most
    };
    static constexpr Kind kKinds[] = {
        {"nd", 100, 2500000},          {"band", 300, 5000000},       {"thermal", 100, 16000000},
        {"elasticity", 300, 12000000}, {"scattered", 300, 12000000}, {"power", 100, 16000000},
        {"arrow", 100, 100000000},     {"circuit", 100, 200000000},  {"supply", 100, 200000000}};
    text::KeyValues keys(text, options, "kind, n, seed and order");
    const std::string kind(keys.take("kind").value_or(""));
    const Kind* known = nullptr;
    for (const Kind& k : kKinds)
        if (k.name == kind) known = &k;
    if (known == nullptr)
        keys.fail(fmt::format(
            "kind={} must be nd, band, thermal, elasticity, scattered, power, arrow, circuit or supply", kind));
    std::uint64_t n = keys.integer("n", known->least, known->most, std::nullopt);
    const std::uint64_t seed = keys.integer("seed", 0, UINT64_MAX, 1);
    const std::string order(keys.take("order").value_or("natural"));
    if (order != "natural" && order != "random") keys.fail(fmt::format("order={} must be natural or random", order));
    keys.finish();

    if (kind == "band") n = n / 3 * 3;
    if (kind == "elasticity" || kind == "scattered") n = 3 * brick_nodes(n / 3);
    const bool random = order == "random";
    std::string name = fmt::format("generated:kind={},n={},seed={}{}", kind, n, seed, random ? ",order=random" : "");
    return {name, static_cast<double>(n), [name, kind, n, seed, random] {
                const auto make = [&] {
                    if (kind == "nd") return generate_nd(n, seed);
                    if (kind == "band") return generate_band(n, seed);
                    if (kind == "thermal") return generate_thermal(n, seed);
                    if (kind == "power") return generate_power(n, seed);
                    if (kind == "arrow") return generate_arrow(n, seed);
                    if (kind == "circuit") return generate_circuit(n, seed);
                    if (kind == "supply") return generate_supply(n, seed);
                    CompressedRows rows = generate_elasticity(n / 3, seed);
                    return kind == "elasticity" ? std::move(rows) : scatter(rows, seed);
                };
                return Problem{name, random ? scatter(make(), seed) : make(), std::vector<double>(n, 1.0), {}};
            }};
}

} // namespace mantissa::problems
