"""Lines of the files that rtl/generate.py writes: their note, and how words are put into lines."""

NOTE = "Written by rtl/generate.py from rtl/core.toml; edit that and run it again."


def filled(words, indent, separator, width):
    """Words in lines of at most `width` characters."""
    lines, line = [], indent
    for k, word in enumerate(words):
        piece = word + (separator.rstrip() if k + 1 < len(words) else "")
        if line.strip() and len(line) + len(piece) > width:
            lines.append(line.rstrip())
            line = indent
        line += piece + " "
    return "\n".join([*lines, line.rstrip()])


def wrapped(text, width):
    lines, line = [], " " * (len(text) - len(text.lstrip()))
    for word in text.split():
        if line.strip() and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line.strip() else line + word
    return [*lines, line]


def broken(text, indent, end=""):
    """A long line broken at blanks, each but the last line ended with `end`."""
    lines = []
    for k, part in enumerate(wrapped(text, 118 - len(indent) - len(end))):
        lines.append((indent if k else "") + part)
    return f"{end}\n".join(lines)
