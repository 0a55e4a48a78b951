// A recurrence as a value: the vectors and scalars of an iterative solver and, in order, what is done to them. The
// reference (interpreter.hpp) reads it step by step in a datapath's arithmetic, native kernels (native.hpp) take it as
// a template argument, and what an iteration moves and waits for is derived from it (ledger.hpp). library.hpp has those
// that Mantissa knows.
//
// It is written as text, one statement a line, which define() reads and checks when it is compiled:
//
//     vector NAME FIELD [residual]  in the format of the datapath's FIELD: u, r, p or q; starts as +0, or as the
//                                   right-hand side rounded into it
//     scalar NAME [one | infinity | given]  starts as +0, or so; given: as whoever starts a solve says, in order
//     clears NAME ...               scalars that are +0 after a run that could not go on
//     solution U [+ ALPHA P]        the iterate; where the recurrence lags, what is still to be added
//     needs positive-definite | symmetric | nothing      of the matrix
//     counts begun | advanced       an iteration counts from its beginning, or once it changes the solution
//     start                         the statements after it run once, when a right-hand side has come
//     iterate                       and those after it once an iteration
//     watch N                       and those after it, sums and scalars alone, after every N iterations and the last
//     X = Y + S Z     X = Y - S Z   each element: S, a scalar in the operand format, times Z, and the sum, each rounded
//                                   to X's format (fixed words: Y and the product each onto X's grid, the sum exact)
//     X = Y                         rounded to X's format
//     X = A Y                       rows as the datapath forms them, the result in X's format
//     X = M Y                       the preconditioner; where there is none, X = Y
//     a = X . Y                     a dot product as the datapath forms it, a value of the scalar format
//     a = b + c   - * /             in the scalar format, rounded once;  a = - b   exact
//     guard a                       +0 in its place when its sign bit is set; counted
//     finite a                      ends the run with not_finite unless it is
//     exact a                       ... with exact where a is zero: nothing is left to reduce
//     definite a                    ... with indefinite unless a is above zero
//     unbroken a                    ... with breakdown where a is zero
//     stop a                        ... with rho_reached where a is below the threshold of the run
//
// Dot products that follow one another with nothing but products of A between them and the first scalar that is formed
// of them are summed together: that scalar is where the processors wait for one another, and where a window or a word
// that overflowed ends the run with window_overflow and +0 in the totals.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "mantissa/errors.hpp"

namespace mantissa::recurrence {

/// A short name that can be part of a template argument.
struct Name {
    std::array<char, 24> text{};
    [[nodiscard]] constexpr std::string_view view() const {
        std::size_t n = 0;
        while (n < text.size() && text[n] != '\0') ++n;
        return {text.data(), n};
    }
    friend constexpr bool operator==(const Name&, const Name&) = default;
};

/// Which format of a DatapathSpec a vector has.
enum class Field : std::uint8_t { u, r, p, q };
/// What a recurrence asks of the matrix.
enum class Needs : std::uint8_t { nothing, symmetric, positive_definite };
enum class Initial : std::uint8_t { zero, one, infinity, given };
enum class Counts : std::uint8_t { begun, advanced };

struct Vector {
    Name name;
    Field field = Field::u;
    bool residual = false; ///< starts as the right-hand side
    friend constexpr bool operator==(const Vector&, const Vector&) = default;
};

struct Scalar {
    Name name;
    Initial initial = Initial::zero;
    bool cleared = false; ///< +0 after a run that could not go on
    friend constexpr bool operator==(const Scalar&, const Scalar&) = default;
};

enum class Operation : std::uint8_t {
    // vectors
    add_scaled,   ///< result = a + (s b)
    sub_scaled,   ///< result = a - (s b)
    copy,         ///< result = a
    apply,        ///< result = A a
    precondition, ///< result = M a
    // sums
    dot, ///< result = a . b
    // scalars
    assign,   ///< result = a
    negate,   ///< result = -a
    add,      ///< result = a + b
    subtract, ///< result = a - b
    multiply, ///< result = a b
    divide,   ///< result = a / b
    guard,    ///< a
    finite,
    exact,
    definite,
    unbroken,
    stop,
};
[[nodiscard]] constexpr bool on_vectors(Operation o) {
    return o <= Operation::precondition;
}
[[nodiscard]] constexpr bool on_scalars(Operation o) {
    return o >= Operation::assign;
}
/// A step that forms a scalar, rather than testing one.
[[nodiscard]] constexpr bool forms_scalar(Operation o) {
    return o >= Operation::assign && o <= Operation::divide;
}

/// One statement; numbers of vectors or of scalars, as the operation has them.
struct Step {
    Operation operation = Operation::copy;
    std::uint8_t result = 0, a = 0, b = 0;
    std::uint8_t scalar = 0; ///< of add_scaled and sub_scaled
    friend constexpr bool operator==(const Step&, const Step&) = default;
};

/// A recurrence. Made by define(); what it says is consistent then.
struct Definition {
    static constexpr std::size_t kMostVectors = 12, kMostScalars = 20, kMostSteps = 56;
    static constexpr std::uint8_t kNone = 255;

