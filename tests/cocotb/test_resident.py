"""A test bench of fx_resident_axis, written from docs/integration.md: D loaded, solves started and aborted, V sent; the defect of what
comes back is formed in integers."""

import json
import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotbext.axi import (AxiLiteBus, AxiLiteMaster, AxiResp, AxiStreamBus, AxiStreamFrame, AxiStreamSink,
                           AxiStreamSource)

PARAMETERS = json.loads(os.environ["CORE_PARAMETERS"])
CONTROL, STATUS, LENGTH, ROW_LENGTH, INNER, PASSES, TOLERANCE, EXPONENT, HEADROOM = 8, 12, 16, 20, 24, 28, 32, 40, 44
PASS_COUNT, STALL_LIMIT, SHARE = 0x30, 0x80, 0x84
START, ABORT, SEND = 1, 2, 4
BUSY, DONE, SENDING, LOADED = 1, 2, 4, 8
CONVERGED, ENDED_PASSES, EXACT, FAULT = 0, 1, 2, 6
VF, DF = PARAMETERS["VF"], PARAMETERS["DF"]
ONE = 127 << PARAMETERS["ScalarFracW"]  # 1 in the scalar format of 8 exponent bits


class Bench:
    def __init__(self, dut, seed):
        self.dut, self.rng = dut, random.Random(seed)
        cocotb.start_soon(Clock(dut.aclk, 10, "ns").start())
        reset = {"reset": dut.aresetn, "reset_active_level": False}
        self.axil = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.aclk, **reset)
        self.d = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis_d"), dut.aclk, **reset, byte_lanes=1)
        self.v = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis_v"), dut.aclk, **reset, byte_lanes=1)

    async def reset(self):
        self.dut.aresetn.value = 0
        await ClockCycles(self.dut.aclk, 4)
        self.dut.aresetn.value = 1
        await ClockCycles(self.dut.aclk, 4)

    async def read(self, address):
        answer = await self.axil.read(address, 4)
        assert answer.resp == AxiResp.OKAY, hex(address)
        return int.from_bytes(answer.data, "little")

    async def write(self, address, value):
        assert (await self.axil.write(address, (value % (1 << 32)).to_bytes(4, "little"))).resp == AxiResp.OKAY, hex(address)

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

    async def load(self, words):
        values = [w % (1 << 64) for w in words]
        await self.d.send(AxiStreamFrame(values))
        await self.d.wait()
        await ClockCycles(self.dut.aclk, 2)

    async def ended(self):
        while not (status := await self.read(STATUS)) & DONE or status & BUSY:
            await RisingEdge(self.dut.aclk)
        return status >> 4 & 15

    async def solve(self, b):
        await self.load(b)
        assert await self.read(STATUS) & LOADED
        await self.write(CONTROL, START)
        return await with_timeout(cocotb.start_soon(self.ended()), 20, "ms")

    async def fetch(self):
        frame = await with_timeout(cocotb.start_soon(self.v.recv()), 1, "ms")
        words = [int(w) for w in frame.tdata]
        return [w - (1 << 64) if w >> 63 else w for w in words]

    def defect(self, b, v):
        """b - A V in units of 2^-(VF + 3): A is 2^-3 times the stencil (8, -1)."""
        rest = []
        for i, word in enumerate(b):
            x, y = i % self.row, i // self.row
            edge = x in (0, self.row - 1) or y in (0, self.size // self.row - 1)
            sum_ = 0 if edge else 9 * v[i] - sum(v[i + dx + self.row * dy] for dx in (-1, 0, 1) for dy in (-1, 0, 1))
            rest.append((word << (VF + 3)) - (sum_ << DF))  # in units of 2^-(DF + VF + 3)
        return rest


async def bench(dut, seed):
    b = Bench(dut, seed)
    await b.reset()
    return b


@cocotb.test()
async def solves(dut):
    """Right-hand sides of any norm are solved, or the end says that they are not: EXACT is b = A V to the last bit."""
    b = await bench(dut, 1)
    await b.program(5, 5)
    for norm in (0.7, 0.9 * 2**-16, 2**-18, 2**-24):
        await b.program(5, 5, exponent=-30)
        side = b.side(norm)
        end = await b.solve(side)
        assert end == CONVERGED and await b.read(PASS_COUNT) > 0, (norm, end)
        await b.write(CONTROL, SEND)
        rest = b.defect(side, await b.fetch())
        assert sum(x * x for x in rest) < 4 << 2 * (DF + VF + 3 - 30), norm
    for norm, headroom in ((0.9 * 2**-16, 15), (0.7, 17), (2**-20, 30)):  # r has no bits left
        await b.program(5, 5, headroom=headroom, exponent=-30)
        assert await b.solve(b.side(norm)) == FAULT, (norm, headroom)


@cocotb.test()
async def another_length_wants_another_load(dut):
    """Words loaded for one LENGTH are none for another."""
    b = await bench(dut, 2)
    for first, then in (((5, 5), (9, 9)), ((9, 9), (5, 5)), ((5, 5), (5, 6))):
        await b.program(*first)
        await b.load(b.side(0.5))
        assert await b.read(STATUS) & LOADED
        await b.program(*then)
        assert not await b.read(STATUS) & LOADED
        await b.write(CONTROL, START)
        assert await b.ended() == FAULT and await b.read(PASS_COUNT) == 0
        assert await b.solve(b.side(0.5)) == CONVERGED
    await b.program(5, 5)
    await b.write(LENGTH, 27)  # no whole rows
    await b.load([0, 1 << DF - 1] + [0] * 25)
    await b.write(CONTROL, START)
    assert await b.ended() == FAULT


@cocotb.test()
async def what_is_sent_comes_to_its_end(dut):
    """An abort while V leaves changes nothing of it: all words come, and tlast with the last one."""
    b = await bench(dut, 3)
    await b.program(5, 5)
    await b.solve(b.side(0.5))
    await b.write(CONTROL, SEND)
    whole = await b.fetch()
    for wait in (0, 3, 9, 20):
        b.v.pause = True
        await b.write(CONTROL, SEND)
        await ClockCycles(dut.aclk, wait)
        b.v.pause = wait % 2 == 0
        await b.write(CONTROL, ABORT)
        await ClockCycles(dut.aclk, 5)
        b.v.pause = False
        assert await b.fetch() == whole
        assert not await b.read(STATUS) & (BUSY | SENDING)


@cocotb.test()
async def a_limit_that_is_too_short(dut):
    """STALL_LIMIT ends a solve whose passes take longer, and the next one is right."""
    b = await bench(dut, 4)
    for limit in (1, 20, 60):
        await b.program(5, 5)
        await b.write(STALL_LIMIT, limit)
        assert await b.solve(b.side(0.5)) == FAULT, limit
        await b.write(STALL_LIMIT, 2000)
        assert await b.solve(b.side(0.5)) == CONVERGED
