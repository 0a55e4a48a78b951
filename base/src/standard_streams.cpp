#include "mantissa/base/standard_streams.hpp"

#include <cerrno>
#include <cstdio>
#include <string>

#include <sys/types.h>
#include <unistd.h>

#include "control_characters.hpp"
#include "write_all.hpp"

namespace mantissa::base {

namespace {

constexpr std::string_view kClearLine = "\r\033[K";

/// One of the two streams.
struct Stream {
    int file;
    bool clears;           ///< may a line be cleared?
    bool forgets;          ///< is what cannot be written forgotten?
    std::string rest = {}; ///< the beginning of a character whose end is still to come

    [[nodiscard]] std::string fit(std::string_view text) const {
        std::string out;
        for (std::size_t at = 0; clears && (at = text.find(kClearLine)) != std::string_view::npos;
             text.remove_prefix(at + kClearLine.size()))
            out += fit_for_terminal(text.substr(0, at)).append(kClearLine);
        return out + fit_for_terminal(text);
    }
    bool write(std::string_view bytes) {
        std::string text = rest;
        text += bytes;
        rest = text.substr(text.size() - unfinished_character(text));
        text.resize(text.size() - rest.size());
        return write_all(file, fit(text)) || forgets;
    }
};

ssize_t write_to(void* stream, const char* bytes, std::size_t size) {
    return static_cast<Stream*>(stream)->write({bytes, size}) ? static_cast<ssize_t>(size) : 0;
}

int close_stream(void* stream) {
    auto* const s = static_cast<Stream*>(stream);
    return write_all(s->file, fit_for_terminal(s->rest)) || s->forgets ? 0 : -1;
}

void replace(std::FILE*& stream, Stream& by, int buffering) {
    cookie_io_functions_t functions{};
    functions.write = write_to;
    functions.close = close_stream;
    std::FILE* const made = ::fopencookie(&by, "w", functions);
    if (made == nullptr) return;
    std::setvbuf(made, nullptr, buffering, BUFSIZ);
    stream = made;
}

} // namespace

void guard_standard_streams() {
    static Stream out{STDOUT_FILENO, false, false}, err{STDERR_FILENO, true, true};
    replace(stdout, out, ::isatty(STDOUT_FILENO) == 1 ? _IOLBF : _IOFBF);
    replace(stderr, err, _IONBF);
}

bool write_bytes_out(std::string_view bytes) {
    return std::fflush(stdout) == 0 && write_all(STDOUT_FILENO, bytes);
}

} // namespace mantissa::base
