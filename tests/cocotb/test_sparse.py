"""A test bench of sp_core_axis, written from docs/sparse_rtl.md: vectors brought and asked for, the matrix brought once a
pass by a source that pauses at random, registers over AXI4-Lite, every word compared with plain integers
(sparse_model.py)."""

import json
import logging
import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotbext.axi import (AxiLiteBus, AxiLiteMaster, AxiResp, AxiStreamBus, AxiStreamFrame, AxiStreamSink,
                           AxiStreamSource)
from core_registers import *  # noqa: F403 the registers' names
from sparse_model import SparseCore, beats_of, packed

PARAMETERS = json.loads(os.environ["CORE_PARAMETERS"])
LANES, WORD_BYTES = PARAMETERS["Lanes"], PARAMETERS["WordBytes"]
ENTRY_BITS = PARAMETERS["CoefW"] + PARAMETERS["AddressW"] + LANES.bit_length() - 1
ROW_BYTES = (LANES * ENTRY_BITS + 8) // 8
VECTORS = "urpq"  # tuser and s_axis_ask count them from 0


def pauses(seed, share):
    """Pauses of random lengths, `share` of the time."""
    rng = random.Random(seed)
    while True:
        pause = rng.random() < share
        for _ in range(rng.randint(1, 6)):
            yield pause


