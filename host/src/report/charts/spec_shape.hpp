// Where a specification lies in the charts: the width of its vectors and what is wider than they are. Internal to
// host/.
#pragma once

#include <optional>
#include <string>

#include "mantissa/spec.hpp"

namespace mantissa::report {

struct SpecShape {
    DatapathSpec spec;
    int vector_bits = 0;    ///< fraction bits of r, p and q
    int iterate_bits = 0;   ///< of u
    int row_guard_bits = 0; ///< fraction bits of the row sums beyond the vectors'
    bool fixed_dot = false;
    bool plain = false; ///< nothing but u, row sums, rows of differences and dot products differs from the base
    bool is_double = false, is_float = false; ///< IEEE arithmetic throughout: what others are compared with
    [[nodiscard]] bool is_reference() const { return is_double || is_float; }
    /// r, p and q are fixed-point words: the bits above are those below the point, and rows are exact.
    [[nodiscard]] bool words() const { return spec.fixed_vectors(); }
    /// A datapath of the hardware policy that differs from others of its kind in widths only.
    [[nodiscard]] bool reduced() const { return plain && (words() || spec.r.truncates()); }
    [[nodiscard]] bool wide_u() const { return iterate_bits > vector_bits; }
    [[nodiscard]] bool uniform() const {
        return plain && !words() && adds_products(spec.order) && !wide_u() && row_guard_bits == 0 && !fixed_dot;
    }
};

/// Nothing for a text that is no specification of this program, and for one whose r, p and q differ in width.
std::optional<SpecShape> shape_of(const std::string& spec);

/// The text of a specification for readers: "double" and "float" for those two, else the text itself.
std::string spec_label(const std::string& spec);

} // namespace mantissa::report
