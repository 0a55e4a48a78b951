"""A test bench of pcg_core_axis, written from docs/integration.md: DMA-like sources and sinks that pause at random, two
banks of memory, a driver on AXI4-Lite, and the words compared with a model in plain integers (cg_model.py)."""

import json
import logging
import os
import random
from fractions import Fraction

import cocotb
import example
from cg_model import Core
from cocotb.clock import Clock
from cocotb.handle import Force, Release
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotbext.axi import (AxiLiteBus, AxiLiteMaster, AxiResp, AxiStreamBus, AxiStreamFrame, AxiStreamSink,
                           AxiStreamSource)
from core_registers import *  # noqa: F403 the registers' names

PARAMETERS = json.loads(os.environ["CORE_PARAMETERS"])
EXAMPLE = os.environ["CORE_SHAPE"] == "example"
VECTORS = "urpq"
STALLED, ABORTED, STILL_OFFERED = ERROR_STALLED, ERROR_ABORTED, ERROR_STILL_OFFERED
BUSY, DONE, OFFERING = STATUS_BUSY, STATUS_DONE, STATUS_OFFERING


def pauses(seed, share):
    """Pauses of random lengths, `share` of the time."""
    rng = random.Random(seed)
    while True:
        pause = rng.random() < share
        for _ in range(rng.randint(1, 6)):
            yield pause


