// What is dear to make and the same every time: kept in files under a hash of all that it is made from.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace mantissa::base {

/// The folder for what is kept between runs: $MANTISSA_CACHE, else $XDG_CACHE_HOME/mantissa, else ~/.cache/mantissa,
/// else mantissa-cache-UID, this user's own, among the temporary folders. An XDG_CACHE_HOME or HOME that is no absolute
/// path does not count (the XDG rules want that), nor one on whose way a folder belongs to another user: a program run
/// with somebody else's HOME neither runs what lies there nor writes to it. Not made here.
std::filesystem::path cache_root();

/// Makes `folder`, cache_root() or a part of it, for this user alone, tries to write there and returns it. Throws
/// InvalidInput with one line that names MANTISSA_CACHE; also when path_trust() (own_path.hpp) says no: what lies there
/// is loaded and run.
std::filesystem::path make_cache_folder(const std::filesystem::path& folder);

/// A name for a list of texts: FNV-1a, 128 bits. It tells things apart that differ by chance or by an edit; it is no
/// defence against someone who looks for two lists with one name.
class HashName {
public:
    /// Where one text ends and the next begins counts: ("ab", "c") and ("a", "bc") differ.
    HashName& add(std::string_view text);
    /// 32 hexadecimal digits.
    [[nodiscard]] std::string text() const;

private:
    unsigned __int128 state_ = (static_cast<unsigned __int128>(0x6c62272e07bb0142) << 64) | 0x62b821756295c58d;
};

/// Holds an exclusive lock on a file, made when it is not there, for as long as it lives. Waits for another holder, in
/// this process or another. Throws InvalidInput when the file cannot be made.
class FileLock {
public:
    explicit FileLock(const std::filesystem::path& path);
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;
    ~FileLock();

private:
    int file_;
};

/// A folder of kept files, each NAME.EXTENSION with a NAME of HashName. Threads and processes may share it:
///
/// - two that want the same file at once make it once;
/// - a file appears whole, by renaming: a full disk or a killed program leaves none half written;
/// - each file ends in its own length and hash (loaders of shared objects pass over that), so that one that was damaged
///   later, or lost its end with the power, is found out and made anew;
/// - a file that another user owns or could have written is not taken, and made anew; nothing is taken from a folder
/// that
///   is not this user's all the way from the root (own_path.hpp);
/// - what a program that was killed outright left half made is removed by the next one that makes something there.
class HashedCache {
public:
    /// `extension` with its dot: ".so". Makes nothing.
    HashedCache(std::filesystem::path folder, std::string extension);

    /// The file, when it is there, whole and this user's own. Throws InvalidInput when the folder is not.
    [[nodiscard]] std::optional<std::filesystem::path> find(const HashName& name) const;

    /// Makes the file `fresh` in a folder of its own, `work`, which goes when it returns; what it throws passes through
    /// get(), and nothing is kept.
    using Make = std::function<void(const std::filesystem::path& work, const std::filesystem::path& fresh)>;
    /// The file, made if it is not there or not whole. Throws InvalidInput when the folder cannot be written.
    [[nodiscard]] std::filesystem::path get(const HashName& name, const Make& make) const;

    /// Where something that belongs to the file may lie beside it: NAME.EXTENSION with another extension, as ".log".
    [[nodiscard]] std::filesystem::path beside(const HashName& name, const std::string& extension) const;

private:
    std::filesystem::path folder_;
    std::string extension_;
};

} // namespace mantissa::base
