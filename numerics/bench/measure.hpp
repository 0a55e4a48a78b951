// What arithmetic costs here, as ratios to a yardstick measured in the same run: vector kernels to native arithmetic,
// Float<F> to the vector kernels, an emulated pass of pipelined CG to the same pass in native float; and a table of all
// paths of the vector kernels by all operations.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "mantissa/format.hpp"

namespace mantissa::bench {

/// The middle one, of an even number the upper of the two. `x` is not empty.
double median(std::vector<double> x);

/// A piece of work and the one that it is compared with.
struct Case {
    std::string name;     ///< "kernel s17e8 add"
    std::string baseline; ///< name of another case
    double target = 0;    ///< least speed relative to the baseline's that is asked for; 0: none
    std::function<void()> run;
    std::string row, column; ///< "double s30e11:rne (directed)" and "add" in the table of all paths; else empty
};

struct CaseOptions {
    std::size_t elements = 1'000'000;   ///< of each array
    int pass_level = 9;                 ///< grid level of the pipelined-CG pass; 0 leaves it out
    std::size_t path_elements = 50'000; ///< of each array in the table of all paths, which fit a cache; 0 leaves it out
};

/// All cases, over arrays that they share and keep alive: not for use from two threads at once. Baselines stand among
/// them.
std::vector<Case> make_cases(const CaseOptions& options = {});

struct Ratio {
    std::string name, baseline;
    double seconds = 0, baseline_seconds = 0; ///< medians
    double speed = 0;                         ///< median over repetitions of the baseline's time over this one's
    double target = 0;
    std::string row, column; ///< as in Case
};

/// Formats that between them take every path of the vector kernels, in T (float or double).
template <class T> std::vector<Format> path_formats();
/// Columns of the table of all paths.
std::vector<std::string> path_operations();

/// Times every case beside its baseline, `repetitions` times in turn, after untimed calls that bring its arrays into
/// the cache. Cases without a baseline among `cases` are left out.
std::vector<Ratio> measure(const std::vector<Case>& cases, int repetitions = 21);

} // namespace mantissa::bench
