// Operations of floating formats on whole arrays, element by element.
#include "bindings.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "mantissa/kernels.hpp"

namespace mantissa::python {

using namespace nb::literals;

namespace {

constexpr std::size_t kBlock =
    2048; ///< elements that are widened, or repeated, at a time: three blocks stay in a cache

Operation operation(std::string_view text) {
    for (const Operation op : kAllOperations)
        if (text == name(op)) return op;
    throw InvalidInput("operation '" + std::string(text) + "': there is none of that name");
}

/// An operand: an array of doubles or floats, or one number for all elements.
class Operand {
public:
    Operand() = default;
    Operand(const Readable& array, std::size_t n, const char* what)
        : data_(array.data()), single_(is_single(array.dtype(), what)), repeated_(array.size() == 1 && n != 1) {
        if (!repeated_ && array.size() != n)
            throw InvalidInput(std::string(what) + ": not as many elements as the result has");
    }
    [[nodiscard]] bool present() const { return data_ != nullptr; }
    [[nodiscard]] bool single() const { return single_; }
    [[nodiscard]] bool repeated() const { return repeated_; }
    [[nodiscard]] const float* floats() const { return static_cast<const float*>(data_); }

    /// Elements first .. first + n - 1 as doubles; in `room` where they are not doubles already.
    std::span<const double> doubles(std::size_t first, std::size_t n, std::vector<double>& room) const {
        if (data_ == nullptr) return {};
        if (repeated_) {
            if (room.size() < n) room.assign(n, single_ ? *floats() : *static_cast<const double*>(data_));
            return {room.data(), n};
        }
        if (!single_) return {static_cast<const double*>(data_) + first, n};
        room.resize(std::max(room.size(), n));
        std::copy_n(floats() + first, n, room.begin());
        return {room.data(), n};
    }

private:
    const void* data_ = nullptr;
    bool single_ = false, repeated_ = false;
};

using Operands = std::array<Operand, 3>;

/// Through doubles: operands may be any numbers, and the result may go into floats, which hold it exactly.
void through_doubles(const Format& f, Operation op, const Operands& in, void* out, bool single, std::size_t first,
                     std::size_t count) {
    const VectorUnit<double> unit(f);
    std::array<std::vector<double>, 3> rooms;
    std::vector<double> result(single ? std::min(kBlock, count) : 0);
    const bool straight = !single && std::none_of(in.begin(), in.end(), [](const Operand& o) {
        return o.present() && (o.single() || o.repeated());
    });
    const std::size_t step = straight ? count : kBlock;
    for (std::size_t i = first; i < first + count; i += step) {
        const std::size_t n = std::min(step, first + count - i);
        const std::span<double> to(single ? result.data() : static_cast<double*>(out) + i, n);
        unit.apply(op, in[0].doubles(i, n, rooms[0]), in[1].doubles(i, n, rooms[1]), in[2].doubles(i, n, rooms[2]), 0.0,
                   to);
        if (single) std::copy_n(to.begin(), n, static_cast<float*>(out) + i); // exact: the format fits a float
    }
}

/// Floats that are values of the format already, at twice the speed.
bool all_floats(const Operands& in, bool single) {
    return single && std::all_of(in.begin(), in.end(),
                                 [](const Operand& o) { return !o.present() || (o.single() && !o.repeated()); });
}

void straight_floats(const Format& f, Operation op, const Operands& in, float* out, std::size_t first,
                     std::size_t count) {
    const VectorUnit<float> unit(f);
    const auto part = [&](const Operand& o) {
        return o.present() ? std::span<const float>(o.floats() + first, count) : std::span<const float>();
    };
    unit.apply(op, part(in[0]), part(in[1]), part(in[2]), 0.0F, {out + first, count});
}

void apply(const Format& f, std::string_view op_name, const Writable& out, const Readable& a,
           const std::optional<Readable>& b, const std::optional<Readable>& c, bool values, int threads) {
    const Operation op = operation(op_name);
    const std::size_t n = out.size();
    const bool single = is_single(out.dtype(), "out");
    if (single && !f.fits<float>())
        throw InvalidInput("out: values of " + to_string(f) + " do not fit float32; give an array of float64");
    Operands in{Operand(a, n, "the first operand"), {}, {}};
    if (b && reads_b(op)) in[1] = Operand(*b, n, "the second operand");
    if (c && reads_c(op)) in[2] = Operand(*c, n, "the third operand");
    if ((reads_b(op) && !in[1].present()) || (reads_c(op) && !in[2].present()))
        throw InvalidInput("operation '" + std::string(op_name) + "': an operand is missing");
    const nb::gil_scoped_release release;
    in_parallel(n, threads, 16384, [&](std::size_t first, std::size_t count) {
        if ((values || op == Operation::convert) && all_floats(in, single))
            return straight_floats(f, op, in, static_cast<float*>(out.data()), first, count);
        if (op == Operation::convert && single && !in[0].single() && !in[0].repeated())
            return VectorUnit<float>(f).convert({static_cast<const double*>(a.data()) + first, count},
                                                {static_cast<float*>(out.data()) + first, count});
        through_doubles(f, op, in, out.data(), single, first, count);
    });
}

} // namespace

void bind_elementwise(nb::module_& m) {
    m.def(
        "apply", &apply, "format"_a, "operation"_a, "out"_a.noconvert(), "a"_a.noconvert(), "b"_a.noconvert().none(),
        "c"_a.noconvert().none(), "values"_a, "threads"_a,
        "out[i] = a[i] op b[i], rounded once into the format. Operands are arrays of float64 or float32 in C order, of "
        "out's size or of one element, and may be any numbers; out may be one of them. With `values` they are values "
        "of "
        "the format, which lets arrays of float32 go straight through.");
    m.def(
        "instruction_set", [] { return std::string(kernel_isa()); }, "The instruction set that kernels use here.");
}

} // namespace mantissa::python
