// The options of a solve, each declared once (host/src/options/table.cpp). The command line, sweep files, the key of a
// point, JSON, the columns of a store, Python's keywords and the reference page are made from the declarations.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mantissa/host/solve.hpp"

namespace mantissa {
struct DenseOptions;
}

namespace mantissa::options {

/// What an option is about; help is ordered by it.
enum class Group : std::uint8_t { problem, arithmetic, solver, place, output, dense };
/// Those of a solve.
inline constexpr Group kGroups[] = {Group::problem, Group::arithmetic, Group::solver, Group::place, Group::output};
/// "Arithmetic", "Where it runs", ...
const char* title(Group group);

/// What an option takes.
enum class Type : std::uint8_t {
    truth,    ///< yes or no: bool
    whole,    ///< a number from 0 on: std::uint64_t
    integer,  ///< one that may be negative: std::int64_t
    number,   ///< double
    choice,   ///< one of Option::choices: text, as all that follow
    text,     ///< with a form of its own, which `set` checks
    format,   ///< as s17e8
    formats,  ///< several, as s36e11,s23e8
    spec,     ///< a datapath
    schedule, ///< datapaths with the defects below which they are used
};
using Value = std::variant<bool, std::uint64_t, std::int64_t, double, std::string>;

/// Which axis of a solve was asked for by name; finish() makes a scheme of them.
struct Axes {
    std::optional<std::string> scheme; ///< its name
    std::optional<RecurrenceChoice> recurrence;
    std::optional<std::string> outer_loop;
};

/// A solve that is being asked for, option by option.
struct Request {
    SolveOptions options;
    Axes axes;
    bool usual_cycle = false; ///< cycles, and not which: the recurrence has a say
    /// The options, complete, in whatever order the axes were named. Throws InvalidInput where they make no scheme.
    [[nodiscard]] SolveOptions finish() const;
};

/// Has an option a column in a store? Those of `later` came after the first stores: at the end of a row, and NULL where
/// the option is not used.
enum class Column : std::uint8_t { none, first, later };

/// What giving an option asks for, as far as it decides whether a solve is native (host/native.hpp).
enum class Asks : std::uint8_t { datapath, nothing, scheme, solver, format, plan };

/// The declaration of one option.
struct Option {
    std::string_view name; ///< "max-iterations"; see spelt()
    Type type = Type::number;
    Group group = Group::solver;
    std::string_view help = {}; ///< one line, without its range and default
    std::string_view unit = {}; ///< of a number; for messages and the reference
    double low = 0, high = 0;   ///< of numbers; none where both are 0
    bool open = false;          ///< are the bounds themselves outside?
    std::vector<std::string_view> choices = {};
    std::string_view default_text = {};          ///< as a user would write it; empty: none
    std::vector<std::string_view> excludes = {}; ///< names of options that cannot stand beside it
    std::string_view since = "0.1";
    std::string_view no = {};      ///< of a truth whose default is yes: the flag that says no
    std::string_view earlier = {}; ///< another spelling that sweep files and Python have had
    bool on_commands = true;       ///< of `solve` and `simulate`
    bool with_advice = false;      ///< may it stand beside --advise?
    bool with_dense = false;       ///< and beside --dense?
    Column column = Column::none;
    Asks asks = Asks::datapath;
    bool quiet = false;  ///< left out of a point's key at its default
    bool parsed = false; ///< of a choice: `set` knows the names, and says more of a wrong one
    void (*set)(Request&, const Value&) = nullptr;
    void (*set_dense)(DenseOptions&, const Value&) = nullptr; ///< in place of `set`, of a dense solve
    /// The value that a solve with these options uses; nothing where the scheme has no use for it. Null for short forms
    /// of other options.
    std::optional<Value> (*get)(const SolveOptions&) = nullptr;
    std::optional<Value> (*stored)(const SolveOptions&) = nullptr; ///< in a column, where that differs from get()
};

/// All options of a solve, in the order of a point's key.
std::span<const Option> table();

/// What a dense solve takes beside its system.
enum class Dense : std::uint8_t { lu, method, refine, refine_steps, gmres_steps, gmres_tolerance, scale };
/// Its declaration (host/src/options/dense.cpp).
const Option& dense(Dense which);
/// All of them, in that order.
std::span<const Option> dense();

/// What commands take beside them: the system, who solves it, where, and what is written.
enum class Common : std::uint8_t {
    problem,
    engine,
    check,
    threads,
    parts,
    cut,
    exchange,
    rank_wait,
    gpus,
    devices,
    dense,
    advise,
    device,
    store,
    guess,
    history,
    solution,
    json
};
/// Its declaration. Its value goes where the command wants it; only those with `set` go into SolveOptions, too.
const Option& common(Common which);
/// All of them, in that order.
std::span<const Option> common();

/// The name as Python, sweep files, JSON and columns spell it: "max_iterations".
std::string spelt(const Option& option);
/// The option with this spelling; null where there is none. What commands have beside the table is found in common().
const Option* find(std::string_view spelling, std::span<const Option> among = table());
/// Is it the datapath of a solve, whole or as one format?
bool names_datapath(const Option& option);
/// May the two not stand beside each other?
bool exclude_each_other(const Option& a, const Option& b);

/// Gives `option` a value. `name` is what the user calls it. Throws InvalidInput, one line, for a value outside its
/// range.
void give(Request& request, const Option& option, const Value& value, std::string_view name);
/// Likewise an option of dense().
void give(DenseOptions& request, const Option& option, const Value& value, std::string_view name);
/// A value as a user would write it.
std::string text_of(const Value& value);
/// What a number may be: "a whole number from 1 on", "a number from 0.1 to 15".
std::string range_text(const Option& option);

/// " scheme=direct spec=s52e11 ...": the part of a point's key that the options make.
std::string key_text(const SolveOptions& options, std::span<const Option> among = table());
/// Before stores had columns for all options, some stood in the key alone: the value there, if any.
std::optional<Value> value_in_key(std::string_view key, const Option& option);

/// Which axes a scheme stands for.
struct SchemeAxes {
    Scheme scheme;
    std::string_view name;
    std::vector<RecurrenceChoice> recurrences; ///< the first is the scheme's own
    std::string_view preconditioner, outer_loop, note;

