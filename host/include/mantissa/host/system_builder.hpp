// Building a system row by row: variables with values and locks, rows of a least-squares or a square system, any number
// of right-hand sides. The manner is that of OpenNL (Levy; used by Buatois, Caumon, Levy, IJPEDS 24(3), 2008), the
// result an ordinary System, which every engine and every scheme takes.
//
// Of a row sum_i a_i x_i = c, with f its free and l its locked variables, and S = sum_l a_l x_l - c:
//
//     least squares    N_ij += a_i a_j and b_i -= a_i S for all i, j in f: the normal equations
//     square           row k of the matrix is that of the k-th free variable; b_k = -S
//
// normalize_rows first divides a row (its locked coefficients and c too) by the Euclidean norm of its coefficients; the
// row's scaling multiplies it in either case. Free variables are numbered in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "mantissa/system.hpp"

namespace mantissa {

/// What SystemBuilder forms of the rows that it is given.
struct BuilderOptions {
    std::size_t variables = 0;   ///< at least 1, at most 2^32 - 1
    std::size_t systems = 1;     ///< right-hand sides, at least 1: one matrix, each with its own values and solution
    bool least_squares = true;   ///< else rows are those of a symmetric matrix
    bool normalize_rows = false; ///< divide each row by the norm of its coefficients
    /// Entries off the diagonal with |N_ij| <= drop sqrt(N_ii N_jj) are left out; 0 leaves out zeros alone, and none
    /// where it is negative. In [0, 1) or below zero.
    double drop = 0;
    int threads = 1; ///< of build(); the result does not depend on it
};

/// What a builder made: a matrix on the free variables, and the way back to all of them.
class BuiltSystem {
public:
    BuiltSystem(System system, std::vector<std::vector<double>> b, std::vector<std::vector<double>> values,
                std::vector<std::uint32_t> free)
        : system_(std::move(system)), b_(std::move(b)), values_(std::move(values)), free_(std::move(free)) {}

    [[nodiscard]] const System& system() const { return system_; }
    /// Of right-hand side `s`, an element for each free variable.
    [[nodiscard]] const std::vector<double>& b(std::size_t s = 0) const { return b_.at(s); }
    [[nodiscard]] std::size_t systems() const { return b_.size(); }
    /// The variable of each row of the matrix, ascending.
    [[nodiscard]] const std::vector<std::uint32_t>& free() const { return free_; }
    /// Values that the free variables were given, from the origin on: a start for iterations.
    [[nodiscard]] std::vector<double> start(std::size_t s = 0) const;
    /// Says that the system was built with `origin` (by system, then variable) taken off all values, which are `values`
    /// (likewise) with it. Both have as many elements as the values that the builder was given.
    void put_back(std::vector<std::vector<double>> values, std::vector<std::vector<double>> origin);
    /// What values() adds to each element of a solution; empty where that is nothing.
    [[nodiscard]] std::vector<double> origin(std::size_t s = 0) const;
    /// All variables: the free ones from `x` (an element for each) and the origin, the locked ones as they were. Throws
    /// InvalidInput where x has another length.
    [[nodiscard]] std::vector<double> values(std::span<const double> x, std::size_t s = 0) const;

private:
    System system_;
    std::vector<std::vector<double>> b_, values_, origin_;
    std::vector<std::uint32_t> free_;
};

/// The builder. Calls come in this order; one out of order throws InvalidInput, one line that says what comes first:
///
///     set, lock             variables
///     begin_matrix
///       begin_row  (coefficient | right_hand_side | row_scaling)*  end_row     any number of times
///       add, add_right_hand_side                                               between rows: direct assembly
///     build                 once
///
/// Numbers must be finite and variables and systems exist, else InvalidInput.
class SystemBuilder {
public:
    explicit SystemBuilder(const BuilderOptions& options);

    /// The value of a variable: where iterations start, or what a locked one is.
    void set(std::size_t variable, double value, std::size_t system = 0);
    void lock(std::size_t variable);
    [[nodiscard]] bool locked(std::size_t variable) const;

    void begin_matrix();
    void begin_row();
    /// a x_variable on the left; the same variable twice in a row adds up.
    void coefficient(std::size_t variable, double a);
    /// The row's right-hand side, 0 where it is not given. The last call counts.
    void right_hand_side(double c, std::size_t system = 0);
    /// Multiplies the row, 1 where it is not given.
    void row_scaling(double w);
    void end_row();
    /// matrix(i, j) += v. One with i locked is left out, one with j locked goes to the right-hand side. Whoever adds to
    /// (i, j) adds to (j, i).
    void add(std::size_t i, std::size_t j, double v);
    void add_right_hand_side(std::size_t i, double v, std::size_t system = 0);

    /// The system. Sums are formed in the order of the calls, for each entry by itself, so they are the same for any
    /// number of threads, and the normal equations are symmetric to the bit. Throws InvalidInput where no variable is
    /// free, a free one is in no row, a square system has not as many rows as free variables, or its matrix is not
    /// symmetric to within 2^-40 of its larger partner (the upper triangle is then taken).
    [[nodiscard]] BuiltSystem build();

private:
    enum class State : std::uint8_t { variables, matrix, row, built };
    void need(State state, const char* call, const char* mend) const;
    void check_variable(std::size_t variable, const char* call) const;
    void check_system(std::size_t system, const char* call) const;
    static void check_finite(double value, const char* call);

    struct Entry {
        std::uint32_t column = 0;
        double value = 0;
    };
    struct Direct {
        std::uint32_t row = 0;
        Entry entry;
    };
    friend class Assembly;

    BuilderOptions options_;
    State state_ = State::variables;
    std::vector<std::vector<double>> values_; ///< by system, then variable
    std::vector<std::uint8_t> locked_;
    std::vector<std::uint32_t> free_;  ///< variables, ascending
    std::vector<std::uint32_t> index_; ///< of a free variable among them
    std::vector<Entry> row_;           ///< the row that is being given, by variable
    std::vector<double> row_right_;    ///< by system
    double scaling_ = 1;
    std::vector<std::uint64_t> row_begin_{0}; ///< of all rows: entries of free variables
    std::vector<Entry> entries_;
    std::vector<std::vector<double>> rest_; ///< S of each row, by system
    std::vector<Direct> direct_;
    std::vector<std::vector<double>> direct_right_; ///< by system, then free variable
};

} // namespace mantissa
