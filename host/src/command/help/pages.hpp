// What `mantissa help` shows. Pages about options are made from the options that the program declares, so that they
// cannot differ from them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "command/command.hpp"

namespace mantissa::cli::help {

struct Topic {
    const char* name;
    const char* summary; ///< one line
    const char* text;    ///< the page, lines of at most 100 columns
};

/// The topics that are no subcommands, in the order in which they are listed.
std::span<const Topic> topics();

/// Command lines of a subcommand, one a line, as a user types them; empty for a subcommand without any.
std::string_view examples(std::string_view subcommand);

/// What the commands say of an option, named without dashes, and examples; empty where none has it.
std::string option_page(const CLI::App& app, std::string_view wanted);

/// Gives every subcommand of `app` its end: examples, and where to read more.
void add_footers(CLI::App& app);

/// The manual page mantissa(1), in roff's man macros.
std::string man_page(const CLI::App& app, std::string_view version);

/// The axes of a solve as one picture, and the schemes that name points of them.
std::string axes();

/// The recurrences that there are, in Markdown.
std::string recurrences();

/// A script for bash that completes subcommands, options, topics and files.
std::string bash_completion(const CLI::App& app);

} // namespace mantissa::cli::help
