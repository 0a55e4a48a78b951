// Two engines run side by side and compared bit for bit after every pass.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "mantissa/engine.hpp"

namespace mantissa {

/// The first place where two engines differ.
struct Difference {
    std::uint64_t iteration = 0;    ///< passes run in this session so far, this one included
    std::string signal;             ///< "u", "r", "p", "q", "rho", "pq", "qq", "alpha", "sigma", "beta", "end"
    std::size_t element = 0;        ///< of a vector
    std::string subject, reference; ///< bit patterns, sign exponent fraction; for "end", the words
    /// Clocks of the subject's session between which the pass ran, where it counts clocks.
    std::optional<std::uint64_t> first_clock, last_clock;
};

/// Thrown out of Session::run; what() is one line.
class Mismatch : public std::runtime_error {
public:
    Mismatch(const std::string& line, Difference d) : std::runtime_error(line), difference(std::move(d)) {}
    Difference difference;
};

/// An engine that runs `subject` and `reference` pass by pass and returns the subject's results. Both must outlive it.
/// It refuses what either refuses. `passes`, where given, counts the passes compared and found equal.
std::unique_ptr<Engine> make_checked_engine(const Engine& subject, const Engine& reference,
                                            std::shared_ptr<std::atomic<std::uint64_t>> passes = {});

/// Compares two sessions of the same spec after the same passes; nothing when every bit is the same.
std::optional<Difference> compare_sessions(const Session& subject, const Session& reference, const DatapathSpec& spec,
                                           std::size_t size);

} // namespace mantissa