class Bench:
    """The core, its driver, and the memory with the matrix."""

    def __init__(self, dut, seed):
        self.dut, self.rng, self.model = dut, random.Random(seed), SparseCore(PARAMETERS)
        logging.getLogger(f"cocotb.{dut._name}").setLevel(logging.ERROR)  # not a line a frame
        cocotb.start_soon(Clock(dut.aclk, 10, "ns").start())
        on = dict(clock=dut.aclk, reset=dut.aresetn, reset_active_level=False)
        bus = AxiStreamBus.from_prefix
        self.axil = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.aclk, dut.aresetn, False)
        self.words_in = AxiStreamSource(bus(dut, "s_axis_word"), byte_lanes=LANES * WORD_BYTES, **on)
        self.ask = AxiStreamSource(bus(dut, "s_axis_ask"), **on)
        self.words_out = AxiStreamSink(bus(dut, "m_axis_word"), byte_lanes=LANES * WORD_BYTES, **on)
        self.asked = AxiStreamSink(bus(dut, "m_axis_pass"), **on)
        self.rows = AxiStreamSource(bus(dut, "s_axis_row"), byte_lanes=ROW_BYTES, **on)

    def pause(self, share):
        for stream in (self.words_in, self.ask, self.words_out, self.asked, self.rows):
            stream.set_pause_generator(pauses(self.rng.random(), share))

    async def reset(self):
        self.dut.aresetn.value = 0
        await ClockCycles(self.dut.aclk, 8)
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

    # ---- A system --------------------------------------------------------------------------------------------------
    def load(self, size, near=None):
        """A random symmetric matrix, diagonally dominant, with an empty row and a full one (or with columns no further
        than `near` away and rows of one length), and a random residual."""
        rng, one = self.rng, 1 << PARAMETERS["CoefF"]
        rows = [{i: one} for i in range(size)]
        empty = size - 2 if near is None else None
        for i in range(size):
            others = [0, *(rng.randrange(size) for _ in range(rng.randrange(4)))] if near is None else \
                     range(i // near * near, min(size, i // near * near + near))
            for j in others:
                if i != j and empty not in (i, j):
                    rows[i][j] = rows[j][i] = -rng.randrange(1, one // 10)
        if empty is not None:
            rows[empty] = {}
        self.size, self.matrix, self.delta = size, rows, int(near is not None)
        self.position, self.beats = beats_of(rows, LANES, self.delta)
        half = 1 << (PARAMETERS["RF"] - 1)
        self.state = {v: [0] * size for v in VECTORS} | {"alpha": 0, "beta": 0}
        self.state["r"] = [rng.randrange(-half, half) if rows[i] else 0 for i in range(size)]

    def frame(self, words):
        """A vector's beats: positions in order, zeros after the last element."""
        at = [0] * (-(-self.size // LANES) * LANES)
        for i, word in enumerate(words):
            at[self.position[i]] = word
        return b"".join((w % (1 << 8 * WORD_BYTES)).to_bytes(WORD_BYTES, "little") for w in at)

    async def bring(self, v):
        await self.words_in.send(AxiStreamFrame(self.frame(self.state[v]), tuser=VECTORS.index(v)))
        await self.words_in.wait()

    async def fetch(self, v):
        await self.ask.send(AxiStreamFrame([VECTORS.index(v)]))
        data = bytes((await with_timeout(cocotb.start_soon(self.words_out.recv()), 400, "us")).tdata)
        assert len(data) == -(-self.size // LANES) * LANES * WORD_BYTES
        words = [int.from_bytes(data[k:k + WORD_BYTES], "little", signed=True) for k in range(0, len(data), WORD_BYTES)]
        assert not any(words[self.size:]), "words after the last element stay 0"
        return [words[self.position[i]] for i in range(self.size)]

    async def program(self, passes):
        for address, value in ((LENGTH, self.size), (MODE, self.delta), (PASSES, passes), (STALL_LIMIT, 5000)):
            await self.write(address, value)
        await self.write_pair(ALPHA, self.state["alpha"])
        await self.write_pair(BETA, self.state["beta"])
        for v in VECTORS:
            await self.bring(v)

    def stream(self, beats=None):
        """The matrix, or other beats, as one frame."""
        beats = self.beats if beats is None else beats
        return AxiStreamFrame(b"".join(packed(b, PARAMETERS).to_bytes(ROW_BYTES, "little") for b in beats))

    async def memory(self, passes):
        for _ in range(passes):
            await self.asked.recv()
            await self.rows.send(self.stream())

    async def ended(self):
        while not (status := await self.read(STATUS)) & STATUS_DONE or status & STATUS_BUSY:
            await RisingEdge(self.dut.aclk)
        return status

    async def compare(self):
        for v in VECTORS:
            assert await self.fetch(v) == self.state[v], v
        for name, address in (("rho", RHO), ("pq", PQ), ("qq", QQ), ("sigma", SIGMA), ("alpha", ALPHA), ("beta", BETA)):
            assert await self.read_pair(address) == self.state[name], name

    async def run_and_compare(self, passes):
        """A run of so many passes, every word and scalar against the model."""
        serving = cocotb.start_soon(self.memory(passes))
        await self.write(CONTROL, CONTROL_START)
        end, ran = 0, 0
        while ran < passes and end == 0:
            end = self.model.run_pass(self.state, self.matrix)
            ran += 1
        status = await with_timeout(cocotb.start_soon(self.ended()), 400, "us")
        assert await self.read(ERRORS) == 0
        assert ((status & STATUS_END) >> 4, await self.read(PASS_COUNT)) == (end, ran)
        serving.cancel()
        await self.compare()
        return end


async def bench(dut, seed, share):
    b = Bench(dut, seed)
    await b.reset()
    b.pause(share)
    return b


@cocotb.test()
async def registers(dut):
    """Resets, and SLVERR for what is not there or is not written."""
    b = await bench(dut, 1, 0.5)
    assert await b.read(ID) == ID_VALUE
    assert await b.read(CONFIG) & 0x87 == LANES.bit_length() - 1 | 0x80
    for address in (STATUS, ERRORS, LENGTH, PASSES, STALL_LIMIT, MODE, PASS_COUNT, ALPHA, BETA, RHO):
        assert await b.read(address) == 0, hex(address)
    for address in (ID, STATUS, PASS_COUNT, CYCLES):
        assert (await b.axil.write(address, b"\xff" * 4)).resp == AxiResp.SLVERR, hex(address)


@cocotb.test()
async def passes(dut):
    """Runs of passes with random pauses on every stream; the second one goes on where the first has ended."""
    b = await bench(dut, 2, 0.4)
    b.load(size=4 * LANES + 9)
    await b.program(2)
    assert await b.run_and_compare(2) == 0
    await b.write(PASSES, 3)
    assert await b.run_and_compare(3) == 0


@cocotb.test()
async def vectors_of_a_wrong_length(dut):
    """Vectors that are a beat short, or one or three beats long, are told; brought again, the run is right."""
    b = await bench(dut, 5, 0.1)
    b.load(size=5 * LANES)
    await b.program(1)
    beat = b"\0" * LANES * WORD_BYTES
    for v, more, error in (("r", -1, ERROR_ENDED_EARLY), ("u", 1, ERROR_ENDED_LATE | ERROR_ENDED_EARLY),
                           ("p", -2, ERROR_ENDED_EARLY), ("q", 3, ERROR_ENDED_LATE | ERROR_ENDED_EARLY)):
        data = b.frame(b.state[v])
        data = data[:more * len(beat)] if more < 0 else data + more * beat
        await b.words_in.send(AxiStreamFrame(data, tuser=VECTORS.index(v)))
        await b.words_in.wait()
        await ClockCycles(dut.aclk, 4)
        assert await b.read(ERRORS) == error, (v, more)
        await b.write(ERRORS, error)
        await b.bring(v)
        assert await b.read(ERRORS) == 0
    await b.run_and_compare(1)


@cocotb.test()
async def vectors_without_a_length(dut):
    """With LENGTH 0, or above what the memories hold, a vector that is asked for does not leave, and one that is brought goes nowhere:
    ERRORS[0]. A LENGTH that is written while a vector leaves is the next one's."""
    b = await bench(dut, 6, 0.2)
    b.load(size=4 * LANES)
    await b.program(1)
    most = LANES * PARAMETERS["Depth"]
    beat = b"\x2a" * LANES * WORD_BYTES
    for length in (0, most + 1, 2 * most + b.size, 0x80000000 + b.size):
        await b.write(LENGTH, length)
        assert await b.read(ERRORS) == 0
        await b.ask.send(AxiStreamFrame([1]))
        await b.ask.wait()
        await ClockCycles(dut.aclk, 4 * most)
        assert b.words_out.empty() and b.words_out.idle() and dut.m_axis_word_tvalid.value == 0, hex(length)
        assert await b.read(STATUS) & STATUS_OFFERING == 0
        assert await b.read(ERRORS) == ERROR_BAD_LENGTH
        await b.write(ERRORS, ERROR_BAD_LENGTH)
        for beats in (1, b.size // LANES, PARAMETERS["Depth"] + 2):
            await b.words_in.send(AxiStreamFrame(beats * beat, tuser=1))
            await b.words_in.wait()
            await ClockCycles(dut.aclk, 4)
            assert await b.read(ERRORS) == ERROR_BAD_LENGTH, (hex(length), beats)
            await b.write(ERRORS, ERROR_BAD_LENGTH)
        await b.write(LENGTH, b.size)
        assert await b.fetch("r") == b.state["r"]
    b.words_out.clear_pause_generator()
    b.words_out.pause = True
    await b.ask.send(AxiStreamFrame([1]))
    await b.ask.wait()
    await b.write(LENGTH, LANES)
    b.words_out.pause = False
    assert len((await b.words_out.recv()).tdata) == b.size * WORD_BYTES
    assert await b.read(ERRORS) == 0
    await b.write(LENGTH, b.size)
    await b.run_and_compare(1)


async def refused_start(b, error):
    """A start is refused with this error and no other, and leaves STATUS[9] as it was: 1 with ERRORS[8]."""
    for _ in range(2):  # and again
        assert bool(await b.read(STATUS) & STATUS_OFFERING) == (error == ERROR_STILL_OFFERED)
        await b.write(CONTROL, CONTROL_START)
        status = await with_timeout(cocotb.start_soon(b.ended()), 400, "us")
        assert (status & STATUS_END) >> 4 == 6 and await b.read(ERRORS) == error
        await b.write(ERRORS, error)
    assert bool(await b.read(STATUS) & STATUS_OFFERING) == (error == ERROR_STILL_OFFERED)
    assert await b.read(PASS_COUNT) == 0


async def half_loaded(b, data, clocks):
    """r is brought, and stops so many clocks after its first beat was taken."""
    await b.words_in.send(AxiStreamFrame(data, tuser=1))
    await RisingEdge(b.dut.aclk)
    while not (b.dut.s_axis_word_tvalid.value and b.dut.s_axis_word_tready.value):
        await RisingEdge(b.dut.aclk)
    for _ in range(clocks):
        await RisingEdge(b.dut.aclk)
    b.words_in.pause = True
    await ClockCycles(b.dut.aclk, 4)
    assert not b.words_in.idle()


@cocotb.test()
async def starts_between_vectors(dut):
    """A start while a vector is half loaded sets ERRORS[3], and what is missing mends it; one while a vector leaves, and STATUS[9] is 1,
    sets ERRORS[8], until that has been taken. Where the source has forgotten where it was, vectors brought anew mend it."""
    b = await bench(dut, 7, 0.1)
    b.load(size=8 * LANES)
    await b.program(1)
    data = b.frame(b.state["r"])
    for stream in b.words_in, b.words_out:
        stream.clear_pause_generator()
        stream.pause = False
    for clocks in (0, 3):
        await half_loaded(b, data, clocks)
        await refused_start(b, ERROR_ENDED_EARLY)
        b.words_in.pause = False
        await b.words_in.wait()
        assert await b.read(ERRORS) == 0
    assert await b.fetch("r") == b.state["r"]

    b.words_out.pause = True
    await b.ask.send(AxiStreamFrame([1]))
    await b.ask.wait()
    await refused_start(b, ERROR_STILL_OFFERED)
    b.words_out.pause = False
    while await b.read(STATUS) & STATUS_OFFERING:
        pass
    assert bytes((await b.words_out.recv()).tdata) == data
    await b.run_and_compare(1)

    await half_loaded(b, data, 2)
    b.words_in.clear()
    b.words_in.assert_reset()  # as a channel of a DMA
    await refused_start(b, ERROR_ENDED_EARLY)
    b.words_in.pause = False
    b.words_in.assert_reset(False)
    for v in "r", *VECTORS:
        await b.bring(v)
        await ClockCycles(dut.aclk, 4)
        wrong = await b.read(ERRORS)
        assert wrong == 0 or v == "r"
        await b.write(ERRORS, wrong)
    await b.run_and_compare(1)


@cocotb.test()
async def differences(dut):
    """Addresses as differences from the slice's, and a run that reduces the residual."""
    b = await bench(dut, 3, 0.2)
    b.load(size=6 * LANES, near=3)
    await b.program(6)
    first = sum(x * x for x in b.state["r"])
    await b.run_and_compare(6)
    assert sum(x * x for x in b.state["r"]) * 1000 < first


@cocotb.test()
async def faults_and_recovery(dut):
    """tlast too early, too late and an abort end the run; with vectors brought again the next one is right."""
    b = await bench(dut, 4, 0.1)
    b.load(size=3 * LANES + 1)
    for error, beats in ((ERROR_ENDED_EARLY, b.beats[:-1]), (ERROR_ENDED_LATE, b.beats + b.beats[-1:])):
        await b.program(1)
        await b.write(CONTROL, CONTROL_START)
        await b.asked.recv()
        await b.rows.send(b.stream(beats))
        status = await with_timeout(cocotb.start_soon(b.ended()), 400, "us")
        assert (status & STATUS_END) >> 4 == 6 and await b.read(ERRORS) == error
        await b.write(ERRORS, error)
        b.rows.clear()
        b.rows.assert_reset()
    await b.program(1)
    await b.write(CONTROL, CONTROL_START)
    await ClockCycles(dut.aclk, b.rng.randrange(60))
    await b.write(CONTROL, CONTROL_ABORT)
    assert (await b.ended() & STATUS_END) >> 4 == 6 and await b.read(ERRORS) == ERROR_ABORTED
    await b.write(ERRORS, ERROR_ABORTED)
    while await b.read(STATUS) & STATUS_OFFERING:  # the pass's beat is taken and thrown away
        pass
    b.asked.clear()
    await b.program(2)
    await b.run_and_compare(2)
