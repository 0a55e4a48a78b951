// The space that `mantissa tune` searches: axes with values, and what a point of it asks of a solve and a core.
// Internal to host/.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mantissa/host/solve.hpp"
#include "tune/search/search.hpp"

namespace mantissa::tuning {

struct Axis {
    std::string_view name;
    std::vector<std::string> values;
};

/// What narrows the space, as typed: fix and no as "k=v", vary as "k=a..b" or "k=a,b,c".
struct Narrowing {
    std::vector<std::string> fix, vary, no;
};

/// The axes, in order, with what each is: for help and docs.
struct AxisHelp {
    std::string_view name, values, of, help;
    std::string_view sparse = {}; ///< its values where a core reads sparse rows; empty: the same
    int least = 0, most = 0;      ///< of numbers: beyond, no datapath or no solve has such a value
};
std::span<const AxisHelp> axis_table();

class Space {
public:
    /// `rows` as Cores::rows() says it: constant, streamed or sparse; "cycle": the space of cycles, which the others
    /// leave out. It may be empty(). Throws InvalidInput, one line.
    Space(std::string_view rows, const Narrowing& narrowing);
    /// Is no value of `words` left?
    [[nodiscard]] bool empty() const { return axes_[index("words")].values.empty(); }
    /// Has any of its points a use for the axis?
    [[nodiscard]] bool uses(std::string_view axis) const;
    [[nodiscard]] const std::vector<Axis>& axes() const { return axes_; }
    [[nodiscard]] const std::vector<std::size_t>& sizes() const { return sizes_; }
    /// How many points, those that are refused among them.
    [[nodiscard]] double points() const;
    /// Axes that the point's kind of words has no use for, at their first value.
    [[nodiscard]] Choice canonical(Choice choice) const;
    /// The solve of a point. Throws InvalidInput where its datapath is none.
    [[nodiscard]] SolveOptions options(const Choice& choice, double tolerance) const;
    [[nodiscard]] std::string_view value(const Choice& choice, std::string_view axis) const;

private:
    [[nodiscard]] std::size_t index(std::string_view name) const;
    [[nodiscard]] int number(const Choice& choice, std::string_view axis) const;

    /// Does a point with these words have a use for the axis?
    [[nodiscard]] bool used(const Axis& axis, std::string_view words) const;

    bool streams_, sparse_; ///< streams coefficients; in sparse rows
    std::vector<Axis> axes_;
    std::vector<std::size_t> sizes_;
};

} // namespace mantissa::tuning
