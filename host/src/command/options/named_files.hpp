// The files that a command reads and writes: no output may take the place of an input, or of another output.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace mantissa::cli {

/// A file, and what names it for the user: an option as "--csv", or a word as "file".
struct NamedFile {
    std::string by, path;
};

/// Throws InvalidInput, one line, where an output is the same file as an input or as another output; links are
/// followed. Devices, FIFOs and "-" take what comes, and empty paths stand for options that were left out.
void refuse_overwriting(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs);

/// Where the results of a sweep's or a comparison's `file` go: to --store where it is `given`, else to what the file
/// names (`named`), else to the file's own name with .sqlite; and who says so.
[[nodiscard]] NamedFile store_of(const std::string& given, const std::string& file, const std::string& named);

/// Puts `files`, which `by` names, to the others.
void add_files(std::vector<NamedFile>& to, const std::string& by, const std::vector<std::string>& files);

/// The same for what a command line names, of whatever command. What a sweep or a comparison names in its file is for
/// these commands to check.
void check_named_files(const CLI::App& app);

} // namespace mantissa::cli
