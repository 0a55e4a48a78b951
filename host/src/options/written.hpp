// What is written from the declarations of options for people and for other languages. Internal to host/.
#pragma once

#include <span>
#include <string>

#include "mantissa/host/options.hpp"

namespace mantissa::options {

/// The scheme table and the options by group, in Markdown: docs/options.md.
std::string reference_page(std::span<const Option> among = table());
/// The keywords of Python's solve() and simulate() with their types: python/mantissa/_options.py.
std::string python_keywords(std::span<const Option> among = table());
/// What each scheme stands for, in columns.
std::string scheme_table();

} // namespace mantissa::options
