// Files as a whole: read into memory, written in one step, and asked beforehand whether they can be.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mantissa::base {

struct FileText {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;
    [[nodiscard]] std::string_view view() const { return {bytes.get(), size}; }
};

/// Throws InvalidInput naming the file and the system's reason; for a folder or a device too. `mend` ends that line.
FileText read_file(const std::string& path, const char* mend = "give the path of a readable file");

/// The same as a string.
std::string read_text(const std::string& path, const char* mend = "give the path of a readable file");

/// The files of a folder with this extension (".sv"), by name; none where there is no such folder.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder, std::string_view extension);

/// "-" in place of a file to write stands for standard output.
inline bool is_standard_output(const std::string& path) {
    return path == "-";
}

/// Writes `text` to `path`. A regular file, or one that is not there yet, is written under another name beside it and
/// renamed into place, so that it is never half written; it keeps its mode and, where that is allowed, its owner. A
/// symbolic link stays: the file that it names is written. A device, a FIFO, or a file in a folder where nothing can be
/// made is written in place. "-" is standard output. Throws InvalidInput naming the file and the system's reason.
void write_file(const std::string& path, std::string_view text);

/// Appends `text` to what the file holds, and waits until all of it is on the disk. Throws like write_file().
void append_to_file(const std::string& path, std::string_view text);

/// Would write_file() be able to write there? Writes nothing. To be asked before long work; throws InvalidInput with
/// one line that begins with `option` ("--history") when not: an empty name, a folder, a missing folder, no permission.
void check_writable(const std::string& option, const std::string& path);

/// The same for a results file (SQLite), which "-" and ":memory:" cannot be.
void check_store_path(const std::string& option, const std::string& path);

/// Do both name one regular file, be it there or still to be made? Links are followed; a device or a FIFO is no file,
/// and neither are "-" and an empty name.
bool same_file(const std::string& a, const std::string& b);

} // namespace mantissa::base
