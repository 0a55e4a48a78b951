#include "mantissa/base/files.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ending_state.hpp"
#include "mantissa/base/quoted.hpp"
#include "mantissa/base/standard_streams.hpp"
#include "mantissa/format.hpp"
#include "write_all.hpp"

namespace mantissa::base {

namespace {

constexpr std::size_t kPathShown = 200;
constexpr const char* kWriteMend = "give a path in a folder that can be written";

class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { close(); }
    [[nodiscard]] int get() const { return fd_; }
    void open(const std::string& path, int flags, mode_t mode) { fd_ = ::open(path.c_str(), flags, mode); }
    /// False when the system only now tells that a write failed.
    bool close() {
        const bool good = fd_ < 0 || ::close(fd_) == 0;
        fd_ = -1;
        return good;
    }

private:
    int fd_;
};

[[noreturn]] void fail(const std::string& path, const char* verb, const char* mend, int error = errno) {
    const std::string reason = std::generic_category().message(error);
    if (error == ENOSPC || error == EDQUOT) mend = "free space there or give another path";
    if (error == EFBIG) mend = "raise the limit of a file's size (ulimit -f)";
    if (error == EMFILE || error == ENFILE) mend = "raise the limit of open files (ulimit -n)";
    throw InvalidInput(fmt::format("{}: cannot {}: {}; {}", shortened(path, kPathShown), verb, reason, mend));
}

void write_standard_output(std::string_view text) {
    if (!write_bytes_out(text)) fail("standard output", "write", "free space there or send it elsewhere");
}

void write_in_place(const std::string& path, std::string_view text) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
    if (file.get() < 0 || !write_all(file.get(), text) || !file.close()) fail(path, "write", kWriteMend);
}

/// The file that all symbolic links lead to, whether it is there or not.
std::string without_links(const std::string& path) {
    namespace fs = std::filesystem;
    fs::path at = path;
    std::error_code error;
    for (int links = 0; fs::is_symlink(at, error); ++links) {
        if (links == 40) fail(path, "write", kWriteMend, ELOOP);
        // In a folder for all, anybody can lay a link to a file that is not his to overwrite.
        struct stat link {};
        if (::lstat(at.c_str(), &link) != 0) fail(path, "write", kWriteMend);
        if (link.st_uid != ::geteuid() && link.st_uid != 0)
            throw InvalidInput(fmt::format("{}: cannot write: a link of another user's (user {}); give another path",
                                           shortened(path, kPathShown), link.st_uid));
        const fs::path target = fs::read_symlink(at, error);
        if (error) fail(path, "write", kWriteMend, error.value());
        at = target.is_absolute() ? target : at.parent_path() / target;
    }
    return at.string();
}

/// Where write_file() writes: a file to be replaced (`info` tells its mode) or made, or one to be written in place.
struct Target {
    std::string path;
    bool there = false, replace = true;
    struct stat info {};
};

std::string folder_of(const std::string& path) {
    const std::string folder = std::filesystem::path(path).parent_path().string();
    return folder.empty() ? "." : folder;
}

Target target_of(const std::string& path) {
    Target target{without_links(path)};
    target.there = ::stat(target.path.c_str(), &target.info) == 0;
    if (!target.there && errno != ENOENT) fail(path, "write", kWriteMend);
    if (target.there && S_ISDIR(target.info.st_mode)) fail(path, "write", "give the path of a file", EISDIR);
    if (target.there)
        target.replace = S_ISREG(target.info.st_mode) && ::access(folder_of(target.path).c_str(), W_OK | X_OK) == 0;
    return target;
}

/// A new file beside the one to be written, under a name that nobody can know beforehand, so that no link or file of
/// somebody else's can lie there; it goes with the object, or when a signal ends the program, unless it was renamed.
class Beside {
public:
    Beside(const std::string& path, const Target& target) {
        // What is copied over a file that others may not read is not for them either.
        const mode_t mode = target.there ? 0600 : 0666;
        for (int tries = 0; tries < 100 && file_.get() < 0; ++tries) {
            std::array<unsigned char, 8> random{};
            if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size()))
                fail(path, "write", kWriteMend);
            const std::filesystem::path name = fmt::format(".mantissa-{:02x}.tmp", fmt::join(random, ""));
            name_ = (std::filesystem::path(folder_of(target.path)) / name).string();
            remember_temporary(name_);
            file_.open(name_, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
            if (file_.get() >= 0) return;
            const int error = errno;
            forget_temporary(name_);
            if (error != EEXIST) fail(path, "write", kWriteMend, error);
        }
        fail(path, "write", kWriteMend, EEXIST);
    }
    Beside(const Beside&) = delete;
    Beside& operator=(const Beside&) = delete;
    ~Beside() {
        if (!renamed_) ::unlink(name_.c_str());
        forget_temporary(name_);
    }
    [[nodiscard]] int file() const { return file_.get(); }
    bool rename_to(const std::string& path) {
        renamed_ = file_.close() && ::rename(name_.c_str(), path.c_str()) == 0;
        return renamed_;
    }

private:
    std::string name_;
    Descriptor file_{-1};
    bool renamed_ = false;
};

