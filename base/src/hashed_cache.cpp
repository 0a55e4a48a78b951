#include "mantissa/base/hashed_cache.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "mantissa/base/environment.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/base/own_path.hpp"
#include "mantissa/base/temporary_folder.hpp"
#include "mantissa/format.hpp"

namespace mantissa::base {

namespace fs = std::filesystem;

namespace {

constexpr unsigned __int128 kPrime = (static_cast<unsigned __int128>(1) << 88) | 0x13b;
constexpr std::string_view kSealMark = "mantissa kept file ";
constexpr const char* kMend = "set MANTISSA_CACHE to a folder that can be written";
constexpr const char* kOwnMend = "set MANTISSA_CACHE to a folder that only this user can write";

/// What follows a kept file's own bytes: the mark, their number and their hash, of one length always.
std::string seal_of(std::string_view bytes) {
    return fmt::format("{}{:016x} {}", kSealMark, bytes.size(), HashName().add(bytes).text());
}
const std::size_t kSealLength = seal_of("").size();

bool whole(const fs::path& file) {
    try {
        const FileText text = read_file(file.string());
        const std::string_view all = text.view();
        if (all.size() < kSealLength) return false;
        const std::size_t own = all.size() - kSealLength;
        return all.substr(own) == seal_of(all.substr(0, own));
    } catch (const InvalidInput&) { // not there, or not to be read: then it is made anew
        return false;
    }
}

/// The folder that cache_root() falls back on. Its name is known to all users, so who owns it is asked.
fs::path shared_fallback() {
    return temporary_parent() / fmt::format("mantissa-cache-{}", ::geteuid());
}

/// Makes the folders of `folder` that are not there, for this user alone.
std::error_code make_folders(const fs::path& folder) {
    fs::path at;
    for (const fs::path& part : folder) {
        at /= part;
        if (::mkdir(at.c_str(), 0700) == 0 || errno == EEXIST) continue;
        const int made = errno;
        std::error_code ignored;
        if (!fs::is_directory(at, ignored))
            return {made, std::generic_category()}; // EROFS comes for what is there, too
    }
    std::error_code error;
    if (!fs::is_directory(folder, error) && !error) error = std::make_error_code(std::errc::not_a_directory);
    return error;
}

/// What a folder that is named by a variable for other programs too gives: nothing where it is somebody else's.
std::optional<fs::path> own_cache(const fs::path& folder) {
    if (!folder.is_absolute() || path_trust(folder).foreign) return std::nullopt;
    return folder;
}

} // namespace

fs::path cache_root() {
    if (const std::string set = environment("MANTISSA_CACHE"); !set.empty()) return set;
    if (const std::string set = environment("XDG_CACHE_HOME"); !set.empty())
        if (const auto folder = own_cache(fs::path(set) / "mantissa")) return *folder;
    if (const std::string set = environment("HOME"); !set.empty())
        if (const auto folder = own_cache(fs::path(set) / ".cache" / "mantissa")) return *folder;
    return shared_fallback();
}

fs::path make_cache_folder(const fs::path& folder) {
    require_own("the cache folder", folder, kOwnMend);
    std::error_code error = make_folders(folder);
    if (!error && ::access(folder.c_str(), W_OK | X_OK) != 0) error.assign(errno, std::generic_category());
    if (error)
        throw InvalidInput(fmt::format("the cache folder {} cannot be written ({}); set MANTISSA_CACHE to a folder "
                                       "that can",
                                       folder.string(), error.message()));
    require_own("the cache folder", folder, kOwnMend); // somebody may have been quicker
    return folder;
}

HashName& HashName::add(std::string_view text) {
    const auto put = [this](unsigned char byte) { state_ = (state_ ^ byte) * kPrime; };
    for (std::size_t size = text.size(), k = 0; k < 8; ++k) put(static_cast<unsigned char>(size >> (8 * k)));
    for (const char c : text) put(static_cast<unsigned char>(c));
    return *this;
}

std::string HashName::text() const {
    return fmt::format("{:016x}{:016x}", static_cast<std::uint64_t>(state_ >> 64), static_cast<std::uint64_t>(state_));
}

FileLock::FileLock(const fs::path& path)
    : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)) {
    bool locked = false;
    if (file_ >= 0)
        while (!(locked = ::flock(file_, LOCK_EX) == 0) && errno == EINTR) {
        }
    if (locked) return;
    const std::string reason = std::generic_category().message(errno);
    if (file_ >= 0) ::close(file_);
    throw InvalidInput(fmt::format("{}: cannot be locked ({}); {}", path.string(), reason, kMend));
}

FileLock::~FileLock() {
    ::close(file_);
}

HashedCache::HashedCache(fs::path folder, std::string extension)
    : folder_(std::move(folder)), extension_(std::move(extension)) {}

fs::path HashedCache::beside(const HashName& name, const std::string& extension) const {
    return folder_ / (name.text() + extension);
}

std::optional<fs::path> HashedCache::find(const HashName& name) const {
    require_own("the cache folder", folder_, kOwnMend);
    fs::path file = beside(name, extension_);
    if (!path_trust(file).good() || !whole(file)) return std::nullopt; // it is made anew and takes the other's place
    return file;
}

fs::path HashedCache::get(const HashName& name, const Make& make) const {
    if (const auto file = find(name)) return *file;
    make_cache_folder(folder_);
    const FileLock lock(beside(name, ".lock"));
    if (const auto file = find(name)) return *file; // another was first
    const fs::path file = beside(name, extension_);
    const TemporaryFolder work(folder_, "build", kMend);
    const fs::path fresh = work.path() / ("kept" + extension_);
    make(work.path(), fresh);
    append_to_file(fresh.string(), seal_of(read_file(fresh.string()).view()));
    std::error_code error;
    fs::permissions(fresh, fs::perms::group_write | fs::perms::others_write, fs::perm_options::remove, error);
    fs::rename(fresh, file, error);
    if (error) throw InvalidInput(fmt::format("{}: cannot be written ({}); {}", file.string(), error.message(), kMend));
    return file;
}

} // namespace mantissa::base
