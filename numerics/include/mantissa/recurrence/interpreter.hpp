// The reference that reads a recurrence step by step, in any datapath's arithmetic, floats and words: what its
// definition says, to the last rounding. Results do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mantissa/engine.hpp"
#include "mantissa/recurrence/definition.hpp"
#include "mantissa/recurrence/preconditioner.hpp"
#include "mantissa/recurrence/scalar_steps.hpp"
#include "mantissa/spec.hpp"
#include "mantissa/system.hpp"

namespace mantissa::recurrence {

class Algebra;

/// Empty where the interpreter runs `spec` on `system`; else one line that says why not.
[[nodiscard]] std::string refusal(const System& system, const DatapathSpec& spec);

/// A solve by a recurrence. Not for use from two threads at once.
class Interpreter {
public:
    /// Copies what it needs of the system and the definition. Throws InvalidInput with refusal()'s line.
    Interpreter(const System& system, const DatapathSpec& spec, const Definition& definition, int threads = 1,
                Preconditioner preconditioner = {});
    Interpreter(const Interpreter&) = delete;
    Interpreter& operator=(const Interpreter&) = delete;
    ~Interpreter();

    /// Begins a solve of A u = r from u = 0, of the system's size. `given`: the definition's scalars that are given,
    /// each rounded into the scalar format. Throws InvalidInput where they are others in number.
    void start(std::span<const double> r, std::span<const double> given = {});
    /// Iterates until it ends or has made `request.passes` iterations; which of them count, the definition says. n runs
    /// of one iteration equal one run of n, unless the definition watches something: the end of a run is a look at it.
    RunReport run(const RunRequest& request);

    [[nodiscard]] const Definition& definition() const { return definition_; }
    /// A scalar as it stands. Throws InvalidInput where there is none of that name.
    [[nodiscard]] double scalar(std::string_view name) const;
    /// What the threshold of a run is compared with: the square of the recurrence's residual.
    [[nodiscard]] double square() const { return scalars_[definition_.stops_on]; }
    /// The scalar whose test ended the last run; +0 where none did.
    [[nodiscard]] double culprit() const { return findings_.culprit; }
    /// Elements of a vector from `first` on, exactly.
    void read(std::string_view name, std::size_t first, std::span<double> values) const;
    /// The iterate: the solution and, where the recurrence lags, the step that is still to be made, rounded as the next
    /// iteration would round it.
    void solution(std::size_t first, std::span<double> values) const;

private:
    void vector_step(const Step& step);
    RunEnd steps(std::size_t from, std::size_t to, double threshold, bool test, bool& advanced);
    void sum(const Step& step);
    RunEnd close_sums();
    void give_up();

    Definition definition_;
    DatapathSpec spec_;
    Preconditioner preconditioner_;
    std::unique_ptr<Algebra> algebra_;
    std::vector<double> scalars_;
    std::vector<double> in_, out_;     ///< of the preconditioner
    std::uint64_t iterations_ = 0;     ///< since start(), where something is watched
    RunEnd pending_ = RunEnd::passes;  ///< how start() ended
    bool unfit_ = false;               ///< a word of the right-hand side did not fit
    bool overflow_ = false;            ///< a sum on its way left its window
    std::vector<std::uint8_t> totals_; ///< sums on their way
    ScalarFindings findings_;
};

} // namespace mantissa::recurrence
