"""What benches of cores that keep their vectors have in common: a clock and reset, registers by AXI4-Lite, words in and a packet out, a run
to its end. Addresses and bits are those of both maps."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp, AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

CONTROL, STATUS = 0x08, 0x0C
START, ABORT, SEND = 1, 2, 4
BUSY, DONE, SENDING, LOADED = 1, 2, 4, 8


def signed(word, bits=64):
    return word - (1 << bits) if word >> (bits - 1) else word


class KeptBench:
    """`out`: the letter of the stream out; `words` of a beat."""

    def __init__(self, dut, seed, out, words=1):
        self.dut, self.rng = dut, random.Random(seed)
        cocotb.start_soon(Clock(dut.aclk, 10, "ns").start())
        reset = {"reset": dut.aresetn, "reset_active_level": False}
        self.axil = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.aclk, **reset)
        self.d = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis_d"), dut.aclk, **reset, byte_lanes=words)
        self.out = AxiStreamSink(AxiStreamBus.from_prefix(dut, f"m_axis_{out}"), dut.aclk, **reset, byte_lanes=words)

    @classmethod
    async def of(cls, dut, seed):
        b = cls(dut, seed)
        dut.aresetn.value = 0
        await ClockCycles(dut.aclk, 4)
        dut.aresetn.value = 1
        await ClockCycles(dut.aclk, 4)
        return b

    async def read(self, address):
        answer = await self.axil.read(address, 4)
        assert answer.resp == AxiResp.OKAY, hex(address)
        return int.from_bytes(answer.data, "little")

    async def write(self, address, value):
        assert (await self.axil.write(address, (value % (1 << 32)).to_bytes(4, "little"))).resp == AxiResp.OKAY, hex(address)

    async def load(self, words):
        await self.d.send(AxiStreamFrame([w % (1 << 64) for w in words]))
        await self.d.wait()
        await ClockCycles(self.dut.aclk, 2)

    async def ended(self):
        while not (status := await self.read(STATUS)) & DONE or status & BUSY:
            await RisingEdge(self.dut.aclk)
        return status >> 4 & 15

    async def run(self, words):
        await self.load(words)
        assert await self.read(STATUS) & LOADED
        await self.write(CONTROL, START)
        return await with_timeout(cocotb.start_soon(self.ended()), 20, "ms")

    async def receive(self):
        frame = await with_timeout(cocotb.start_soon(self.out.recv()), 1, "ms")
        return [signed(int(w)) for w in frame.tdata]