    [[nodiscard]] bool has(const RecurrenceChoice& choice) const;
};
/// Every name of --scheme.
std::span<const SchemeAxes> schemes();
/// What these options' scheme stands for: with the recurrence that they name, where a scheme has that.
const SchemeAxes& axes_of(const SolveOptions& options);

/// Why these options cannot stand together, in one line that begins with an option's name; empty where they can. What
/// depends on the engine and the problem is for solve() to say.
std::string refusal(const SolveOptions& options);
/// Likewise, why this problem cannot be solved with them: CG does not take its matrix (Problem::suits_cg()), and they
/// need one that it takes; or it has no such words. Names what takes it.
std::string refusal(const SolveOptions& options, const Problem& problem);
/// What of the options this problem has no use for, in a line; empty where there is nothing.
std::string idle(const SolveOptions& options, const Problem& problem);
/// The same of what runs CG whatever the options: throws InvalidInput with a line that begins with `who` where it does
/// not take the problem's matrix.
void require_suits_cg(const Problem& problem, std::string_view who);
/// Why `option` was given for nothing: what these options make has no use for it, whatever its value; empty where it
/// has. For those who know what was given, since a value may be the default.
std::string unused(const Option& option, const SolveOptions& options);
/// Likewise of a dense solve.
std::string unused(const Option& option, const DenseOptions& options);
/// Throws InvalidInput with the first such line of the options that were given, where refusal() has none to say.
void require_used(std::span<const Option* const> given, const SolveOptions& options);
void require_used(std::span<const Option* const> given, const DenseOptions& options);

} // namespace mantissa::options
