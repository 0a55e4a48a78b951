#include "text_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "mantissa/format.hpp"

namespace mantissa::detail {

namespace {

class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    [[nodiscard]] int get() const { return fd_; }

private:
    int fd_;
};

[[noreturn]] void fail(const std::string& path, const char* verb, const char* mend) {
    const std::string reason = std::generic_category().message(errno);
    throw InvalidInput(fmt::format("{}: cannot {}: {}; {}", path, verb, reason, mend));
}

} // namespace

FileText read_file(const std::string& path) {
    const char* const mend = "give the path of a readable file";
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat info {};
    if (file.get() < 0 || ::fstat(file.get(), &info) != 0) fail(path, "open", mend);
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

void write_file(const std::string& path, std::string_view text) {
    const char* const mend = "give a path in a folder that can be written";
    const std::string temporary = fmt::format("{}.tmp{}", path, ::getpid());
    {
        const Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
        if (file.get() < 0) fail(path, "write", mend);
        while (!text.empty()) {
            const ssize_t put = ::write(file.get(), text.data(), text.size());
            if (put < 0 && errno == EINTR) continue;
            if (put < 0) {
                const int saved = errno;
                ::unlink(temporary.c_str());
                errno = saved;
                fail(path, "write", mend);
            }
            text.remove_prefix(static_cast<std::size_t>(put));
        }
    }
    if (::rename(temporary.c_str(), path.c_str()) != 0) {
        const int saved = errno;
        ::unlink(temporary.c_str());
        errno = saved;
        fail(path, "write", mend);
    }
}

} // namespace mantissa::detail
