// Files of numbers: plain or gzipped, and never more of them in memory than they can mean. Internal to host/.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "mantissa/base/files.hpp"

namespace mantissa::text {

/// How long a text may be, told by its beginning (64 KiB or more of it, or all there is). Nothing when the beginning
/// does not tell yet. Throws InvalidInput when the beginning is none of such a text.
using TextLimit = std::function<std::optional<std::size_t>(std::string_view beginning)>;

/// The text of a regular file, a FIFO or a pipe, unpacked when it is gzipped (told by its first bytes, not its name).
/// Throws InvalidInput with one line that begins with the path: a folder or device, a file that cannot be read, packed
/// data that are damaged or end too soon, a text longer than `limit` allows or than half of this machine's memory.
base::FileText read_packed_file(const std::string& path, const TextLimit& limit);

/// What is wrong with a text that begins with the mark of a file of another kind, as gzip or UTF-16; empty when it
/// carries no such mark.
std::string foreign_kind(std::string_view beginning);

} // namespace mantissa::text
