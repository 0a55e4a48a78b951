// OFF: a mesh as text. Its first word says what a vertex has: [ST][C][N]OFF.
#include <algorithm>
#include <cctype>
#include <optional>

#include <fmt/format.h>

#include "faces.hpp"
#include "mantissa/format.hpp"
#include "mesh_files.hpp"
#include "text/number_text.hpp"

namespace mantissa::meshes {

namespace {

using text::NumberText;
constexpr std::uint64_t kMostPoints = UINT32_MAX;

/// Which numbers a vertex has after its place.
struct OffWord {
    std::size_t length = 0; ///< characters of the word
    bool texture = false, colour = false, normal = false, four = false, n = false;
    [[nodiscard]] std::size_t after() const { return (texture ? 2U : 0U) + (colour ? 4U : 0U) + (normal ? 3U : 0U); }
};

/// Nothing where the text does not begin with such a word. Digits may stand right after it.
std::optional<OffWord> off_word(std::string_view text) {
    OffWord w;
    const auto take = [&](std::string_view part) {
        if (!text.substr(w.length).starts_with(part)) return false;
        w.length += part.size();
        return true;
    };
    w.texture = take("ST");
    w.colour = take("C");
    w.normal = take("N");
    w.four = take("4");
    w.n = take("n");
    if (!take("OFF")) return std::nullopt;
    const char next = w.length < text.size() ? text[w.length] : '\n';
    if (std::isspace(static_cast<unsigned char>(next)) == 0 && std::isdigit(static_cast<unsigned char>(next)) == 0 &&
        next != '#')
        return std::nullopt;
    return w;
}

/// Is there another word in this line?
bool at_number(NumberText& in) {
    in.skip_blanks();
    return !in.at_line_end() && in.peek() != '#';
}

/// Moves to the next word, over line ends and comments.
void to_content(NumberText& in) {
    while (!at_number(in) && !in.at_end()) in.take_line();
}

/// Lines that hold more than blanks and a comment.
std::uint64_t lines_with_content(NumberText in) {
    std::uint64_t lines = 0;
    for (; !in.at_end(); in.take_line())
        if (at_number(in)) ++lines;
    return lines;
}

class OffReader {
public:
    OffReader(std::string_view text, std::string_view name) : in_(text, name), faces_of_(mesh_, name) {
        content("its first line");
        if (const auto word = off_word(text.substr(text.size() - in_.left()))) {
            word_ = *word;
            for (std::size_t i = 0; i < word_.length; ++i) in_.step();
        }
        if (word_.four || word_.n) in_.fail("an OFF file of other than three coordinates: write it as OFF");
    }

    TriangleMesh read() {
        read_counts();
        // As a rule each vertex and each face has a line, and may have what we do not need at its end. Where there are
        // fewer lines than that, numbers follow each other however the lines are broken.
        const bool lines = lines_with_content(in_) >= vertices_ + face_count_;
        for (std::uint64_t i = 0; i < vertices_; ++i) read_vertex(lines);
        const bool face_lines = lines || lines_with_content(in_) >= face_count_;
        for (std::uint64_t i = 0; i < face_count_; ++i) read_face(face_lines);
        to_content(in_);
        if (!in_.at_end())
            in_.fail(lines ? "text after the last face: the file has more than its first lines say; mend their counts"
                           : "text after the last face: the file has other numbers than its first lines say; write "
                             "each vertex and each face on a line of its own");
        faces_of_.finish();
        return std::move(mesh_);
    }

private:
    void content(const char* what) {
        to_content(in_);
        if (in_.at_end()) in_.fail(fmt::format("the file ends before {}", what));
    }
    void read_counts() {
        static constexpr const char* kCounts = "its counts: give VERTICES FACES EDGES";
        content(kCounts);
        if (in_.word() == "BINARY") in_.fail("a binary OFF file: write it as text, or as PLY");
        vertices_ = in_.whole("the number of vertices");
        const bool same_line = at_number(in_);
        content(kCounts);
        face_count_ = in_.whole("the number of faces");
        // The number of edges, which few writers count, is left out by some.
        if (at_number(in_)) {
            in_.whole("the number of edges");
        } else if (!same_line || one_word_ahead()) {
            content(kCounts);
            in_.whole("the number of edges");
        }
        // No vertex is shorter than "0 0 0" and a line end, no face than "3 0 1 2": a wrong count is found here.
        if (vertices_ > kMostPoints || vertices_ > in_.left() / 6 + 1 || face_count_ > in_.left() / 8 + 1)
            in_.fail(fmt::format("{} vertices and {} faces announced, but the file is too short for them", vertices_,
                                 face_count_));
        if (!at_number(in_)) in_.take_line();
    }
    /// Does the next line with content hold one word?
    [[nodiscard]] bool one_word_ahead() const {
        NumberText ahead = in_;
        to_content(ahead);
        if (ahead.at_end()) return false;
        ahead.skip_word();
        return !at_number(ahead);
    }
    void read_vertex(bool lines) {
        static constexpr const char* kNames[] = {"x", "y", "z"};
        Point3 p{};
        for (std::size_t k = 0; k < 3; ++k) {
            content("its last vertex");
            p[k] = in_.real(kNames[k]);
        }
        mesh_.points.push_back(p);
        if (lines) {
            in_.take_line();
            return;
        }
        for (std::size_t k = 0; k < word_.after(); ++k) {
            content("its last vertex");
            in_.skip_number("a number after a vertex");
        }
    }
    void read_face(bool lines) {
        content("its last face");
        const std::uint64_t corners = in_.whole("the number of corners");
        if (corners < 3) in_.fail(fmt::format("a face of {} corners: give three or more", corners));
        faces_of_.begin();
        for (std::uint64_t k = 0; k < corners; ++k) {
            content("its last face");
            const std::uint64_t v = in_.whole("a corner");
            if (v >= vertices_) in_.fail(fmt::format("corner {} of {} vertices (they count from 0)", v, vertices_));
            faces_of_.corner(static_cast<std::uint32_t>(v));
        }
        faces_of_.end();
        if (lines) in_.take_line();
    }

    TriangleMesh mesh_;
    NumberText in_;
    OffWord word_;
    Faces faces_of_;
    std::uint64_t vertices_ = 0, face_count_ = 0;
};

} // namespace

bool begins_as_off(std::string_view text) {
    return off_word(text).has_value();
}

TriangleMesh read_off(std::string_view text, std::string_view name) {
    return OffReader(text, name).read();
}

} // namespace mantissa::meshes
