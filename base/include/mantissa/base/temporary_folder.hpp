// Folders that do not outlive what they were made for.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace mantissa::base {

/// A folder that goes when the object does, or when a signal ends the program (ending.hpp). A program that was killed
/// outright leaves its folder; the next TemporaryFolder of the same kind removes it: a folder whose owner lives is
/// locked, and one that is unlocked and older than a minute is stale.
class TemporaryFolder {
public:
    /// Makes PARENT/KIND-XXXXXX. Throws InvalidInput with one line when it cannot; `mend` ends that line, as "set
    /// TMPDIR to a folder that can be written".
    TemporaryFolder(const std::filesystem::path& parent, const std::string& kind, const std::string& mend);
    /// Makes `folder` itself, empty; for a caller who alone may use that name. Of the same kind are those of its
    /// neighbours for which `same_kind` is true.
    TemporaryFolder(const std::filesystem::path& folder, const std::string& mend,
                    const std::function<bool(const std::filesystem::path&)>& same_kind);
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder();
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    int lock_ = -1;
};

/// Where temporary folders go: $TMPDIR, else /tmp. Throws InvalidInput when that is no folder.
std::filesystem::path temporary_parent();

} // namespace mantissa::base
