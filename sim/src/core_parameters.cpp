#include "mantissa/sim/core_parameters.hpp"

#include <algorithm>
#include <bit>
#include <variant>

#include <fmt/format.h>

#include "integer_core.hpp"
#include "mantissa/row_forms.hpp"
#include "mantissa/sim/latencies.hpp"

namespace mantissa::sim {

namespace {

/// Do rows of differences end with a product of a row sum? `system` is what converted_for() gives.
bool has_row_sums(RowOrder order, const System& system) {
    if (adds_products(order)) return false;
    if (const auto* stencil = std::get_if<Stencil>(&system.matrix()); stencil != nullptr)
        return row_sum(stencil->coefficients()) != 0;
    return !std::get<SymmetricBands>(system.matrix()).row_sums().empty();
}

} // namespace

int adder_latency(int fraction_bits) {
    return latency::add_latency(fraction_bits, fraction_bits, fraction_bits);
}

int max_row(std::size_t row_length) {
    std::size_t n = 1024;
    while (n + 1 < row_length) n *= 2;
    return static_cast<int>(n + 1);
}

bool is_integer_core(const CoreParameters& parameters) {
    return std::any_of(parameters.begin(), parameters.end(), [](const auto& p) { return p.first == "UW"; });
}

bool is_resident_core(const CoreParameters& parameters) {
    return std::any_of(parameters.begin(), parameters.end(), [](const auto& p) { return p.first == "OuterLanes"; });
}

bool is_cycle_core(const CoreParameters& parameters) {
    return std::any_of(parameters.begin(), parameters.end(), [](const auto& p) { return p.first == "StoredLevel"; });
}

std::string core_refusal(const DatapathSpec& spec) {
    if (std::string why = blocks_refusal(spec, "the RTL core"); !why.empty()) return why;
    if (spec.fixed_vectors()) return integer_core_refusal(spec);
    struct Named {
        const char* name;
        const Format& format;
    };
    std::vector<Named> all = {{"u", spec.u},
                              {"r", spec.r},
                              {"p", spec.p},
                              {"q", spec.q},
                              {"coef", spec.coefficient},
                              {"operand", spec.operand},
                              {"row", spec.row},
                              {"scalar", spec.scalar}};
    if (!spec.dot.exact_product) all.push_back({"product", spec.dot.product});
    if (!spec.dot.fixed) all.push_back({"dot", spec.dot.accumulator});
    for (const Named& n : all) {
        if (!n.format.flushes())
            return fmt::format("the RTL core flushes subnormals and {}= is {}; use {}", n.name, to_string(n.format),
                               to_string(n.format.with(Subnormals::flush)));
        if (n.format.canonical().overflow == Overflow::saturate)
            return fmt::format("the RTL core has no saturating nearest-even and {}= is {}; leave out sat", n.name,
                               to_string(n.format));
    }
    if (spec.lanes != 1 && spec.lanes != 2 && spec.lanes != 4)
        return fmt::format(
            "the RTL core has 1, 2 or 4 lanes, not {}; give one of these, or fixed-point words, as fx18.16",
            spec.lanes);
    if (!spec.dot.fixed) {
        const int term = spec.dot.exact_product ? 0 : spec.dot.product.fraction_bits;
        const int sum = spec.dot.accumulator.fraction_bits;
        const unsigned least = std::bit_ceil(static_cast<unsigned>(latency::accumulate_least_depth(term, sum)));
        if (spec.dot.depth < static_cast<int>(least))
            return fmt::format("the accumulator's adder takes {} clocks, so its depth must be {} or more, not {}; "
                               "write dot={}/{}",
                               latency::add_latency(sum, term, sum), least, spec.dot.depth,
                               to_string(spec.dot.accumulator), least);
    }
    return {};
}

std::string core_refusal(const DatapathSpec& spec, const System& system) {
    if (std::string why = core_refusal(spec); !why.empty()) return why;
    if (system.kind() == System::Kind::sparse)
        return "the RTL core takes constant stencils and matrices of bands, not sparse rows";
    if (std::string why =
            spec.fixed_vectors() ? integer_core_refusal(spec, system) : row_form_refusal(spec.order, system);
        !why.empty())
        return why;
    if (system.row_length() < static_cast<std::size_t>(spec.lanes))
        return fmt::format("rows of {} elements are shorter than {} lanes; use fewer lanes", system.row_length(),
                           spec.lanes);
    if (system.row_length() > 65537)
        return fmt::format("rows of {} elements are longer than the RTL core's line buffer (65537)",
                           system.row_length());
    if (system.size() >= (std::size_t{1} << 32)) return "the RTL core's vectors have fewer than 2^32 elements";
    return {};
}

std::array<double, kBands> core_coefficients(RowOrder order, const Stencil& stencil) {
    if (adds_products(order)) return stencil.coefficients();
    std::array<double, kBands> registers{};
    if (order == RowOrder::flux) {
        const StencilFluxes f = *fluxes(stencil);
        std::ranges::copy(f.weight, registers.begin());
        registers[kWeights] = f.c;
    } else {
        const SecondDifferences s = *second_differences(stencil);
        registers = {s.alpha, s.beta, s.gamma, s.c};
    }
    return registers;
}

CoreParameters core_parameters(const DatapathSpec& spec) {
    if (spec.fixed_vectors()) return integer_core_parameters(spec);
    CoreParameters list;
    const auto add = [&](const std::string& name, int value) { list.emplace_back(name, value); };
    const auto format = [&](const std::string& prefix, const Format& f, bool rounds) {
        add(prefix + "ExpW", f.exponent_bits);
        add(prefix + "FracW", f.fraction_bits);
        if (rounds) add(prefix + "Rne", f.rounding == Rounding::nearest_even ? 1 : 0);
    };
    format("U", spec.u, true);
    format("R", spec.r, true);
    format("P", spec.p, true);
    format("Q", spec.q, true);
    format("Coef", spec.coefficient, false); // rounded by the host
    format("Operand", spec.operand, true);
    format("Row", spec.row, true);
    add("Order", static_cast<int>(spec.order)); // in the order of the enumeration
    add("Fixed", spec.dot.fixed ? 1 : 0);
    add("Exact", spec.dot.exact_product ? 1 : 0);
    if (!spec.dot.exact_product) format("Term", spec.dot.product, true);
    if (spec.dot.fixed) {
        add("Msb", spec.dot.window.msb);
        add("Lsb", spec.dot.window.lsb);
    } else {
        format("Sum", spec.dot.accumulator, true);
        add("Depth", spec.dot.depth);
    }
    format("Scalar", spec.scalar, true);
    add("Lanes", spec.lanes);
    return list;
}

CoreParameters core_parameters(const DatapathSpec& spec, const System& system) {
    CoreParameters list = core_parameters(spec);
    list.emplace_back("MaxRow", max_row(system.row_length()));
    list.emplace_back("DelayRam", 1); // small memories simulate faster than shift registers
    if (spec.fixed_vectors()) {
        const CoreParameters matrix = matrix_parameters(spec, system);
        for (const auto& parameter : matrix)
            std::erase_if(list, [&](const auto& p) { return p.first == parameter.first; });
        list.insert(list.end(), matrix.begin(), matrix.end());
        list.emplace_back("LenW", length_bits(system.size()));
        return list;
    }
    if (system.kind() == System::Kind::stencil) list.emplace_back("CoefMode", 1);
    if (has_row_sums(spec.order, system)) list.emplace_back("RowSums", 1);
    return list;
}

} // namespace mantissa::sim
