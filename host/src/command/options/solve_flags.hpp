// The options of a solve, or of a dense one, on the command line, made from their declarations.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mantissa/host/options.hpp"

namespace CLI {
class App;
}

namespace mantissa::cli {

class SolveFlags {
public:
    explicit SolveFlags(std::span<const options::Option> among = options::table());
    /// Declares every option of a group on `app`; whole numbers are checked while the line is read.
    void declare(CLI::App& app, options::Group group);
    /// Those that cannot stand together; once all groups are declared.
    void exclude(CLI::App& app) const;
    /// What was given. Throws InvalidInput, one line that begins with the option.
    [[nodiscard]] SolveOptions options() const;
    /// What was given, where the options are those of a dense solve. Throws likewise.
    void give_to(DenseOptions& dense) const;
    /// The options that were given, in the table's order.
    [[nodiscard]] std::vector<const options::Option*> given() const;

    [[nodiscard]] bool given(const options::Option& option) const;
    /// Of one that was given.
    [[nodiscard]] const options::Value& value(const options::Option& option) const;

private:
    std::span<const options::Option> among_;
    std::vector<std::optional<options::Value>> values_; ///< as `among_`
};

/// "--max-iterations"; of a truth whose default is yes the flag that says no.
std::string flag_of(const options::Option& option);
/// The help of an option, with what it takes.
std::string help_of(const options::Option& option);

} // namespace mantissa::cli
