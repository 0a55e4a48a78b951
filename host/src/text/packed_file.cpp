#include "packed_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <fmt/format.h>

#include "mantissa/base/quoted.hpp"
#include "mantissa/format.hpp"
#include "running/memory.hpp"

namespace mantissa::text {

namespace {

constexpr std::size_t kBlock = std::size_t{1} << 16;
/// A beginning as long as this that does not tell the limit never will: comments of 16 MiB.
constexpr std::size_t kLongestBeginning = std::size_t{1} << 24;
constexpr std::string_view kGzip = "\x1F\x8B";

/// One open file, read plain or through zlib, which also passes on what is not packed.
class Source {
public:
    explicit Source(const std::string& path) : path_(path) {
        file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        struct stat info {};
        if (file_ < 0 || ::fstat(file_, &info) != 0) fail_to("open", errno);
        if (S_ISDIR(info.st_mode)) fail_to("read", EISDIR);
        if (S_ISBLK(info.st_mode) || (S_ISCHR(info.st_mode) && ::isatty(file_) != 1))
            fail("a device holds no matrix; give the path of a readable file");
        std::array<char, 2> first{};
        regular_ = S_ISREG(info.st_mode);
        size_ = regular_ ? static_cast<std::size_t>(info.st_size) : 0;
        const bool packed = regular_ && ::pread(file_, first.data(), first.size(), 0) == 2 &&
                            std::string_view(first.data(), first.size()) == kGzip;
        if (regular_ && !packed) return;
        regular_ = false;
        packed_ = ::gzdopen(file_, "rb");
        if (packed_ == nullptr) throw std::bad_alloc();
        ::gzbuffer(packed_, kBlock);
    }
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    ~Source() {
        if (packed_ != nullptr) ::gzclose_r(packed_);
        else if (file_ >= 0) ::close(file_);
    }

    /// The text's length where it is known beforehand.
    [[nodiscard]] std::optional<std::size_t> size() const { return regular_ ? std::optional(size_) : std::nullopt; }

    /// 0 at the end.
    std::size_t read(char* to, std::size_t room) {
        room = std::min(room, std::size_t{1} << 30);
        if (packed_ == nullptr) {
            ssize_t got = 0;
            while ((got = ::read(file_, to, room)) < 0)
                if (errno != EINTR) fail_to("read", errno);
            return static_cast<std::size_t>(got);
        }
        const int got = ::gzread(packed_, to, static_cast<unsigned>(room));
        int code = Z_OK;
        const char* const text = ::gzerror(packed_, &code);
        if (got < 0 && code == Z_ERRNO) fail_to("read", errno);
        if (got < 0)
            fail(fmt::format("its packed data are damaged ({}); fetch or pack it again", base::shortened(text)));
        if (got == 0 && code == Z_BUF_ERROR) fail("its packed data end too soon; fetch or pack it again");
        return static_cast<std::size_t>(got);
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw InvalidInput(fmt::format("{}: {}", base::shortened(path_, 200), what));
    }

private:
    [[noreturn]] void fail_to(const char* verb, int error) {
        const std::string reason = std::generic_category().message(error);
        if (file_ >= 0 && packed_ == nullptr) ::close(file_);
        file_ = -1;
        const bool home = path_.starts_with("~/");
        fail(fmt::format("cannot {}: {}; {}", verb, reason,
                         home ? "a shell leaves ~ inside a word as it is: write $HOME in its place"
                              : "give the path of a readable file"));
    }

    const std::string& path_;
    int file_ = -1;
    gzFile packed_ = nullptr;
    bool regular_ = false;
    std::size_t size_ = 0;
};

void grow(base::FileText& text, std::size_t& capacity, std::size_t wanted) {
    auto larger = std::make_unique_for_overwrite<char[]>(wanted);
    if (text.size != 0) std::memcpy(larger.get(), text.bytes.get(), text.size);
    text.bytes = std::move(larger);
    capacity = wanted;
}

} // namespace

base::FileText read_packed_file(const std::string& path, const TextLimit& limit) {
    Source source(path);
    base::FileText text;
    std::size_t capacity = 0, asked_at = kBlock;
    std::optional<std::size_t> most;
    const std::size_t memory = running::physical_memory() / 2;
    grow(text, capacity, kBlock);
    for (;;) {
        if (text.size == capacity) {
            // One byte more than the size, so that the last read meets the end of the file.
            const std::size_t known = source.size().value_or(0) + 1;
            grow(text, capacity, std::max(known, 2 * capacity));
        }
        const bool asking = !most && text.size < asked_at;
        const std::size_t room = (asking ? std::min(capacity, asked_at) : capacity) - text.size;
        const std::size_t got = source.read(text.bytes.get() + text.size, room);
        text.size += got;
        if (!most && (got == 0 || text.size >= asked_at)) {
            most = limit(text.view());
            asked_at *= 2;
            if (!most && got != 0 && text.size >= kLongestBeginning)
                source.fail("no size line in its first 16 MiB: shorten the comments");
        }
        if (got == 0) return text;
        if (!source.size() && text.size > std::min(most.value_or(SIZE_MAX), memory))
            source.fail(fmt::format("it unpacks to more than {:.3g} MB, {}",
                                    static_cast<double>(std::min(most.value_or(SIZE_MAX), memory)) * 1e-6,
                                    memory < most.value_or(SIZE_MAX)
                                        ? "half of this machine's memory: use a smaller matrix"
                                        : "far more than its size line announces: correct that line"));
    }
}

std::string foreign_kind(std::string_view beginning) {
    struct Kind {
        std::string_view mark;
        const char* what;
    };
    using namespace std::string_view_literals;
    static constexpr std::array kKinds = {
        Kind{kGzip, "gzipped data: unpack them first"},
        Kind{"\xFD\x37zXZ\0"sv, "an xz file: unpack it, or pack it with gzip"},
        Kind{"BZh"sv, "a bzip2 file: unpack it, or pack it with gzip"},
        Kind{"PK\x03\x04"sv, "a zip archive: unpack it and give the .mtx file inside"},
        Kind{"\x28\xB5\x2F\xFD"sv, "a zstd file: unpack it, or pack it with gzip"},
        Kind{"\xFF\xFE"sv, "UTF-16 text: save the file as UTF-8"},
        Kind{"\xFE\xFF"sv, "UTF-16 text: save the file as UTF-8"},
        Kind{"SQLite format 3"sv, "a database: give a .mtx file"},
    };
    for (const Kind& kind : kKinds)
        if (beginning.starts_with(kind.mark)) return kind.what;
    if (beginning.size() > 262 && beginning.substr(257, 5) == "ustar")
        return "a tar archive: unpack it and give the .mtx file inside";
    return {};
}

} // namespace mantissa::text
