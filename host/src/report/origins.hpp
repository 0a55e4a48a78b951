// Where figures come from: a list of commands, commits, machines and dates, each figure with its number in it.
// Internal to host/.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mantissa/host/provenance.hpp"

namespace mantissa::report {

struct Origin {
    std::string what, command, commit, machine;
    std::string kind;        ///< measured, modelled or given
    std::string first, last; ///< dates of its first and last figure
    std::size_t rows = 0;    ///< rows of the page's tables that cite it
    int number = 0;          ///< in the page, from 1 in the order of first citation; 0 while not cited
};

/// Origins that differ in their dates only are one.
class Origins {
public:
    /// Its index; the same for the same what, command, commit, machine and kind.
    int add(const std::string& what, const Provenance& provenance, const std::string& kind = "measured");
    /// Counts a citation; its number in the page.
    int cite(int index);
    [[nodiscard]] const Origin& at(int index) const { return list_.at(static_cast<std::size_t>(index)); }
    /// Those cited, by number.
    [[nodiscard]] std::vector<Origin> cited() const;

private:
    std::vector<Origin> list_;
    int last_number_ = 0;
};

} // namespace mantissa::report
