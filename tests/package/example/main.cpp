// A project outside Mantissa: a format as a type, and a mixed-precision solve.
#include <cstdio>

#include <mantissa/float.hpp>
#include <mantissa/host/solve.hpp>

using namespace mantissa::literals;

int main() {
    using Short = mantissa::Float<"s17e8"_fmt>;
    Short sum(0.0);
    for (int i = 1; i <= 1000; ++i) sum += Short(1.0) / Short(i);
    std::printf("sum of 1/i to 1000 in s17e8: %.6f\n", static_cast<double>(sum));

    mantissa::SolveOptions options;
    options.spec = mantissa::parse_spec("s14e8,u=s23e8,row=s20e8,dot=fixed[13:-50]");
    const auto result =
        mantissa::solve(mantissa::make_problem("poisson2d:level=6"), *mantissa::make_emulated_engine(), options);
    std::printf("%s: %llu inner and %llu outer iterations, true residual %.2e\n", to_string(result.status).c_str(),
                static_cast<unsigned long long>(result.inner_iterations),
                static_cast<unsigned long long>(result.outer_iterations), result.true_residual);
    return result.status == mantissa::Status::converged ? 0 : 1;
}
