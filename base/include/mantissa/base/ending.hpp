// How a program ends when it is told to: by SIGINT (^C), SIGTERM or SIGHUP.
#pragma once

#include <functional>
#include <string>

namespace mantissa::base {

/// From now on the three signals end the tools that run_process() has started, print what EndingNotes say, remove every
/// TemporaryFolder, and then end this program as the signal would have. A signal that is ignored (nohup) stays ignored.
/// For a program's main, once, before it starts threads: the signals are blocked and one thread waits for them, so
/// nothing has to be done inside a signal handler.
void end_cleanly_on_signals();

/// Has such a signal come? What notices a tool's death may then have no time left to report it.
bool ending();

/// A line for standard error if a signal ends the program while the object lives. `text` is called on another thread;
/// where it returns nothing, nothing is printed: it may just set something in order.
class EndingNote {
public:
    explicit EndingNote(std::function<std::string()> text);
    EndingNote(const EndingNote&) = delete;
    EndingNote& operator=(const EndingNote&) = delete;
    ~EndingNote();

private:
    int id_;
};

} // namespace mantissa::base