void replace_file(const std::string& path, const Target& target, std::string_view text) {
    Beside fresh(path, target);
    const auto check = [&](bool good) {
        if (good) return;
        const int error = errno;
        stay_if_ending(); // the signal took the file away
        fail(path, "write", kWriteMend, error);
    };
    if (target.there) {
        // Only the superuser may give a file away; for others the file becomes theirs, as with any editor. The owner
        // first: a change of owner clears bits of the mode.
        [[maybe_unused]] const int owner = ::fchown(fresh.file(), target.info.st_uid, target.info.st_gid);
        check(::fchmod(fresh.file(), target.info.st_mode & 07777) == 0);
    }
    check(write_all(fresh.file(), text) && fresh.rename_to(target.path));
}

} // namespace

FileText read_file(const std::string& path, const char* mend) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat info {};
    if (file.get() < 0 || ::fstat(file.get(), &info) != 0) fail(path, "open", mend);
    if (S_ISDIR(info.st_mode)) fail(path, "read", mend, EISDIR);
    if (S_ISBLK(info.st_mode) || (S_ISCHR(info.st_mode) && ::isatty(file.get()) != 1))
        throw InvalidInput(fmt::format("{}: a device; {}", shortened(path, kPathShown), mend));
    FileText text;
    // One byte more than the size, so that the last read meets the end of the file.
    std::size_t capacity = S_ISREG(info.st_mode) ? static_cast<std::size_t>(info.st_size) + 1 : std::size_t{1} << 16;
    text.bytes = std::make_unique_for_overwrite<char[]>(capacity);
    for (;;) {
        if (text.size == capacity) {
            auto larger = std::make_unique_for_overwrite<char[]>(2 * capacity);
            std::memcpy(larger.get(), text.bytes.get(), text.size);
            text.bytes = std::move(larger);
            capacity *= 2;
        }
        const ssize_t got = ::read(file.get(), text.bytes.get() + text.size, capacity - text.size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail(path, "read", mend);
        if (got == 0) return text;
        text.size += static_cast<std::size_t>(got);
    }
}

std::string read_text(const std::string& path, const char* mend) {
    return std::string(read_file(path, mend).view());
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder, std::string_view extension) {
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
        if (entry.path().extension() == extension) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

void append_to_file(const std::string& path, std::string_view text) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    if (file.get() < 0 || !write_all(file.get(), text) || ::fsync(file.get()) != 0 || !file.close())
        fail(path, "write", kWriteMend);
}

void write_file(const std::string& path, std::string_view text) {
    if (is_standard_output(path)) return write_standard_output(text);
    if (path.empty()) fail(path, "write", kWriteMend, ENOENT);
    const Target target = target_of(path);
    if (target.there && ::access(target.path.c_str(), W_OK) != 0) fail(path, "write", kWriteMend);
    if (!target.replace) return write_in_place(target.path, text);
    replace_file(path, target, text);
}

namespace {
bool is_database(const std::string& path) {
    constexpr std::string_view kMark = "SQLite format 3";
    std::array<char, kMark.size()> head{};
    std::ifstream file(path, std::ios::binary);
    return file.read(head.data(), head.size()) && std::string_view(head.data(), head.size()) == kMark;
}

void check_target(const std::string& option, const std::string& path, bool stores) {
    const auto refuse = [&](const std::string& why) {
        throw InvalidInput(fmt::format("{} {}: {}", option, quoted(path, kPathShown), why));
    };
    if (path.empty()) refuse("the name is empty; give a file, or - for standard output");
    if (is_standard_output(path)) return;
    Target target;
    try {
        target = target_of(path);
    } catch (const InvalidInput& fault) {
        throw InvalidInput(fmt::format("{} {}", option, fault.what()));
    }
    const std::string folder = folder_of(target.path);
    std::error_code error;
    if (!target.there && !std::filesystem::is_directory(folder, error))
        refuse(fmt::format("there is no folder {}; make it or give another", quoted(folder, kPathShown)));
    const std::string& written = target.there ? target.path : folder;
    // A store stands for hours of work, and a picture or a table in its place would be the end of it.
    // (A FIFO is not looked into: its first reader would wait here for a writer, which is this program.)
    if (target.there && S_ISREG(target.info.st_mode) && !stores && is_database(target.path))
        refuse("it holds results (an SQLite file) and would be lost; give another name");
    if (::access(written.c_str(), W_OK) != 0)
        refuse(fmt::format("cannot be written: {}; {}", std::generic_category().message(errno), kWriteMend));
}

} // namespace

void check_writable(const std::string& option, const std::string& path) {
    check_target(option, path, false);
}

void check_store_path(const std::string& option, const std::string& path) {
    if (is_standard_output(path) || path.starts_with(':'))
        throw InvalidInput(fmt::format("{} {}: results are kept in a file; give a file name, as results.sqlite", option,
                                       quoted(path, kPathShown)));
    check_target(option, path, true);
}

bool same_file(const std::string& a, const std::string& b) {
    if (a.empty() || b.empty() || is_standard_output(a) || is_standard_output(b)) return false;
    struct stat first {
    }, second{};
    const bool there = ::stat(a.c_str(), &first) == 0, other = ::stat(b.c_str(), &second) == 0;
    if (there != other) return false;
    if (there) return S_ISREG(first.st_mode) && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
    try {
        std::error_code error;
        const auto place = [&error](const std::string& path) {
            return std::filesystem::weakly_canonical(std::filesystem::absolute(without_links(path)), error);
        };
        return place(a) == place(b) && !error;
    } catch (const InvalidInput&) {
        return false; // (a link that leads nowhere: it cannot be written, either)
    }
}

} // namespace mantissa::base
