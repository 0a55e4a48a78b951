// `KEY=VALUE,KEY=VALUE` as problem texts use it. Internal to host/.
#pragma once

#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace mantissa::text {

/// The options of one problem text, each of which must be used. A file's path may hold commas: it runs to the next
/// KEY=. Errors are InvalidInput naming the whole text.
class KeyValues {
public:
    /// `text` is the whole problem text, `options` the part after the colon, `known` the keys for the mend.
    KeyValues(std::string_view text, std::string_view options, std::string_view known);

    std::optional<std::string_view> take(std::string_view key);
    /// A whole number in low..high. Without `fallback` the key must be there.
    std::uint64_t integer(std::string_view key, std::uint64_t low, std::uint64_t high,
                          std::optional<std::uint64_t> fallback);
    /// A finite number above zero.
    double positive(std::string_view key, double fallback);
    /// Throws where `key` is given, but not what it is of: "rhs=random". Before that is taken, or not.
    void only_with(std::string_view key, bool there, std::string_view of) const;
    /// Throws where one of `keys` is given beside `other`, which says it all.
    void none_beside(std::string_view other, std::initializer_list<std::string_view> keys) const;
    /// Throws when a key was not taken.
    void finish() const;
    [[noreturn]] void fail(const std::string& what) const;

private:
    [[nodiscard]] bool has(std::string_view key) const;

    std::string text_, known_;
    std::vector<std::pair<std::string_view, std::string_view>> pairs_; ///< into text_
};

/// The whole of `text` as a number; false when it is not one.
template <class T> bool read_number(std::string_view text, T& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

/// The shortest decimal text of a double that reads back as the same value.
std::string shortest(double value);

} // namespace mantissa::text