    Name name;
    Needs needs = Needs::positive_definite;
    Counts counts = Counts::advanced;
    std::array<Vector, kMostVectors> vector{};
    std::array<Scalar, kMostScalars> scalar{};
    std::array<Step, kMostSteps> step{};
    std::uint8_t vectors = 0, scalars = 0, steps = 0;
    std::uint8_t first = 0;   ///< steps in front of it run once
    std::uint8_t watched = 0; ///< those from it on run after every `every` iterations; `steps` where none do
    std::uint8_t every = 0;
    std::uint8_t solution = kNone, lag_scalar = kNone, lag_vector = kNone;
    std::uint8_t stops_on = kNone; ///< the scalar that is compared with the threshold

    /// Numbers by name; kNone where there is none.
    [[nodiscard]] constexpr std::uint8_t vector_named(std::string_view text) const {
        for (std::uint8_t i = 0; i < vectors; ++i)
            if (vector[i].name.view() == text) return i;
        return kNone;
    }
    [[nodiscard]] constexpr std::uint8_t scalar_named(std::string_view text) const {
        for (std::uint8_t i = 0; i < scalars; ++i)
            if (scalar[i].name.view() == text) return i;
        return kNone;
    }
    friend constexpr bool operator==(const Definition&, const Definition&) = default;
};

namespace detail {

/// The statements of a definition, read from its text.
class Reader {
public:
    constexpr Reader(std::string_view name, std::string_view text) : rest_(text) { d_.name = named(name); }

    constexpr Definition read() {
        while (!rest_.empty()) {
            const std::size_t end = rest_.find('\n');
            split(rest_.substr(0, end));
            rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
            if (words_ > 0) statement();
        }
        if (d_.every == 0) d_.watched = d_.steps;
        whole();
        return d_;
    }

private:
    static constexpr void require(bool good, const char* why) {
        if (!good) throw InvalidInput(why);
    }
    static constexpr Name named(std::string_view text) {
        Name name;
        require(!text.empty() && text.size() < name.text.size(), "recurrence: a name has 1 to 23 characters");
        for (std::size_t i = 0; i < text.size(); ++i) name.text[i] = text[i];
        return name;
    }

    constexpr void split(std::string_view line) {
        words_ = 0;
        for (std::size_t at = 0; at < line.size();) {
            while (at < line.size() && line[at] == ' ') ++at;
            std::size_t end = at;
            while (end < line.size() && line[end] != ' ') ++end;
            if (end == at) break;
            require(words_ < word_.size(), "recurrence: a statement has too many words");
            word_[words_++] = line.substr(at, end - at);
            at = end;
        }
    }
    [[nodiscard]] constexpr std::string_view word(std::size_t i) const {
        return i < words_ ? word_[i] : std::string_view();
    }

    constexpr void statement() {
        const std::string_view head = word(0);
        if (word(1) == "=") return equation();
        if (head == "vector") return vector();
        if (head == "scalar") return scalar();
        if (head == "clears") {
            for (std::size_t i = 1; i < words_; ++i) d_.scalar[the_scalar(word(i))].cleared = true;
        } else if (head == "solution") {
            d_.solution = the_vector(word(1));
            require(words_ == 2 || (words_ == 5 && word(2) == "+"),
                    "recurrence: write solution U or solution U + ALPHA P");
            if (words_ == 5) {
                d_.lag_scalar = the_scalar(word(3));
                d_.lag_vector = the_vector(word(4));
            }
        } else if (head == "needs") {
            d_.needs = word(1) == "nothing"     ? Needs::nothing
                       : word(1) == "symmetric" ? Needs::symmetric
                                                : Needs::positive_definite;
            require(d_.needs != Needs::positive_definite || word(1) == "positive-definite",
                    "recurrence: it needs positive-definite, symmetric or nothing");
        } else if (head == "counts") {
            require(word(1) == "begun" || word(1) == "advanced", "recurrence: an iteration counts begun or advanced");
            d_.counts = word(1) == "begun" ? Counts::begun : Counts::advanced;
        } else if (head == "start") {
            require(d_.steps == 0, "recurrence: start comes in front of all statements that do something");
        } else if (head == "iterate") {
            require(!iterates_, "recurrence: it iterates once");
            iterates_ = true;
            d_.first = d_.steps;
        } else if (head == "watch") {
            watch();
        } else {
            test(head);
        }
    }

