// What must be undone when a signal ends the program. Internal to base/.
#pragma once

#include <filesystem>
#include <functional>

#include <sys/types.h>

namespace mantissa::base {

/// Calls `start`, which forks and returns the group's leader, unless the program is ending; remembers the group.
/// Returns what `start` returned; does not return when the program is ending.
pid_t start_group(const std::function<pid_t()>& start);
/// Does not return when the program is ending: nothing new should be begun then.
void stay_if_ending();

/// The group's leader was waited for. Does not return when the program is ending: the caller would report a death that
/// the signal caused.
void forget_group(pid_t leader);

/// A folder or file that goes when a signal ends the program, until it is forgotten.
void remember_temporary(const std::filesystem::path& path);
void forget_temporary(const std::filesystem::path& path);

} // namespace mantissa::base
