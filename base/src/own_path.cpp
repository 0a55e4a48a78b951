#include "mantissa/base/own_path.hpp"

#include <cerrno>
#include <deque>
#include <system_error>

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "mantissa/base/quoted.hpp"
#include "mantissa/format.hpp"

namespace mantissa::base {

namespace fs = std::filesystem;

namespace {

constexpr int kMostLinks = 40;
constexpr std::size_t kShown = 200;

/// The group that bears this user's name and has nobody else in it: where each user has one, new files are writable for
/// it by default. The superuser has none: what is not to be written by others, root has no need to leave to a group.
bool private_group(gid_t group) {
    const passwd* user = ::getpwuid(::geteuid());
    if (user == nullptr || user->pw_uid == 0 || user->pw_gid != group) return false;
    const std::string name = user->pw_name;
    const ::group* entry = ::getgrgid(group);
    if (entry == nullptr || name != entry->gr_name) return false;
    for (char** member = entry->gr_mem; *member != nullptr; ++member)
        if (name != *member) return false;
    return true;
}

/// What is wrong with one folder, link or file; `last`: it is what was asked for, not a folder on the way there.
PathTrust part_trust(const fs::path& part, const struct stat& info, bool last) {
    const std::string name = quoted(part.string(), kShown);
    if (info.st_uid != ::geteuid() && info.st_uid != 0)
        return {fmt::format("{} belongs to user {}", name, info.st_uid), true};
    if (S_ISLNK(info.st_mode)) return {};           // a link has no mode of its own
    if (!last && !S_ISDIR(info.st_mode)) return {}; // nothing lies in it
    const bool group = (info.st_mode & S_IWGRP) != 0 && !private_group(info.st_gid);
    const bool shared = group || (info.st_mode & S_IWOTH) != 0;
    const bool sticky = !last && S_ISDIR(info.st_mode) && (info.st_mode & S_ISVTX) != 0 && info.st_uid == 0;
    if (shared && !sticky) return {fmt::format("others may write to {} (chmod go-w ends that)", name), false};
    return {};
}

void put_in_front(std::deque<fs::path>& parts, const fs::path& path) {
    parts.insert(parts.begin(), path.begin(), path.end());
}

} // namespace

PathTrust path_trust(const fs::path& path, Sticky sticky) {
    std::error_code error;
    const fs::path whole = fs::absolute(path, error);
    if (error) return {fmt::format("{} has no folder ({})", quoted(path.string(), kShown), error.message()), true};
    std::deque<fs::path> parts;
    put_in_front(parts, whole.relative_path());
    fs::path at = "/";
    int links = 0;
    for (bool first = true;; first = false) {
        if (!first) {
            while (!parts.empty() && (parts.front().empty() || parts.front() == ".")) parts.pop_front();
            if (parts.empty()) return {};
            if (parts.front() == "..") {
                at = at.parent_path(); // `at` holds no links, so this is its parent indeed
                parts.pop_front();
                continue;
            }
            at /= parts.front();
            parts.pop_front();
        }
        struct stat info {};
        if (::lstat(at.c_str(), &info) != 0) {
            if (errno == ENOENT || errno == ENOTDIR) return {};
            return {fmt::format("{} cannot be looked at ({})", quoted(at.string(), kShown),
                                std::generic_category().message(errno)),
                    true};
        }
        if (PathTrust trust = part_trust(at, info, parts.empty() && sticky == Sticky::on_the_way); !trust.good())
            return trust;
        if (!S_ISLNK(info.st_mode)) continue;
        const fs::path target = fs::read_symlink(at, error);
        if (error || ++links > kMostLinks)
            return {fmt::format("{} is a link that leads nowhere", quoted(at.string(), kShown)), true};
        put_in_front(parts, target.relative_path());
        at = target.is_absolute() ? fs::path("/") : at.parent_path();
    }
}

void require_own(const std::string& what, const fs::path& path, const std::string& mend, Sticky sticky) {
    if (const PathTrust trust = path_trust(path, sticky); !trust.good())
        throw InvalidInput(fmt::format("{} {}: {}, so it may hold what somebody else put there; {}", what,
                                       quoted(path.string(), kShown), trust.why, mend));
}

} // namespace mantissa::base
