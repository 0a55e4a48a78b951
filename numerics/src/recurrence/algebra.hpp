// What the interpreter needs of an arithmetic: a recurrence's vectors, by number, and the steps on them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "mantissa/block_algebra.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/recurrence/definition.hpp"

namespace mantissa::recurrence {

class Algebra {
public:
    Algebra() = default;
    Algebra(const Algebra&) = delete;
    Algebra& operator=(const Algebra&) = delete;
    virtual ~Algebra() = default;

    [[nodiscard]] virtual std::size_t size() const = 0;
    /// Rounds values into a vector. False where one does not fit a word; the nearest one is stored.
    virtual bool write(std::size_t vector, std::span<const double> values) = 0;
    virtual void clear(std::size_t vector) = 0;
    virtual void read(std::size_t vector, std::size_t first, std::span<double> values) const = 0;
    /// result = a + (s b), or a - (s b); s is a value of the operand format.
    virtual void update(std::size_t result, std::size_t a, double s, std::size_t b, bool minus) = 0;
    virtual void copy(std::size_t result, std::size_t a) = 0;
    virtual void apply(std::size_t result, std::size_t a) = 0;
    [[nodiscard]] virtual DotResult dot(std::size_t a, std::size_t b) = 0;
    /// values = u + (s p) of elements from `first` on, as update() would leave them; no vector changes.
    virtual void peek(std::size_t u, double s, std::size_t p, std::size_t first, std::span<double> values) const = 0;
    /// Has a word overflowed since this was last asked?
    [[nodiscard]] virtual bool take_overflow() { return false; }
    /// The longest words since this was last asked.
    [[nodiscard]] virtual WordUse take_words() { return {}; }
};

[[nodiscard]] inline const Format& format_of(const DatapathSpec& spec, Field field) {
    return field == Field::u ? spec.u : field == Field::r ? spec.r : field == Field::p ? spec.p : spec.q;
}

std::unique_ptr<Algebra> make_float_algebra(const System& system, const DatapathSpec& spec,
                                            const Definition& definition, int threads);
std::unique_ptr<Algebra> make_word_algebra(const System& system, const DatapathSpec& spec, const Definition& definition,
                                           int threads);

} // namespace mantissa::recurrence