class Bench:
    """The core with its memory: two banks of u, r, p, q, and nine bands."""

    def __init__(self, dut, seed):
        self.dut, self.rng = dut, random.Random(seed)
        self.model = Core(PARAMETERS)
        f = self.model.f
        self.formats = dict(zip(VECTORS, (f["U"], f["R"], f["P"], f["Q"])))
        self.bytes = {v: PARAMETERS.get(v.upper() + "Bytes", (self.formats[v].width + 7) // 8) for v in VECTORS}
        self.bytes["band"] = PARAMETERS.get("CoefBytes", (f["Coef"].width + 7) // 8)
        logging.getLogger(f"cocotb.{dut._name}").setLevel(logging.ERROR)  # not a line a frame
        cocotb.start_soon(Clock(dut.aclk, 10, "ns").start())
        on = dict(clock=dut.aclk, reset=dut.aresetn, reset_active_level=False)
        self.axil = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.aclk, dut.aresetn, False)
        bus = AxiStreamBus.from_prefix
        self.sources = {v: AxiStreamSource(bus(dut, f"s_axis_{v}"), **on) for v in VECTORS}
        self.bands = [AxiStreamSource(bus(dut, f"s_axis_band{b}"), **on) for b in range(9)]
        self.sinks = {v: AxiStreamSink(bus(dut, f"m_axis_{v}"), **on) for v in VECTORS}
        self.asked = AxiStreamSink(bus(dut, "m_axis_pass"), **on)
        self.banks = [{}, {}]

    def pause(self, share):
        streams = [*self.sources.values(), *self.bands, *self.sinks.values()]
        write, read = self.axil.write_if, self.axil.read_if
        streams += [write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel]
        for k, stream in enumerate(streams):
            stream.set_pause_generator(pauses(self.rng.random(), share if k < 17 else share / 2))

    async def reset(self):
        self.dut.aresetn.value = 0
        await ClockCycles(self.dut.aclk, 4)
        self.dut.aresetn.value = 1
        await ClockCycles(self.dut.aclk, 2)

    async def read(self, address):
        answer = await self.axil.read(address, 4)
        assert answer.resp == AxiResp.OKAY, hex(address)
        return int.from_bytes(answer.data, "little")

    async def write(self, address, value):
        assert (await self.axil.write(address, value.to_bytes(4, "little"))).resp == AxiResp.OKAY, hex(address)

    async def read_pair(self, address):
        return await self.read(address) | await self.read(address + 4) << 32

    async def write_pair(self, address, value):
        for half in self.rng.sample((0, 1), 2):  # in any order
            await self.write(address + 4 * half, value >> 32 * half & 0xFFFFFFFF)

    def frame(self, words, size):
        lanes = PARAMETERS["Lanes"]
        words = words + [self.rng.getrandbits(8 * size) for _ in range(-len(words) % lanes)]  # ignored
        return AxiStreamFrame(b"".join(w.to_bytes(size, "little") for w in words))

    def words(self, frame, size, count):
        data = bytes(frame.tdata)
        assert len(data) == -(-count // PARAMETERS["Lanes"]) * PARAMETERS["Lanes"] * size
        words = [int.from_bytes(data[k:k + size], "little") for k in range(0, len(data), size)]
        assert not any(words[count:]), "lanes after LENGTH go out as zero"
        return words[:count]

    def load(self, row_length, size, stencil):
        """A random symmetric system, diagonally dominant, and its start state; words throughout."""
        f, rng = self.model.f, self.rng
        self.row_length, self.size, self.stencil = row_length, size, stencil

        def word(fmt, x):
            x = Fraction(x)
            significand = abs(x.numerator) * (1 << 80) // x.denominator
            return fmt.round(int(x < 0), significand, -80)

        c = f["Coef"]
        if stencil:
            side = [-rng.random() for _ in range(4)]
            both = side + [0.3 - 2 * sum(side)] + side[::-1]
            self.matrix = [word(c, x) for x in both]
        else:
            bands = [[0.0] * size for _ in range(9)]
            for i in range(size):
                bands[4][i] += 0.4
            for i in range(size):
                for b, offset in ((5, 1), (6, row_length - 1), (7, row_length), (8, row_length + 1)):
                    dx = (b % 3) - 1
                    if not 0 <= i % row_length + dx < row_length or i + offset >= size:
                        continue  # outside, or around the corner
                    coupling = rng.random()
                    bands[b][i] = bands[8 - b][i + offset] = -coupling
                    bands[4][i] += coupling
                    bands[4][i + offset] += coupling
            self.matrix = [[word(c, x) for x in band] for band in bands]
        edge = {i for i in range(size) if stencil and (i < row_length or i >= size - row_length
                                                       or i % row_length in (0, row_length - 1))}
        self.state = {v: [0] * size for v in VECTORS}
        self.state["r"] = [0 if i in edge else word(f["R"], rng.uniform(-1, 1)) for i in range(size)]
        self.state.update(alpha=0, beta=0)
        self.banks[0] = {v: list(self.state[v]) for v in VECTORS}

    async def program(self, passes):
        for address, value in ((LENGTH, self.size), (ROW_LENGTH, self.row_length), (PASSES, passes), (BANK, 0),
                               (MODE, int(self.stencil)), (STALL_LIMIT, 5000)):
            await self.write(address, value)
        await self.write_pair(ALPHA, 0)
        await self.write_pair(BETA, 0)
        if self.stencil:
            for b in range(9):
                await self.write_pair(COEFFICIENT + 8 * b, self.matrix[b])

    async def memory(self, passes):
        """Serves a run's passes, and the bands of all of them ahead, as cyclic DMA engines would."""
        if not self.stencil:
            for _ in range(passes):
                for source, band in zip(self.bands, self.matrix):
                    source.send_nowait(self.frame(band, self.bytes["band"]))
        for _ in range(passes):
            self.asked.pause = False
            asked = bytes((await self.asked.recv()).tdata)[0]
            self.asked.pause = True  # until all is written
            assert asked >> 1 == int(not self.stencil)
            bank = asked & 1
            for v in VECTORS:
                self.sources[v].send_nowait(self.frame(self.banks[bank][v], self.bytes[v]))
            for v in VECTORS:
                frame = await self.sinks[v].recv()
                self.banks[1 - bank][v] = self.words(frame, self.bytes[v], self.size)

    async def ended(self):
        while not (status := await self.read(STATUS)) & DONE or status & BUSY:
            await RisingEdge(self.dut.aclk)
        return status

    async def run_and_compare(self, passes):
        """A run of so many passes from the start state, every word against the model."""
        await self.program(passes)
        serving = cocotb.start_soon(self.memory(passes))
        await self.write(CONTROL, 1)
        guards, end, ran = 0, 0, 0
        while ran < passes and end == 0:
            end = self.model.run_pass(self.state, self.matrix, self.row_length, self.stencil)
            guards += self.state["guard"]
            ran += 1
        status = await with_timeout(cocotb.start_soon(self.ended()), 400, "us")
        assert await self.read(ERRORS) == 0
        assert (status >> 4 & 7, await self.read(PASS_COUNT)) == (end, ran)
        if ran == passes:
            await with_timeout(serving, 10, "us")
        else:
            serving.cancel()
        assert await self.read(SIGMA_GUARDS) == guards
        assert status >> 8 & 1 == ran % 2
        for v in VECTORS:
            assert self.banks[ran % 2][v] == self.state[v], v
        names = ("rho", "pq", "qq", "sigma", "alpha", "beta")
        for name, address in zip(names, (RHO, PQ, QQ, SIGMA, ALPHA, BETA)):
            assert await self.read_pair(address) == self.state[name], name

    def value(self, fmt, word):
        kind, sign, significand, exponent = fmt.split(word)
        assert kind in ("zero", "finite")
        return (-1) ** sign * significand * Fraction(2) ** exponent

    def solution(self):
        """u + alpha p, exactly."""
        f = self.model.f
        alpha = self.value(f["Scalar"], self.state["alpha"])
        return [self.value(f["U"], u) + alpha * self.value(f["P"], p)
                for u, p in zip(self.state["u"], self.state["p"])]


async def bench(dut, seed, share):
    b = Bench(dut, seed)
    b.asked.pause = True
    await b.reset()
    b.pause(share)
    return b


@cocotb.test(skip=EXAMPLE)
async def registers(dut):
    """Resets, halves and bytes in any order, and SLVERR for what is not there."""
    b = await bench(dut, 1, 0.5)
    assert await b.read(ID) == ID_VALUE
    assert await b.read(CONFIG) == (PARAMETERS["Lanes"].bit_length() - 1 | PARAMETERS["CoefMode"] << 3
                                    | PARAMETERS.get("Fixed", 0) << 5 | (PARAMETERS.get("Order", 0) == 1) << 6
                                    | PARAMETERS.get("Order", 0) << 9)
    for address in (*range(0x08, 0x50, 4), 0x70, 0x74):
        assert await b.read(address) == (1 if address == RHO_STOP_FROM else 0), hex(address)
    for address in (0x78, 0x7C, *range(0x80, 0x100, 4)):
        answer = await b.axil.read(address, 4)
        assert answer.resp == AxiResp.SLVERR and not any(answer.data), hex(address)
    for address in (ID, CONFIG, STATUS, PASS_COUNT, CYCLES, CYCLES + 4, RHO, SIGMA + 4, 0x78, 0xC8, 0xFC):
        assert (await b.axil.write(address, b"\xff" * 4)).resp == AxiResp.SLVERR, hex(address)
    held = {}
    scalar = b.model.f["Scalar"].width
    for _ in range(60):  # any bytes of any word: the driver turns them into strobes
        address = b.rng.choice((PASSES, RHO_STOP_FROM, STALL_LIMIT, ALPHA, ALPHA + 4, BETA, RHO_STOP, RHO_STOP + 4))
        first = b.rng.randrange(4)
        data = b.rng.randbytes(b.rng.randint(1, 4 - first))
        assert (await b.axil.write(address + first, data)).resp == AxiResp.OKAY
        word = bytearray(held.get(address, (address == RHO_STOP_FROM).to_bytes(4, "little")))
        word[first:first + len(data)] = data
        held[address] = bytes(word)
        bits = 32 if address < ALPHA else max(0, min(32, scalar - 8 * (address & 4)))
        assert await b.read(address) == int.from_bytes(word, "little") & (1 << bits) - 1, hex(address)
    assert await b.read(ERRORS) == 0 and await b.read(STATUS) == 0


@cocotb.test(skip=EXAMPLE)
async def bands(dut):
    """Whole passes of a nine-band system with random pauses on every stream, and u + alpha p solves it."""
    b = await bench(dut, 2, 0.4)
    b.load(row_length=5, size=19, stencil=False)  # a last row that is not whole
    await b.run_and_compare(3)
    b.load(row_length=4, size=9, stencil=False)
    rhs = [b.value(b.model.f["R"], w) for w in b.state["r"]]
    await b.run_and_compare(6)
    x = b.solution()
    offsets = [4 * dy + dx for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
    defect = list(rhs)
    for band, offset in zip(b.matrix, offsets):
        for i, w in enumerate(band):
            if 0 <= i + offset < 9:
                defect[i] -= b.value(b.model.f["Coef"], w) * x[i + offset]
    share = sum(d * d for d in defect) / sum(r * r for r in rhs)
    assert share < Fraction(1, 1000), float(share)  # these short formats carry two or three digits


@cocotb.test(skip=EXAMPLE)
async def stencil(dut):
    """The same with a constant stencil, on a core built for both."""
    b = await bench(dut, 3, 0.3)
    b.load(row_length=6, size=30, stencil=True)
    await b.run_and_compare(3)


@cocotb.test(skip=EXAMPLE)
async def abort_and_recover(dut):
    """Aborts at random clocks; what is offered is taken and thrown away, the sources are set back, and the next run is
    right without a reset of the core."""
    b = await bench(dut, 4, 0.5)
    for attempt in range(4):
        b.load(row_length=5, size=20, stencil=False)
        await b.program(2)
        serving = cocotb.start_soon(b.memory(2))
        await b.write(CONTROL, 1)
        await ClockCycles(dut.aclk, b.rng.randrange(300))
        await b.write(CONTROL, 2)
        status = await b.ended()
        assert status >> 4 & 7 == 6 and await b.read(ERRORS) == ABORTED
        await b.write(ERRORS, ABORTED)
        serving.cancel()
        b.asked.pause = False
        while await b.read(STATUS) & OFFERING:
            pass
        b.asked.pause = True
        for stream in (*b.sources.values(), *b.bands, *b.sinks.values(), b.asked):
            stream.clear()
            stream.assert_reset()
    b.load(row_length=5, size=20, stencil=False)
    await b.run_and_compare(2)


@cocotb.test(skip=EXAMPLE)
async def stalled_sink(dut):
    """A sink that stops: the run ends by STALL_LIMIT, the beat stays, a start is refused until it has been taken."""
    b = await bench(dut, 5, 0.0)
    b.load(row_length=5, size=20, stencil=False)
    await b.program(2)
    await b.write(STALL_LIMIT, 50)
    b.sinks["p"].clear_pause_generator()
    b.sinks["p"].pause = True
    serving = cocotb.start_soon(b.memory(2))
    await b.write(CONTROL, 1)
    status = await with_timeout(cocotb.start_soon(b.ended()), 100, "us")
    assert status >> 4 & 7 == 6 and status & OFFERING and await b.read(ERRORS) == STALLED
    assert dut.m_axis_p_tvalid.value == 1
    assert int(dut.waiting_o.value) >> 15 & 1, "waiting_o stands at what the pipeline waited for"
    await b.write(CONTROL, 1)
    assert (await b.ended()) >> 4 & 7 == 6 and await b.read(ERRORS) == STALLED | STILL_OFFERED
    serving.cancel()
    b.sinks["p"].pause = False
    while await b.read(STATUS) & OFFERING:
        pass
    await b.write(ERRORS, STALLED | STILL_OFFERED)
    for stream in (*b.sources.values(), *b.bands, *b.sinks.values(), b.asked):
        stream.clear()
        stream.assert_reset()
    b.load(row_length=5, size=20, stencil=False)
    await b.run_and_compare(2)


@cocotb.test(skip=EXAMPLE)
async def scalar_unit_that_hangs(dut):
    """Upsets that leave the dot products or the scalar unit without an end: STALL_LIMIT ends the run, and the next one is right."""
    b = await bench(dut, 9, 0.0)
    for wire, value in (("scalar_done", 0), ("dots_done", 0), ("scalar_start", 0)):
        b.load(row_length=4, size=12, stencil=False)
        await b.program(2)
        await b.write(STALL_LIMIT, 100)
        serving = cocotb.start_soon(b.memory(2))
        getattr(dut.i_core, wire).value = Force(value)
        await b.write(CONTROL, 1)
        status = await with_timeout(cocotb.start_soon(b.ended()), 60, "us")
        getattr(dut.i_core, wire).value = Release()
        assert status >> 4 & 7 == 6 and await b.read(ERRORS) == STALLED, wire
        await b.write(ERRORS, STALLED)
        serving.cancel()
        while await b.read(STATUS) & OFFERING:
            pass
        for stream in (*b.sources.values(), *b.bands, *b.sinks.values(), b.asked):
            stream.clear()
            stream.assert_reset()
        b.load(row_length=4, size=12, stencil=False)
        await b.run_and_compare(2)


@cocotb.test(skip=EXAMPLE)
async def rows_that_are_not_whole(dut):
    """A constant stencil takes a LENGTH of whole rows only: another one ends the run at its beginning."""
    b = await bench(dut, 8, 0.0)
    for row_length, size in ((6, 31), (5, 24), (7, 15), (4, 18)):
        b.load(row_length=row_length, size=size, stencil=True)
        await b.program(1)
        await b.write(CONTROL, 1)
        status = await with_timeout(cocotb.start_soon(b.ended()), 100, "us")
        assert status >> 4 & 7 == 6 and await b.read(ERRORS) == ERROR_BAD_ROW_LENGTH, (row_length, size)
        await b.write(ERRORS, ERROR_BAD_ROW_LENGTH)
        b.asked.pause = False
        while await b.read(STATUS) & OFFERING:
            pass
        b.asked.pause = True
        b.asked.clear()
    b.load(row_length=6, size=30, stencil=True)
    await b.run_and_compare(1)


@cocotb.test(skip=EXAMPLE)
async def reset_in_a_run(dut):
    """The other way to recover: reset the core with its sources and sinks."""
    b = await bench(dut, 6, 0.3)
    b.load(row_length=5, size=20, stencil=False)
    await b.program(2)
    serving = cocotb.start_soon(b.memory(2))
    await b.write(CONTROL, 1)
    await ClockCycles(dut.aclk, 77)
    serving.cancel()
    for stream in (*b.sources.values(), *b.bands, *b.sinks.values(), b.asked):
        stream.clear()
    await b.reset()
    assert await b.read(STATUS) == 0 and await b.read(LENGTH) == 0
    b.load(row_length=5, size=20, stencil=False)
    await b.run_and_compare(2)


@cocotb.test(skip=not EXAMPLE)
async def example_in_numbers(dut):
    """The page's example."""
    b = await bench(dut, 7, 0.2)
    c = b.model.f["Coef"]
    b.row_length, b.size, b.stencil = 4, 12, True
    b.matrix = [c.round(1, (1 << 60) // 3, -60)] * 9
    b.matrix[4] = c.round(0, (8 << 60) // 3, -60)
    b.state = {v: [0] * 12 for v in VECTORS} | {"alpha": 0, "beta": 0}
    b.state["r"][5] = b.model.f["R"].round(0, 1, 0)
    b.banks[0] = {v: list(b.state[v]) for v in VECTORS}
    start = b.state | {}
    await b.run_and_compare(2)
    assert await b.read(STATUS) == 2 and await b.read(SIGMA_GUARDS) == (1 if b.state["guard"] else 0)
    b.state = start | {v: list(start[v]) for v in VECTORS}
    for ran in (1, 2):
        b.model.run_pass(b.state, b.matrix, 4, True)
        for v in VECTORS:
            row = f"| {ran} | {v} | " + " | ".join(f"`{b.state[v][i]:07X}`" for i in (5, 6)) + " |"
            assert row in example.ROWS, row
        for name in ("rho", "pq", "qq", "alpha", "sigma", "beta"):
            row = f"| {ran} | {name.upper()} | `{b.state[name]:016X}` |"
            assert row in example.ROWS, row
