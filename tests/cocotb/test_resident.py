"""A test bench of fx_resident_axis, written from docs/integration.md: D loaded, solves started and aborted, V sent; the defect of what
comes back is formed in integers."""

import json
import os

import cocotb
from cocotb.triggers import ClockCycles
from kept_bench import ABORT, BUSY, CONTROL, LOADED, SEND, SENDING, START, STATUS, KeptBench

PARAMETERS = json.loads(os.environ["CORE_PARAMETERS"])
LENGTH, ROW_LENGTH, INNER, PASSES, TOLERANCE, EXPONENT, HEADROOM = 16, 20, 24, 28, 32, 40, 44
PASS_COUNT, STALL_LIMIT, SHARE = 0x30, 0x80, 0x84
CONVERGED, ENDED_PASSES, EXACT, FAULT = 0, 1, 2, 6
VF, DF = PARAMETERS["VF"], PARAMETERS["DF"]
ONE = 127 << PARAMETERS["ScalarFracW"]  # 1 in the scalar format of 8 exponent bits


class Bench(KeptBench):
    def __init__(self, dut, seed):
        super().__init__(dut, seed, "v")

    async def program(self, row, rows, headroom=0, exponent=-20, passes=400):
        self.row, self.size = row, row * rows
        for address, value in ((LENGTH, self.size), (ROW_LENGTH, row), (INNER, 8), (PASSES, passes), (TOLERANCE, ONE),
                               (EXPONENT, exponent), (HEADROOM, headroom)):
            await self.write(address, value)
        if PARAMETERS.get("Cores", 1) > 1:
            await self.write(SHARE, row * ((rows + 1) // 2))

    def side(self, norm):
        """Words of a right-hand side of this norm or so, 0 on the edge."""
        inside = [i for i in range(self.size) if 0 < i % self.row < self.row - 1 and 0 < i // self.row < self.size // self.row - 1]
        b = [0] * self.size
        for i in inside:
            b[i] = int(self.rng.uniform(-1, 1) * norm * (1 << DF) / len(inside) ** 0.5)
        return b

    def defect(self, b, v):
        """b - A V in units of 2^-(VF + 3): A is 2^-3 times the stencil (8, -1)."""
        rest = []
        for i, word in enumerate(b):
            x, y = i % self.row, i // self.row
            edge = x in (0, self.row - 1) or y in (0, self.size // self.row - 1)
            sum_ = 0 if edge else 9 * v[i] - sum(v[i + dx + self.row * dy] for dx in (-1, 0, 1) for dy in (-1, 0, 1))
            rest.append((word << (VF + 3)) - (sum_ << DF))  # in units of 2^-(DF + VF + 3)
        return rest


@cocotb.test()
async def solves(dut):
    """Right-hand sides of any norm are solved, or the end says that they are not: EXACT is b = A V to the last bit."""
    b = await Bench.of(dut, 1)
    await b.program(5, 5)
    for norm in (0.7, 0.9 * 2**-16, 2**-18, 2**-24):
        await b.program(5, 5, exponent=-30)
        side = b.side(norm)
        end = await b.run(side)
        assert end == CONVERGED and await b.read(PASS_COUNT) > 0, (norm, end)
        await b.write(CONTROL, SEND)
        rest = b.defect(side, await b.receive())
        assert sum(x * x for x in rest) < 4 << 2 * (DF + VF + 3 - 30), norm
    for norm, headroom in ((0.9 * 2**-16, 15), (0.7, 17), (2**-20, 30)):  # r has no bits left
        await b.program(5, 5, headroom=headroom, exponent=-30)
        assert await b.run(b.side(norm)) == FAULT, (norm, headroom)


@cocotb.test()
async def another_length_wants_another_load(dut):
    """Words loaded for one LENGTH are none for another."""
    b = await Bench.of(dut, 2)
    for first, then in (((5, 5), (9, 9)), ((9, 9), (5, 5)), ((5, 5), (5, 6))):
        await b.program(*first)
        await b.load(b.side(0.5))
        assert await b.read(STATUS) & LOADED
        await b.program(*then)
        assert not await b.read(STATUS) & LOADED
        await b.write(CONTROL, START)
        assert await b.ended() == FAULT and await b.read(PASS_COUNT) == 0
        assert await b.run(b.side(0.5)) == CONVERGED
    await b.program(5, 5)
    await b.write(LENGTH, 27)  # no whole rows
    await b.load([0, 1 << DF - 1] + [0] * 25)
    await b.write(CONTROL, START)
    assert await b.ended() == FAULT


@cocotb.test()
async def what_is_sent_comes_to_its_end(dut):
    """An abort while V leaves changes nothing of it: all words come, and tlast with the last one."""
    b = await Bench.of(dut, 3)
    await b.program(5, 5)
    await b.run(b.side(0.5))
    await b.write(CONTROL, SEND)
    whole = await b.receive()
    for wait in (0, 3, 9, 20):
        b.out.pause = True
        await b.write(CONTROL, SEND)
        await ClockCycles(dut.aclk, wait)
        b.out.pause = wait % 2 == 0
        await b.write(CONTROL, ABORT)
        await ClockCycles(dut.aclk, 5)
        b.out.pause = False
        assert await b.receive() == whole
        assert not await b.read(STATUS) & (BUSY | SENDING)


@cocotb.test()
async def a_limit_that_is_too_short(dut):
    """STALL_LIMIT ends a solve whose passes take longer, and the next one is right."""
    b = await Bench.of(dut, 4)
    for limit in (1, 20, 60):
        await b.program(5, 5)
        await b.write(STALL_LIMIT, limit)
        assert await b.run(b.side(0.5)) == FAULT, limit
        await b.write(STALL_LIMIT, 2000)
        assert await b.run(b.side(0.5)) == CONVERGED
