// The exceptions that Mantissa throws on purpose. What else comes out of it (std::bad_alloc, std::system_error) is the
// machine's.
#pragma once

#include <stdexcept>

namespace mantissa {

/// A request that cannot be carried out as written: a format, a file or an option that is wrong or cannot be read or
/// written. The caller mends the request; to repeat it is of no use. what() is one line: what, where, the mend. It
/// names the thing (a field, a file and its line), not the command line's option for it: that the command puts in
/// front.
class InvalidInput : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The request was right, and a tool that it needs (a compiler, Verilator, yosys, nextpnr) is missing, is another
/// version than the one wanted, or failed. Nothing of its result was kept. The caller mends the machine, or does
/// without; what() is one line: which tool, on what, how it ended, the mend. No InvalidInput, so that a caller can tell
/// the two apart.
class ToolFailure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A result that no word of a fixed-point format holds, of Fixed<F>; a division by zero is one too. what() is one line:
/// the operation with its operands, the format and its range. The caller scales, takes a wider format, or asks one of
/// the functions that return std::optional instead (add_checked() and its like in fixed.hpp).
class FixedOverflow : public std::overflow_error {
public:
    using std::overflow_error::overflow_error;
};

} // namespace mantissa
