#include "snapshot.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "mantissa/base/files.hpp"
#include "mantissa/format.hpp"

namespace mantissa::results {

namespace fs = std::filesystem;

namespace {

using namespace std::chrono_literals;
using Bytes = std::vector<unsigned char>;
constexpr auto kPatience = 5s; ///< with a program that writes all the time
constexpr const char* kMend = "give a results file that can be read";

struct FreeName {
    void operator()(const char* name) const { sqlite3_free_filename(name); }
};

/// The main file through SQLite's own layer: were it opened and closed here, this process's other connections would
/// lose the locks that they hold on it (POSIX gives those to the process, not to the descriptor).
class MainFile {
public:
    explicit MainFile(const std::string& path)
        : path_(path), name_(sqlite3_create_filename(path.c_str(), "", "", 0, nullptr)) {
        sqlite3_vfs* const layer = sqlite3_vfs_find(nullptr);
        memory_.resize(static_cast<std::size_t>(layer->szOsFile) / sizeof(std::max_align_t) + 1);
        file_ = reinterpret_cast<sqlite3_file*>(memory_.data());
        errno = 0;
        const int code = layer->xOpen(layer, name_.get(), file_, SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, nullptr);
        if (code != SQLITE_OK)
            throw InvalidInput(fmt::format("{}: cannot open the results file: {}; {}", path_text(path),
                                           errno != 0 ? std::generic_category().message(errno) : sqlite3_errstr(code),
                                           kMend));
    }
    MainFile(const MainFile&) = delete;
    MainFile& operator=(const MainFile&) = delete;
    ~MainFile() { file_->pMethods->xClose(file_); }
    [[nodiscard]] Bytes read() const {
        sqlite3_int64 size = 0;
        check(file_->pMethods->xFileSize(file_, &size));
        Bytes all(static_cast<std::size_t>(size));
        constexpr std::size_t kPiece = 1 << 20;
        for (std::size_t at = 0; at < all.size(); at += kPiece) {
            const int code =
                file_->pMethods->xRead(file_, all.data() + at, static_cast<int>(std::min(kPiece, all.size() - at)),
                                       static_cast<sqlite3_int64>(at));
            if (code != SQLITE_IOERR_SHORT_READ) check(code); // shortened meanwhile: zeros, and another look
        }
        return all;
    }

private:
    void check(int code) const {
        if (code == SQLITE_OK) return;
        throw InvalidInput(fmt::format("{}: cannot be read ({}); {}", path_text(path_), sqlite3_errstr(code), kMend));
    }

    std::string path_;
    std::unique_ptr<const char, FreeName> name_;
    std::vector<std::max_align_t> memory_;
    sqlite3_file* file_ = nullptr;
};

/// By what a change of a file shows.
struct Stamp {
    bool there = false;
    ino_t number = 0;
    off_t size = 0;
    std::int64_t seconds = 0, nanoseconds = 0;
    bool operator==(const Stamp&) const = default;
};

Stamp stamp_of(const std::string& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) return {};
    return {true, info.st_ino, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
}

Bytes read_beside(const std::string& path) {
    std::error_code error;
    if (!fs::exists(path, error)) return {};
    const base::FileText text = base::read_file(path, kMend);
    const std::string_view all = text.view();
    return {all.begin(), all.end()};
}

std::uint32_t word_at(const Bytes& bytes, std::size_t at) {
    return std::uint32_t{bytes[at]} << 24 | std::uint32_t{bytes[at + 1]} << 16 | std::uint32_t{bytes[at + 2]} << 8 |
           bytes[at + 3];
}

/// A write-ahead log, as SQLite's file format describes it: a header of 32 bytes, then frames of 24 bytes and a page.
class Log {
public:
    static constexpr std::size_t kHeader = 32, kFrameHeader = 24;

