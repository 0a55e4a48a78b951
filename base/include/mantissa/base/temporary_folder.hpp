// Folders that do not outlive what they were made for, and the folder that stays.
#pragma once

#include <filesystem>
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
    /// Makes `folder` itself, empty; for a caller who alone may use that name. Of the same kind are its neighbours with
    /// the same extension.
    TemporaryFolder(const std::filesystem::path& folder, const std::string& mend);
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

/// The folder for what is kept between runs: $MANTISSA_CACHE, else $XDG_CACHE_HOME/mantissa, else ~/.cache/mantissa,
/// else a folder in /tmp. Not made here.
std::filesystem::path cache_root();

/// Makes `folder`, a part of cache_root(), and tries to write there. Throws InvalidInput with one line that names
/// MANTISSA_CACHE.
void make_cache_folder(const std::filesystem::path& folder);

} // namespace mantissa::base