    constexpr void watch() {
        require(iterates_ && d_.every == 0 && d_.steps > d_.first,
                "recurrence: it watches once, after what it iterates");
        for (const char digit : word(1)) {
            require(digit >= '0' && digit <= '9' && d_.every < 20, "recurrence: write watch N, with 1 to 199 for N");
            d_.every = static_cast<std::uint8_t>(10 * d_.every + (digit - '0'));
        }
        require(words_ == 2 && d_.every > 0, "recurrence: write watch N, with 1 to 199 for N");
        d_.watched = d_.steps;
    }

    constexpr void vector() {
        require(words_ == 3 || words_ == 4,
                "recurrence: write vector NAME FIELD, and residual where it starts as that");
        require(d_.vectors < Definition::kMostVectors, "recurrence: too many vectors");
        fresh(word(1));
        const std::string_view field = word(2);
        require(field == "u" || field == "r" || field == "p" || field == "q",
                "recurrence: a vector's field is u, r, p or q");
        require(words_ == 3 || word(3) == "residual", "recurrence: a vector starts as residual, or as zero");
        d_.vector[d_.vectors++] = {named(word(1)),
                                   field == "u"   ? Field::u
                                   : field == "r" ? Field::r
                                   : field == "p" ? Field::p
                                                  : Field::q,
                                   words_ == 4};
    }
    constexpr void scalar() {
        require(words_ == 2 || words_ == 3,
                "recurrence: write scalar NAME, and one, infinity or given where it starts so");
        require(d_.scalars < Definition::kMostScalars, "recurrence: too many scalars");
        fresh(word(1));
        require(words_ == 2 || word(2) == "one" || word(2) == "infinity" || word(2) == "given",
                "recurrence: a scalar starts as one, infinity or given");
        d_.scalar[d_.scalars++] = {named(word(1)),
                                   words_ == 2          ? Initial::zero
                                   : word(2) == "one"   ? Initial::one
                                   : word(2) == "given" ? Initial::given
                                                        : Initial::infinity,
                                   false};
    }
    constexpr void fresh(std::string_view name) const {
        require(name != "A" && name != "M", "recurrence: A is the matrix and M the preconditioner");
        require(d_.vector_named(name) == Definition::kNone && d_.scalar_named(name) == Definition::kNone,
                "recurrence: a name stands for one thing");
    }

    [[nodiscard]] constexpr std::uint8_t the_vector(std::string_view name) const {
        const std::uint8_t i = d_.vector_named(name);
        require(i != Definition::kNone, "recurrence: a statement names a vector that is not declared");
        return i;
    }
    [[nodiscard]] constexpr std::uint8_t the_scalar(std::string_view name) const {
        const std::uint8_t i = d_.scalar_named(name);
        require(i != Definition::kNone, "recurrence: a statement names a scalar that is not declared");
        return i;
    }

    constexpr void add(const Step& step) {
        require(d_.steps < Definition::kMostSteps, "recurrence: too many statements");
        d_.step[d_.steps++] = step;
    }

