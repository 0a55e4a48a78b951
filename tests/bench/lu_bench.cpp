// Rates of the emulated factorisation beside LAPACK's, interleaved: updates (a product and a difference) of the
// trailing matrix per second, n^3 / 3 of them, best of `turns`.
//
//     lu_bench [N] [TURNS] [THREADS]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "mantissa/lu/factor.hpp"

extern "C" {
void sgetrf_(const int* m, const int* n, float* a, const int* lda, int* ipiv, int* info);
void dgetrf_(const int* m, const int* n, double* a, const int* lda, int* ipiv, int* info);
}

namespace {

using mantissa::DenseMatrix;

DenseMatrix uniform(std::size_t n) {
    DenseMatrix a(n);
    std::uint64_t state = 1;
    for (std::size_t i = 0; i < n; ++i)
        for (double& x : a.row(i)) {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            x = static_cast<double>(state >> 11) * 0x1p-53 - 0.5;
        }
    return a;
}

/// LAPACK's factorisation of the transpose, which is as good a random matrix.
template <class T, auto getrf> void lapack(const DenseMatrix& a) {
    const int n = static_cast<int>(a.size());
    std::vector<T> copy(a.values().begin(), a.values().end());
    std::vector<int> pivots(a.size());
    int info = 0;
    getrf(&n, &n, copy.data(), &n, pivots.data(), &info);
    if (info != 0) std::abort();
}

double seconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

int main(int argc, char** argv) {
    const auto number = [&](int at, int otherwise) { return argc > at ? std::atoi(argv[at]) : otherwise; };
    const auto n = static_cast<std::size_t>(std::max(1, number(1, 512)));
    const int turns = std::max(1, number(2, 5)), threads = std::max(1, number(3, 1));
    const DenseMatrix a = uniform(n);
    struct Entry {
        std::string name;
        std::function<void()> work;
        double best = 1e300;
    };
    std::vector<Entry> entries = {{"LAPACK sgetrf", [&] { lapack<float, sgetrf_>(a); }},
                                  {"LAPACK dgetrf", [&] { lapack<double, dgetrf_>(a); }}};
    for (const char* text : {"lu:float", "lu:s23e8", "lu:s17e8", "lu:s10e5", "lu:s10e5:rne", "lu:half",
                             "lu:s10e5,acc=s23e8", "lu:s10e5,acc=s23e8,order=blocked:32", "lu:s7e8", "lu:double",
                             "lu:s10e5,acc=fixed[15:-34]", "lu:s7e8,acc=fixed[15:-34]",
                             "lu:s10e5,acc=fixed[15:-34],pivot=tournament:32:128", "lu:s36e11,acc=fixed[13:-50]"})
        entries.push_back({text, [&a, threads, spec = mantissa::parse_lu_spec(text)] {
                               if (factor(spec, a, threads).end != mantissa::LuEnd::factored) std::abort();
                           }});
    for (int turn = 0; turn < turns; ++turn)
        for (Entry& e : entries) e.best = std::min(e.best, seconds_of(e.work));
    const double updates = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n) / 3;
    std::printf("n = %zu, %d threads, best of %d\n", n, threads, turns);
    for (const Entry& e : entries)
        std::printf("%-52s %9.4f s %8.3f G updates/s %7.3f of sgetrf\n", e.name.c_str(), e.best,
                    1e-9 * updates / e.best, entries[0].best / e.best);
}
