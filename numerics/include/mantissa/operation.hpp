// The operations of the contract by name, for code that takes them from a table: kernels, tests and measurements.
#pragma once

#include <cstdint>

#include "mantissa/exact.hpp"

namespace mantissa {

/// What is formed from a, b, c and a scalar s: an exact result, rounded once. Where two roundings are said, the product
/// is rounded before it is added.
enum class Operation : std::uint8_t {
    add,        ///< a + b
    sub,        ///< a - b
    mul,        ///< a b
    div,        ///< a / b
    sqrt,       ///< root of a
    scale,      ///< s a
    fma,        ///< a b + c
    add_scaled, ///< b + s a, rounded twice
    sub_scaled, ///< b - s a, rounded twice
    convert,    ///< a
};
inline constexpr int kOperations = 10;
inline constexpr Operation kAllOperations[kOperations] = {
    Operation::add,   Operation::sub, Operation::mul,        Operation::div,        Operation::sqrt,
    Operation::scale, Operation::fma, Operation::add_scaled, Operation::sub_scaled, Operation::convert};

/// "add", "sub", ...
constexpr const char* name(Operation op) {
    constexpr const char* kNames[kOperations] = {"add",   "sub", "mul",        "div",        "sqrt",
                                                 "scale", "fma", "add_scaled", "sub_scaled", "convert"};
    return kNames[static_cast<int>(op)];
}

/// Does it read an operand b? A c?
constexpr bool reads_b(Operation op) {
    return op != Operation::sqrt && op != Operation::scale && op != Operation::convert;
}
constexpr bool reads_c(Operation op) {
    return op == Operation::fma;
}

namespace exact {

/// The operation by name; operands that it does not read are ignored.
constexpr double apply(Operation op, const Format& f, double a, double b, double c, double s) {
    switch (op) {
    case Operation::add:
        return add(f, a, b);
    case Operation::sub:
        return sub(f, a, b);
    case Operation::mul:
        return mul(f, a, b);
    case Operation::div:
        return div(f, a, b);
    case Operation::sqrt:
        return sqrt(f, a);
    case Operation::scale:
        return mul(f, s, a);
    case Operation::fma:
        return fma(f, a, b, c);
    case Operation::add_scaled:
        return add(f, b, mul(f, s, a));
    case Operation::sub_scaled:
        return sub(f, b, mul(f, s, a));
    case Operation::convert:
        return convert(f, a);
    }
    return detail::kNaN;
}

} // namespace exact

} // namespace mantissa