    /// NAME = ...
    constexpr void equation() {
        if (d_.vector_named(word(0)) != Definition::kNone) return of_vectors(the_vector(word(0)));
        const std::uint8_t result = the_scalar(word(0));
        if (words_ == 3) return add({Operation::assign, result, the_scalar(word(2))});
        if (words_ == 4 && word(2) == "-") return add({Operation::negate, result, the_scalar(word(3))});
        require(words_ == 5, "recurrence: a scalar is a, - b, b + c, b - c, b * c, b / c or X . Y");
        const std::string_view sign = word(3);
        if (sign == ".") return add({Operation::dot, result, the_vector(word(2)), the_vector(word(4))});
        require(sign == "+" || sign == "-" || sign == "*" || sign == "/",
                "recurrence: a scalar is a, - b, b + c, b - c, b * c, b / c or X . Y");
        add({sign == "+"   ? Operation::add
             : sign == "-" ? Operation::subtract
             : sign == "*" ? Operation::multiply
                           : Operation::divide,
             result, the_scalar(word(2)), the_scalar(word(4))});
    }
    constexpr void of_vectors(std::uint8_t result) {
        if (words_ == 3) return add({Operation::copy, result, the_vector(word(2))});
        if (words_ == 4) {
            const bool product = word(2) == "A";
            require(product || word(2) == "M", "recurrence: a vector is Y, A Y, M Y, Y + S Z or Y - S Z");
            const std::uint8_t of = the_vector(word(3));
            require(of != result, "recurrence: a product does not overwrite what it is formed of");
            return add({product ? Operation::apply : Operation::precondition, result, of});
        }
        require(words_ == 6 && (word(3) == "+" || word(3) == "-"),
                "recurrence: a vector is Y, A Y, M Y, Y + S Z or Y - S Z");
        add({word(3) == "+" ? Operation::add_scaled : Operation::sub_scaled, result, the_vector(word(2)),
             the_vector(word(5)), the_scalar(word(4))});
    }
    constexpr void test(std::string_view head) {
        constexpr std::array<std::string_view, 6> names{"guard", "finite", "exact", "definite", "unbroken", "stop"};
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (head != names[i]) continue;
            require(words_ == 2, "recurrence: a test names one scalar");
            const auto operation = static_cast<Operation>(static_cast<std::size_t>(Operation::guard) + i);
            const std::uint8_t of = the_scalar(word(1));
            if (operation == Operation::stop) {
                require(d_.stops_on == Definition::kNone && iterates_, "recurrence: an iteration stops on one scalar");
                d_.stops_on = of;
            }
            return add({operation, of, of});
        }
        throw InvalidInput("recurrence: a statement begins with none of the words that there are");
    }

    /// What no single statement can say.
    constexpr void whole() const {
        require(iterates_ && d_.first < d_.watched, "recurrence: it has no statement after iterate");
        for (std::size_t i = d_.watched; i < d_.steps; ++i)
            require(!on_vectors(d_.step[i].operation) && (i == d_.watched || d_.step[i].operation != Operation::dot ||
                                                          d_.step[i - 1].operation == Operation::dot),
                    "recurrence: what it watches are sums, and then scalars of them");
        require(d_.solution != Definition::kNone, "recurrence: it has no solution");
        require(d_.vector[d_.solution].field == Field::u && !d_.vector[d_.solution].residual,
                "recurrence: its solution is of u's format and starts as zero");
        require(d_.stops_on != Definition::kNone, "recurrence: it stops on nothing");
        bool residual = false;
        for (std::size_t i = 0; i < d_.vectors; ++i) {
            residual = residual || d_.vector[i].residual;
            require(i == d_.solution || d_.vector[i].field != Field::u,
                    "recurrence: u's format is the solution's alone");
        }
        require(residual, "recurrence: no vector takes the right-hand side");
        for (std::size_t i = 0; i < d_.steps; ++i) {
            const Step& s = d_.step[i];
            const bool sums = s.operation == Operation::add_scaled || s.operation == Operation::sub_scaled;
            const bool advances = sums && s.result == d_.solution && s.a == d_.solution && s.b != d_.solution;
            const bool touches = (on_vectors(s.operation) && (s.result == d_.solution || s.a == d_.solution)) ||
                                 (sums && s.b == d_.solution) ||
                                 (s.operation == Operation::dot && (s.a == d_.solution || s.b == d_.solution));
            require(!touches || advances, "recurrence: the solution is advanced, U = U + S P, and nothing else");
        }
    }

    std::string_view rest_;
    std::array<std::string_view, 8> word_{};
    std::size_t words_ = 0;
    bool iterates_ = false;
    Definition d_;
};

} // namespace detail

/// The recurrence of this text. Throws InvalidInput, one line, where it says nothing; where it is compiled, that is an
/// error of the compiler.
constexpr Definition define(std::string_view name, std::string_view text) {
    return detail::Reader(name, text).read();
}

} // namespace mantissa::recurrence
