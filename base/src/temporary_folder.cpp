#include "mantissa/base/temporary_folder.hpp"

#include <cerrno>
#include <chrono>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/format.h>

#include "ending_state.hpp"
#include "mantissa/base/environment.hpp"
#include "mantissa/format.hpp"

namespace mantissa::base {

namespace fs = std::filesystem;

namespace {

using namespace std::chrono_literals;
/// Between the making of a folder and its locking lie microseconds.
constexpr auto kSurelyLocked = 60s;

/// An exclusive lock on a folder; -1 when another process holds it.
int lock_folder(const fs::path& folder) {
    const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return -1;
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) return file;
    ::close(file);
    return -1;
}

template <class OfKind> void remove_stale(const fs::path& parent, const OfKind& of_kind) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(parent, error)) {
        if (!of_kind(entry.path()) || entry.is_symlink(error)) continue;
        if (!entry.is_directory(error)) continue;
        const auto changed = entry.last_write_time(error);
        if (error || fs::file_time_type::clock::now() - changed < kSurelyLocked) continue;
        const int lock = lock_folder(entry.path());
        if (lock < 0) continue;
        fs::remove_all(entry.path(), error);
        ::close(lock);
    }
}

} // namespace

TemporaryFolder::TemporaryFolder(const fs::path& parent, const std::string& kind, const std::string& mend) {
    remove_stale(parent, [&](const fs::path& p) { return p.filename().string().starts_with(kind + "-"); });
    std::string name = (parent / (kind + "-XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr)
        throw InvalidInput(fmt::format("{}: no folder can be made there ({}); {}", parent.string(),
                                       std::generic_category().message(errno), mend));
    path_ = name;
    lock_ = lock_folder(path_);
    remember_folder(path_);
}

TemporaryFolder::TemporaryFolder(const fs::path& folder, const std::string& mend,
                                 const std::function<bool(const fs::path&)>& same_kind)
    : path_(folder) {
    remove_stale(folder.parent_path(), same_kind);
    std::error_code error;
    fs::remove_all(folder, error);
    if (!error) fs::create_directory(folder, error);
    if (error) throw InvalidInput(fmt::format("{}: cannot be made ({}); {}", folder.string(), error.message(), mend));
    lock_ = lock_folder(path_);
    remember_folder(path_);
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    forget_folder(path_);
    if (lock_ >= 0) ::close(lock_);
}

fs::path temporary_parent() {
    std::error_code error;
    fs::path parent = fs::temp_directory_path(error);
    if (error)
        throw InvalidInput(fmt::format("TMPDIR '{}': no folder ({}); set TMPDIR to a folder that can be written",
                                       environment("TMPDIR"), error.message()));
    return parent;
}

} // namespace mantissa::base
