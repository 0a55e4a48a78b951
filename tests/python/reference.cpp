// The definition of every operation, element by element: what the Python module's arrays are compared with. Shares the
// integers of exact.hpp and fixed_arithmetic.hpp with the library, and none of the kernels that arrays go through.
//
// usage: python_reference FORMAT OPERATION N < operands > results
// Operands: N float64 of a, of b and of c. Results: N float64; of a fixed format the values of words, NaN where the
// result overflowed.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "mantissa/fixed_arithmetic.hpp"
#include "mantissa/operation.hpp"

namespace {

using namespace mantissa;

Operation operation(std::string_view text) {
    for (const Operation op : kAllOperations)
        if (text == name(op)) return op;
    throw InvalidInput("no such operation");
}

double fixed_result(const Format& f, Operation op, double a, double b, double c) {
    const fixed::Word x = fixed::from_double(f, a).word, y = fixed::from_double(f, b).word,
                      z = fixed::from_double(f, c).word;
    fixed::Rounded r;
    switch (op) {
    case Operation::add:
        r = fixed::add(f, x, y);
        break;
    case Operation::sub:
        r = fixed::sub(f, x, y);
        break;
    case Operation::mul:
        r = fixed::mul(f, x, y);
        break;
    case Operation::div:
        r = fixed::div(f, x, y);
        break;
    case Operation::fma:
        r = fixed::fma(f, x, y, z);
        break;
    case Operation::convert:
        r = fixed::from_double(f, a);
        break;
    default:
        throw InvalidInput("fixed formats do not have it");
    }
    return r.overflow ? std::numeric_limits<double>::quiet_NaN() : fixed::to_double(f, r.word);
}

std::vector<double> read(std::size_t n) {
    std::vector<double> values(n);
    if (std::fread(values.data(), sizeof(double), n, stdin) != n) throw InvalidInput("too few operands");
    return values;
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    try {
        const Format f = parse_format(argv[1]);
        const Operation op = operation(argv[2]);
        const std::size_t n = std::strtoull(argv[3], nullptr, 10);
        const std::vector<double> a = read(n), b = read(n), c = read(n);
        std::vector<double> out(n);
        for (std::size_t i = 0; i < n; ++i)
            out[i] = f.is_fixed() ? fixed_result(f, op, a[i], b[i], c[i]) : exact::apply(op, f, a[i], b[i], c[i], 0);
        return std::fwrite(out.data(), sizeof(double), n, stdout) == n ? 0 : 2;
    } catch (const InvalidInput& wrong) {
        std::fprintf(stderr, "%s\n", wrong.what());
        return 2;
    }
}
