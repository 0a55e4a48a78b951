// Whose is a file, and who else could have put something else in its place?
#pragma once

#include <filesystem>
#include <string>

namespace mantissa::base {

/// What the check of a path found.
struct PathTrust {
    /// Why the file cannot be taken as this user's own: one phrase that names the folder or file. Empty: it can.
    std::string why;
    /// The fault is that somebody else owns a part; else only that others may write there.
    bool foreign = false;
    [[nodiscard]] bool good() const { return why.empty(); }
};

/// May `path` itself be a folder of root's in which each may remove only what is his own, as /tmp is?
enum class Sticky { on_the_way, allowed };

/// Could only this user or the superuser have put there what lies at `path`? Asked of every folder from the root on, of
/// every symbolic link on the way and of what it names, and of the file or folder itself: each must be this user's or
/// root's, and writable for nobody else, nor for a group but one that is this user's alone; a folder of root's in which
/// each may remove only what is his own (the sticky bit, as of /tmp) is allowed on the way. A part that is not there
/// yet ends the check. For what is loaded or run, before it is.
PathTrust path_trust(const std::filesystem::path& path, Sticky sticky = Sticky::on_the_way);

/// Throws InvalidInput when path_trust() says no: one line, "WHAT PATH: WHY; MEND".
void require_own(const std::string& what, const std::filesystem::path& path, const std::string& mend,
                 Sticky sticky = Sticky::on_the_way);

} // namespace mantissa::base
