#include "mantissa/base/hashed_cache.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "mantissa/base/environment.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/base/temporary_folder.hpp"
#include "mantissa/format.hpp"

namespace mantissa::base {

namespace fs = std::filesystem;

namespace {

constexpr unsigned __int128 kPrime = (static_cast<unsigned __int128>(1) << 88) | 0x13b;
constexpr std::string_view kSealMark = "mantissa kept file ";
constexpr const char* kMend = "set MANTISSA_CACHE to a folder that can be written";

/// What stands behind a kept file's own bytes: the mark, their number and their hash, of one length always.
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

bool is_half_made(const fs::path& folder) {
    const std::string stem = folder.stem().string();
    const bool named = stem.size() >= 16 && stem.find_first_not_of("0123456789abcdef") == std::string::npos;
    // "compiling-XXXXXX" is what an earlier version called them in one of the caches.
    return (named && folder.extension() == ".build") || (stem.starts_with("compiling-") && stem.size() == 16);
}

} // namespace

fs::path cache_root() {
    if (const std::string set = environment("MANTISSA_CACHE"); !set.empty()) return set;
    if (const fs::path set = environment("XDG_CACHE_HOME"); set.is_absolute()) return set / "mantissa";
    if (const std::string set = environment("HOME"); !set.empty()) return fs::path(set) / ".cache" / "mantissa";
    return shared_fallback();
}

fs::path make_cache_folder(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (!error && ::access(folder.c_str(), W_OK | X_OK) != 0) error.assign(errno, std::generic_category());
    std::string why = error ? error.message() : "";
    if (why.empty() && environment("MANTISSA_CACHE").empty()) {
        const fs::path shared = shared_fallback();
        struct stat info {};
        if (::lstat(shared.c_str(), &info) == 0 && cache_root() == shared &&
            (!S_ISDIR(info.st_mode) || info.st_uid != ::geteuid() || ::chmod(shared.c_str(), 0700) != 0))
            why = fmt::format("{} is not this user's", shared.string());
    }
    if (!why.empty())
        throw InvalidInput(fmt::format("the cache folder {} cannot be written ({}); set MANTISSA_CACHE to a folder "
                                       "that can",
                                       folder.string(), why));
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

FileLock::FileLock(const fs::path& path) : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
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
    fs::path file = beside(name, extension_);
    if (!whole(file)) return std::nullopt;
    return file;
}

fs::path HashedCache::get(const HashName& name, const Make& make) const {
    if (const auto file = find(name)) return *file;
    make_cache_folder(folder_);
    const FileLock lock(beside(name, ".lock"));
    if (const auto file = find(name)) return *file; // another was first
    const fs::path file = beside(name, extension_);
    const TemporaryFolder work(beside(name, ".build"), kMend, is_half_made);
    const fs::path fresh = work.path() / ("kept" + extension_);
    make(work.path(), fresh);
    append_to_file(fresh.string(), seal_of(read_file(fresh.string()).view()));
    std::error_code error;
    fs::rename(fresh, file, error);
    if (error) throw InvalidInput(fmt::format("{}: cannot be written ({}); {}", file.string(), error.message(), kMend));
    return file;
}

} // namespace mantissa::base
