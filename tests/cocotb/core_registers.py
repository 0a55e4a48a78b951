"""The core's registers. Written by rtl/generate.py from rtl/core.toml; edit that and run it again."""

ID = 0x00
CONFIG = 0x04
CONTROL = 0x08
STATUS = 0x0C
ERRORS = 0x10
LENGTH = 0x14
ROW_LENGTH = 0x18
PASSES = 0x1C
RHO_STOP_FROM = 0x20
STALL_LIMIT = 0x24
MODE = 0x28
BANK = 0x2C
PASS_COUNT = 0x30
SIGMA_GUARDS = 0x34
CYCLES = 0x38
ALPHA = 0x40
BETA = 0x48
RHO = 0x50
PQ = 0x58
QQ = 0x60
SIGMA = 0x68
RHO_STOP = 0x70
COEFFICIENT = 0x80
WORDS_U = 0xC8
WORDS_R = 0xD0
WORDS_P = 0xD8
WORDS_Q = 0xE0
HALO_FIRST = 0xE8
HALO_LAST = 0xEC
HALO_COLUMN = 0xF0

ID_VALUE = 0x4D545301

CONTROL_START = 0x1  # a run begins
CONTROL_ABORT = 0x2  # the run ends
STATUS_BUSY = 0x1  # a run is on
STATUS_DONE = 0x2  # a run has ended
STATUS_END = 0x70  # how it ended
STATUS_BANK = 0x100  # the bank that holds u, r, p, q
STATUS_OFFERING = 0x200  # beats of a run that has ended are still offered
STATUS_FAULT_DETECTED = 0x800  # fx_core with Checks: a check failed since the start

ERROR_BAD_LENGTH = 0x1
ERROR_BAD_ROW_LENGTH = 0x2
ERROR_BUSY = 0x4
ERROR_ENDED_EARLY = 0x8
ERROR_ENDED_LATE = 0x10
ERROR_STALLED = 0x20
ERROR_ABORTED = 0x40
ERROR_NO_PASSES = 0x80
ERROR_STILL_OFFERED = 0x100
