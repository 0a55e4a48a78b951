// Folders that do not outlive what they were made for.
#pragma once

#include <filesystem>
#include <string>

namespace mantissa::base {

/// A folder that goes when the object does, or when a signal ends the program (ending.hpp). A program that was killed
/// outright leaves its folder; the next TemporaryFolder of the same kind beside it removes it. Each folder holds a
/// record
/// (.mantissa-temporary) of its own name and number in the file system: only what has a record that fits, belongs to
/// this user, is unlocked (its owner holds a lock while he lives) and older than a minute is removed. A folder that a
/// user made, copied, renamed or took over keeps what it holds, whatever its name.
class TemporaryFolder {
public:
    /// Makes PARENT/KIND-XXXXXX, for this user alone, under a name that nobody can know beforehand. Throws InvalidInput
    /// with one line when it cannot; `mend` ends that line, as "set TMPDIR to a folder that can be written".
    TemporaryFolder(const std::filesystem::path& parent, const std::string& kind, const std::string& mend);
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder();
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    void remove();

    std::filesystem::path path_;
    int lock_ = -1;
};

/// Where temporary folders go: $TMPDIR, else /tmp. Throws InvalidInput when that is no folder.
std::filesystem::path temporary_parent();

} // namespace mantissa::base
