"""A test bench of fx_cycle_axis, written from docs/cycle_core.md: D loaded, solves and single cycles run and aborted, U sent. The defect of
what comes back is formed in integers, and what the core says of it is compared to the last bit."""

import itertools
import json
import os

import cocotb
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiResp
from kept_bench import ABORT, BUSY, CONTROL, LOADED, SEND, SENDING, START, STATUS, KeptBench, signed

PARAMETERS = json.loads(os.environ["CORE_PARAMETERS"])
LEVEL, CYCLES, MODE, LIMIT_EXPONENT, LIMIT = 0x10, 0x14, 0x18, 0x1C, 0x20
COUNT, EXPONENT, SQUARES, POINT, CLOCKS = 0x28, 0x2C, 0x30, 0x38, 0x40
MISUSED = 256  # of STATUS
REACHED, ENDED_CYCLES, EXACT, OVERFLOW, FAULT = range(5)
WORDS = PARAMETERS.get("BusWords", 1)  # of a beat


class Bench(KeptBench):
    def __init__(self, dut, seed):
        super().__init__(dut, seed, "u", WORDS)

    async def read_pair(self, address):
        return await self.read(address) | await self.read(address + 4) << 32

    async def write(self, address, value):
        assert (await self.axil.write(address, (value % (1 << 32)).to_bytes(4, "little"))).resp == AxiResp.OKAY, hex(address)

    async def program(self, level, cycles=30, alone=False, limit=0, exponent=0):
        self.n = 1 << level
        for address, value in ((LEVEL, level), (CYCLES, cycles), (MODE, int(alone)), (LIMIT_EXPONENT, exponent), (LIMIT, limit),
                               (LIMIT + 4, limit >> 32)):
            await self.write(address, value)

    def side(self, bits):
        """Words of rows and columns 0 to n - 1, below 2^bits; 0 on the edges to the south and west."""
        return [0 if not (x and y) else self.rng.randrange(-(1 << bits) + 1, 1 << bits) for y in range(self.n) for x in range(self.n)]

    async def fetch(self):
        await self.write(CONTROL, SEND)
        return await self.receive()

    def rest(self, b, u):
        """b - A u; A is 8 in the middle and -1 around, the edges are zero."""
        n = self.n

        def at(x, y):
            return u[y * n + x] if 0 < x < n and 0 < y < n else 0

        return [b[y * n + x] - 9 * at(x, y) + sum(at(x + i, y + j) for i in (-1, 0, 1) for j in (-1, 0, 1)) if x and y else 0
                for y in range(n) for x in range(n)]

    async def expect_verdict(self, rest):
        """EXPONENT and SQUARES are those of this D."""
        x = max(map(abs, rest)).bit_length()
        shift = x - 15
        halves = [((d >> (shift - 1)) + 1) >> 1 if shift > 0 else d << -shift for d in rest]
        assert await self.read(EXPONENT) == x
        assert await self.read_pair(SQUARES) == sum(h * h for h in halves)


@cocotb.test()
async def solves(dut):
    """A solve ends where its limit says, and what it says of the last defect is so."""
    b = await Bench.of(dut, 1)
    for level, bits, fall in ((2, 40, 10), (3, 50, 30), (4, 20, 8), (4, 55, 20)):
        await b.program(level, limit=1, exponent=bits - fall + 15)  # squares of D 2^(15 - x): sum D^2 below 4^(bits - fall)
        side = b.side(bits)
        assert await b.run(side) == REACHED
        assert 0 < await b.read(COUNT) < 30 and await b.read_pair(CLOCKS) > (1 << 2 * level)
        rest = b.rest(side, await b.fetch())
        assert sum(d * d for d in rest) < 1.01 * 4 ** (bits - fall), (level, bits)
        await b.expect_verdict(rest)
    await b.program(3)
    assert await b.run([0] * 64) == EXACT and await b.read(COUNT) == 0
    assert await b.fetch() == [0] * 64
    await b.program(4, cycles=3)
    assert await b.run(b.side(50)) == ENDED_CYCLES and await b.read(COUNT) == 3
    await b.program(3)
    assert await b.run([0] * 9 + [1 << 62] * 7 + [0] * 48) == OVERFLOW


@cocotb.test()
async def one_cycle_alone(dut):
    """A preconditioner: U is e, c = e 2^-POINT makes the defect smaller, and D is as it was."""
    b = await Bench.of(dut, 2)
    await b.program(4, cycles=1, alone=True)
    side = b.side(45)
    assert await b.run(side) == ENDED_CYCLES
    e, point = await b.fetch(), signed(await b.read(POINT), 32)
    rest = b.rest([w << 20 for w in side], [w << (20 - point) if point < 20 else w >> (point - 20) for w in e])
    assert sum(r * r for r in rest) < sum((w << 20) ** 2 for w in side) / 4
    await b.program(4, cycles=1)
    assert await b.run(side) == ENDED_CYCLES
    await b.expect_verdict(b.rest(side, await b.fetch()))


@cocotb.test()
async def another_level_wants_another_load(dut):
    """Words loaded for one LEVEL are none for another, nor are too few or too many; and each run wants its own."""
    b = await Bench.of(dut, 3)
    for first, then in ((3, 4), (4, 3), (2, 4)):
        await b.program(first, limit=1, exponent=60)
        await b.load(b.side(40))
        assert await b.read(STATUS) & LOADED
        await b.program(then, limit=1, exponent=60)
        assert not await b.read(STATUS) & LOADED
        await b.write(CONTROL, START)
        assert await b.ended() == FAULT and await b.read(COUNT) == 0
        for words in (b.side(40)[WORDS:], b.side(40) + [1] * WORDS):
            await b.load(words)
            assert not await b.read(STATUS) & LOADED
        assert await b.run(b.side(40)) == REACHED
        await b.write(CONTROL, START)
        assert await b.ended() == FAULT
    await b.write(LEVEL, 9)
    assert (await b.axil.write(0x28, b"\0\0\0\0")).resp == AxiResp.SLVERR
    assert (await b.axil.read(0x60, 4)).resp == AxiResp.SLVERR


@cocotb.test()
async def what_is_sent_comes_to_its_end(dut):
    """An abort, pauses and a register's write while U leaves change nothing of it; an abort of a run leaves nothing behind."""
    b = await Bench.of(dut, 4)
    await b.program(3, limit=1, exponent=30)
    side = b.side(50)
    await b.run(side)
    whole = await b.fetch()
    for wait in (0, 3, 9, 20):
        assert await b.run(side) == REACHED
        b.out.pause = True
        await b.write(CONTROL, SEND)
        await ClockCycles(dut.aclk, wait)
        b.out.pause = wait % 2 == 0
        await b.write(LEVEL, 4)
        assert await b.read(STATUS) & MISUSED or not b.out.pause
        await b.write(CONTROL, ABORT)
        await ClockCycles(dut.aclk, 5)
        b.out.pause = False
        assert await b.receive() == whole
        assert not await b.read(STATUS) & (BUSY | SENDING)
        await b.program(3, limit=1, exponent=30)
    for wait in (20, 200, 900):
        await b.load(side)
        await b.write(CONTROL, START)
        await ClockCycles(dut.aclk, wait)
        await b.write(CONTROL, ABORT)
        await ClockCycles(dut.aclk, 4)
        assert not await b.read(STATUS) & BUSY
        b.d.set_pause_generator(itertools.cycle((0, 1, 1, 0, 0, 1)))
        b.out.set_pause_generator(itertools.cycle((1, 0, 0, 1, 0)))
        assert await b.run(side) == REACHED
        assert await b.fetch() == whole