    explicit Log(const Bytes& bytes) : bytes_(bytes) {
        constexpr std::uint32_t kMagic = 0x377f0682; // the lowest bit: its sums are of big-endian words
        if (bytes.size() < kHeader || (word_at(bytes, 0) & ~1U) != kMagic) return;
        big_ = (word_at(bytes, 0) & 1) != 0;
        page_ = word_at(bytes, 8);
        sum(0, 24);
        good_ = sum_[0] == word_at(bytes, 24) && sum_[1] == word_at(bytes, 28) && std::has_single_bit(page_) &&
                page_ >= 512 && page_ <= 65536;
    }
    /// Puts what was committed over the file's pages.
    void apply(Bytes& file) {
        if (!good_) return;
        std::size_t committed = 0, pages = 0;
        const std::size_t step = kFrameHeader + page_;
        for (std::size_t at = kHeader; at + step <= bytes_.size() && whole(at); at += step)
            if (word_at(bytes_, at + 4) != 0) {
                committed = at + step;
                pages = word_at(bytes_, at + 4);
            }
        if (committed == 0) return;
        file.resize(std::max(file.size(), pages * page_));
        for (std::size_t at = kHeader; at < committed; at += step)
            if (const std::size_t page = word_at(bytes_, at); page >= 1 && page <= pages)
                std::memcpy(file.data() + (page - 1) * page_, bytes_.data() + at + kFrameHeader, page_);
        file.resize(pages * page_);
    }

private:
    void sum(std::size_t at, std::size_t count) {
        for (const std::size_t end = at + count; at < end; at += 8) {
            sum_[0] += element(at) + sum_[1];
            sum_[1] += element(at + 4) + sum_[0];
        }
    }
    [[nodiscard]] std::uint32_t element(std::size_t at) const {
        const std::uint32_t big = word_at(bytes_, at);
        return big_ ? big : __builtin_bswap32(big);
    }
    bool whole(std::size_t at) {
        if (std::memcmp(bytes_.data() + at + 8, bytes_.data() + 16, 8) != 0) return false; // of an earlier round
        sum(at, 8);
        sum(at + kFrameHeader, page_);
        return sum_[0] == word_at(bytes_, at + 16) && sum_[1] == word_at(bytes_, at + 20);
    }

    const Bytes& bytes_;
    std::array<std::uint32_t, 2> sum_{};
    std::size_t page_ = 0;
    bool big_ = false, good_ = false;
};

/// One copy; nothing when the file changed meanwhile.
std::optional<Bytes> copy_once(const std::string& path) {
    const std::string log_name = path + "-wal", journal_name = path + "-journal";
    const auto start_of_log = [&] {
        Bytes log = read_beside(log_name);
        log.resize(std::min(log.size(), Log::kHeader));
        return log;
    };
    if (stamp_of(journal_name).size > 0) return std::nullopt; // in the midst of a transaction
    const Bytes begin = start_of_log();
    const Stamp before = stamp_of(path);
    Bytes file = MainFile(path).read();
    const Bytes log = read_beside(log_name);
    // What moves from a log into the file meanwhile is still in that log, until it begins anew with another header.
    if (begin.empty() && (!log.empty() || stamp_of(path) != before)) return std::nullopt;
    if (!std::equal(begin.begin(), begin.end(), log.begin(),
                    log.begin() + static_cast<std::ptrdiff_t>(std::min(begin.size(), log.size()))))
        return std::nullopt;
    if (stamp_of(journal_name).size > 0) return std::nullopt;
    Log(log).apply(file);
    return file;
}

} // namespace

sqlite3* open_snapshot(const std::string& given) {
    const std::string path = fs::absolute(given).string();
    const auto end = std::chrono::steady_clock::now() + kPatience;
    std::optional<Bytes> file;
    while (!(file = copy_once(path))) {
        if (std::chrono::steady_clock::now() > end)
            throw InvalidInput(fmt::format("{}: another program is writing to it, or died while it wrote; wait, or let "
                                           "its owner open it once (mantissa sweep)",
                                           path_text(given)));
        std::this_thread::sleep_for(20ms);
    }
    // In memory there is no log: the two bytes say that it is read and written as of old.
    if (file->size() > 19 && (*file)[18] == 2 && (*file)[19] == 2) (*file)[18] = (*file)[19] = 1;
    sqlite3* raw = nullptr;
    const int opened =
        sqlite3_open_v2(":memory:", &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_FULLMUTEX, nullptr);
    std::unique_ptr<sqlite3, decltype(&sqlite3_close)> db(raw, &sqlite3_close);
    check_database(raw, opened, given);
    if (file->empty()) return db.release();
    auto* const bytes = static_cast<unsigned char*>(sqlite3_malloc64(file->size()));
    if (bytes == nullptr) throw std::bad_alloc();
    std::memcpy(bytes, file->data(), file->size());
    const auto size = static_cast<sqlite3_int64>(file->size());
    check_database(raw,
                   sqlite3_deserialize(raw, "main", bytes, size, size,
                                       SQLITE_DESERIALIZE_RESIZEABLE | SQLITE_DESERIALIZE_FREEONCLOSE),
                   given);
    return db.release();
}

} // namespace mantissa::results
