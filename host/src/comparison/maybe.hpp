// Values that a stored document holds, holds as null, or lacks; and the texts of closed sets. Internal to host/.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace mantissa::comparison {

/// A figure whose key is always written, as null where it is not known. `lacks` keeps what an earlier version did not
/// write yet from being written now. (Of a std::optional the key is written only where there is a value.)
template <class T> struct Maybe : std::optional<T> {
    using std::optional<T>::optional;
    Maybe(const std::optional<T>& value) : std::optional<T>(value) {}
    bool lacks = false;
};

/// Null where JSON has no number for it.
inline Maybe<double> finite(std::optional<double> value) {
    return value && std::isfinite(*value) ? value : std::nullopt;
}

/// The texts of an enumeration, in its order; the first is empty and stands for what is not said or not known.
template <class E> struct Texts;

template <class E> [[nodiscard]] std::string_view text_of(E value) {
    return Texts<E>::kAll[static_cast<std::size_t>(value)];
}
/// The first where the text is none of them.
template <class E> [[nodiscard]] E value_of(std::string_view text) {
    std::size_t i = 0;
    for (const std::string_view known : Texts<E>::kAll) {
        if (known == text) return static_cast<E>(i);
        ++i;
    }
    return E{};
}
/// The same of a text that this program made: one that is missing in the set would be written as nothing.
template <class E> [[nodiscard]] E known_value_of(std::string_view text) {
    const E value = value_of<E>(text);
    if (text_of(value) != text) throw std::logic_error(std::string(text) + ": no value of its set in a comparison");
    return value;
}

} // namespace mantissa::comparison
