// What the tools that run_process() has started are doing, for progress lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mantissa::base {

/// One run of a tool, for as long as the object lives.
class RunningStep {
public:
    explicit RunningStep(std::string label);
    RunningStep(const RunningStep&) = delete;
    RunningStep& operator=(const RunningStep&) = delete;
    ~RunningStep();
    /// The run ended well: its time is kept in the cache folder, for the estimate of the next run with this label.
    void finished() const;

private:
    std::string label_;
    int id_;
};

/// The step that has run longest: "yosys, core s17e8 on xc2v: 12 s, ETA 28 s", or, where no earlier run tells how long
/// it takes, "...: 12 s (first run here, so no ETA)"; and how many others run beside it. Empty when none has run for
/// two seconds.
std::string running_steps();

/// "1:02:03", "4:05", "7 s"; rounded up.
std::string duration_text(double seconds);

/// As many characters of `text`: a longer progress line would wrap, and each redrawing would leave one behind.
std::string_view first_columns(std::string_view text, std::size_t columns);

/// The last line of the terminal belongs to whoever holds one of these; at most one thing is drawn there.
class TerminalLine {
public:
    TerminalLine();
    TerminalLine(const TerminalLine&) = delete;
    TerminalLine& operator=(const TerminalLine&) = delete;
    /// Clears what was drawn.
    ~TerminalLine();
    /// Shows `text`, as much as fits in one line, in place of what was drawn before. Nothing when standard error is no
    /// terminal.
    void draw(const std::string& text);

private:
    bool enabled_, drawn_ = false;
};

/// From now on running steps are shown on standard error, if that is a terminal, while nobody holds a TerminalLine.
/// For a program's main; a library does not write to a terminal unasked.
void show_running_steps();

} // namespace mantissa::base
