// Weights of figures of cores by least squares of relative errors, and how far they are off. Internal to host/.
#pragma once

#include <cstddef>
#include <vector>

namespace mantissa::tuning {

using Features = std::vector<double>;

/// A core's features and the figure that its netlist has; a truth of 0 is left out of a fit.
struct Sample {
    Features features;
    double truth = 0;
};

/// How far a model is off. Shares of the truth.
struct ModelError {
    std::size_t cores = 0;
    double median = 0, largest = 0;
    bool apart =
        false; ///< of cores that are for judging alone; false: each left out in turn, and modelled from the rest
};

/// Weights of the features, each held back a little, since some cores differ in few features. Sample `left_out` counts
/// for nothing; give samples.size() to leave out none. Zeros where the samples do not tell.
std::vector<double> fit(const std::vector<Sample>& samples, std::size_t left_out);
/// The sum of weighted features.
double weighted(const std::vector<double>& weights, const Features& features);
/// Of shares of the truth, in any order.
ModelError error_of(std::vector<double> shares, bool apart = false);

} // namespace mantissa::tuning
