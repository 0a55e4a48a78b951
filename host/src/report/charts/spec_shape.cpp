#include "spec_shape.hpp"

namespace mantissa::report {

std::optional<SpecShape> shape_of(const std::string& text) {
    SpecShape shape;
    try {
        shape.spec = parse_spec(text);
    } catch (const InvalidInput&) {
        return std::nullopt;
    }
    const DatapathSpec& s = shape.spec;
    if (s.p.fraction_bits != s.r.fraction_bits || s.q.fraction_bits != s.r.fraction_bits) return std::nullopt;
    shape.vector_bits = s.r.fraction_bits;
    shape.iterate_bits = s.u.fraction_bits;
    shape.row_guard_bits = s.row.fraction_bits - s.r.fraction_bits;
    shape.fixed_dot = s.dot.fixed;
    DatapathSpec base(s.r);
    base.u = s.u;
    base.row = s.row;
    if (!adds_products(s.order)) base.order = s.order;
    if (s.dot.fixed) base.dot = s.dot;
    shape.plain = base == s;
    shape.is_double = s == DatapathSpec(formats::kDouble);
    shape.is_float = s == DatapathSpec(formats::kFloat);
    return shape;
}

std::string spec_label(const std::string& spec) {
    const auto shape = shape_of(spec);
    return shape && shape->is_double ? "double" : shape && shape->is_float ? "float" : spec;
}

} // namespace mantissa::report
