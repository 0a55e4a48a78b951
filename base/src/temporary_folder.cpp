#include "mantissa/base/temporary_folder.hpp"

#include <cerrno>
#include <chrono>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "ending_state.hpp"
#include "mantissa/base/environment.hpp"
#include "mantissa/base/own_path.hpp"
#include "mantissa/format.hpp"

namespace mantissa::base {

namespace fs = std::filesystem;

namespace {

using namespace std::chrono_literals;
/// Between the making of a folder and its locking lie microseconds.
constexpr auto kSurelyLocked = 60s;

constexpr const char* kRecord = ".mantissa-temporary";

/// An exclusive lock on a folder; -1 when another process holds it.
int lock_folder(const fs::path& folder) {
    const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0) return -1;
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) return file;
    ::close(file);
    return -1;
}

/// What the record of the opened folder says when it is this folder's.
std::string record_of(const fs::path& folder, const struct stat& info) {
    return fmt::format("A temporary folder of Mantissa: it may be removed.\n{}\n{} {}\n", folder.filename().string(),
                       info.st_dev, info.st_ino);
}

/// Did this user's Mantissa make the folder, which is open as `file`, under this name?
bool made_here(const fs::path& folder, int file) {
    struct stat info {
    }, record{};
    if (::fstat(file, &info) != 0 || info.st_uid != ::geteuid() || (info.st_mode & 07777) != 0700) return false;
    const std::string wanted = record_of(folder, info);
    std::string found(wanted.size() + 1, '\0');
    const int opened = ::openat(file, kRecord, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (opened < 0) return false;
    const bool own = ::fstat(opened, &record) == 0 && S_ISREG(record.st_mode) && record.st_uid == ::geteuid();
    const ssize_t got = own ? ::read(opened, found.data(), found.size()) : -1;
    ::close(opened);
    return got >= 0 && found.substr(0, static_cast<std::size_t>(got)) == wanted;
}

void remove_stale(const fs::path& parent, const std::string& kind) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(parent, error)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(kind + "-") || name.size() != kind.size() + 7) continue;
        if (entry.is_symlink(error) || !entry.is_directory(error)) continue;
        const auto changed = entry.last_write_time(error);
        if (error || fs::file_time_type::clock::now() - changed < kSurelyLocked) continue;
        const int lock = lock_folder(entry.path());
        if (lock < 0) continue;
        if (made_here(entry.path(), lock)) fs::remove_all(entry.path(), error);
        ::close(lock);
    }
}

} // namespace

TemporaryFolder::TemporaryFolder(const fs::path& parent, const std::string& kind, const std::string& mend) {
    remove_stale(parent, kind);
    std::string name = (parent / (kind + "-XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr)
        throw InvalidInput(fmt::format("{}: no folder can be made there ({}); {}", parent.string(),
                                       std::generic_category().message(errno), mend));
    path_ = name;
    lock_ = lock_folder(path_);
    remember_temporary(path_);
    struct stat info {};
    const int record = lock_ < 0 ? -1 : ::openat(lock_, kRecord, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool good = record >= 0 && ::fstat(lock_, &info) == 0;
    if (good) {
        const std::string text = record_of(path_, info);
        good = ::write(record, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    }
    const std::string why = std::generic_category().message(errno);
    if (record >= 0) ::close(record);
    if (good) return;
    remove();
    throw InvalidInput(fmt::format("{}: nothing can be written there ({}); {}", parent.string(), why, mend));
}

void TemporaryFolder::remove() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    forget_temporary(path_);
    if (lock_ >= 0) ::close(lock_);
}

TemporaryFolder::~TemporaryFolder() {
    remove();
}

fs::path temporary_parent() {
    std::error_code error;
    fs::path parent = fs::temp_directory_path(error);
    if (error)
        throw InvalidInput(fmt::format("TMPDIR '{}': no folder ({}); set TMPDIR to a folder that can be written",
                                       environment("TMPDIR"), error.message()));
    // Whoever may rename a folder there could put his own in its place, scripts of tools and all.
    require_own("TMPDIR", parent, "set TMPDIR to a folder that only this user can write, or to /tmp", Sticky::allowed);
    return parent;
}

} // namespace mantissa::base
