// What solves that have been made say of those that have not: a Gaussian process over the values of the axes. Internal
// to host/.
#pragma once

#include <cstddef>
#include <vector>

#include "matrix.hpp"

namespace mantissa::tuning {

/// Where a point lies: for each axis a number from 0 (its first value) to 1 (its last).
using Place = std::vector<double>;

struct Guess {
    double mean = 0, sigma = 0;
};

/// Learns a function that scatters by `noise` (a standard deviation, in the function's unit) and guesses it elsewhere.
/// Deterministic.
class Guesser {
public:
    explicit Guesser(double noise) : noise_(noise) {}
    /// What is known, all of it. Every few calls the length along each axis over which the function changes is chosen
    /// anew, by what makes the known values likeliest.
    void learn(std::vector<Place> places, std::vector<double> values);
    [[nodiscard]] Guess at(const Place& place) const;

private:
    [[nodiscard]] double covariance(const Place& a, const Place& b) const;
    /// Factors the covariances; the logarithm of the likelihood, but for a constant.
    double fit();

    double noise_, mean_ = 0, spread_ = 1;
    std::vector<Place> places_;
    std::vector<double> values_, weights_; ///< values less their mean over their spread
    std::vector<double> lengths_;
    std::size_t chosen_for_ = 0; ///< how many were known when lengths were chosen
    Cholesky factor_;
};

} // namespace mantissa::tuning
