"""Reads the kernels of a solve in words: no floating-point instruction, in PTX and, where cuobjdump is, in machine code.

no_floating_point.py [--ptx] NVCC SOURCE INCLUDE...: exit code 77, with a reason, where there is no nvcc. --ptx: PTX
alone, in a quarter of the time. There a division of integers counts too: the device makes floating-point instructions of
it.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

KERNEL = "solve_kernel"
PTX = re.compile(r"\.(?:f16|f16x2|bf16|bf16x2|tf32|f32|f64)\b|^\s*(?:@\S+\s+)?(?:div|rem)\.")
PTX_INSTRUCTION = re.compile(r"^\s*(?:@!?%p\d+\s+)?[a-z][\w.]*(?:\s|;)")
MACHINE = re.compile(
    r"\b(?:[DFH](?:ADD|MUL|FMA|SETP?|SEL|MNMX|CHK|SWZADD)\w*|[FIDH]2[FIDH]\w*|FRND\w*|MUFU|[HDIQ]?[HDQ]?MMA\b|HGMMA)\b(?!\w)")


def ptx_faults(text):
    """(kernels, instructions, faults) of a PTX file."""
    kernels = len(re.findall(r"\.entry\s+\S*" + KERNEL, text))
    body = [line for line in text.splitlines() if PTX_INSTRUCTION.match(line) and not line.lstrip().startswith("//")]
    return kernels, len(body), [line.strip() for line in body if PTX.search(line)]


def machine_faults(text):
    """(kernels, instructions, faults) of cuobjdump's listing."""
    kernels = len(re.findall(r"Function\s*:\s*\S*" + KERNEL, text))
    body = [m.group(1) for m in re.finditer(r"/\*[0-9a-f]{4,5}\*/\s+([^;]+);", text)]
    return kernels, len(body), [line for line in body if MACHINE.search(line)]


def judge(kind, wanted, found):
    kernels, instructions, faults = found
    print(f"{kind}: {kernels} kernels, {instructions} instructions, {len(faults)} of floating point")
    for line in faults[:20]:
        print("   ", line)
    return kernels == wanted > 0 and instructions > 1000 and not faults


def main():
    arguments = sys.argv[1:]
    ptx_alone = arguments[0] == "--ptx"
    nvcc, source, *includes = arguments[1:] if ptx_alone else arguments
    if not nvcc or not os.path.exists(nvcc):
        print("skipped: no nvcc")
        return 77
    with open(source) as file:
        wanted = len(re.findall(r"\bsolve_kernel_of<", file.read()))
    options = ["-std=c++20", "-arch=sm_90", "--expt-relaxed-constexpr"] + [f"-I{folder}" for folder in includes]
    with tempfile.TemporaryDirectory() as folder:
        ptx = os.path.join(folder, "words.ptx")
        subprocess.run([nvcc, *options, "-ptx", source, "-o", ptx], check=True)
        with open(ptx) as file:
            good = judge("PTX", wanted, ptx_faults(file.read()))
        if ptx_alone:
            return 0 if good else 1
        dump = shutil.which("cuobjdump", path=os.path.dirname(nvcc) + os.pathsep + os.environ.get("PATH", ""))
        if dump is None:
            print("machine code: not read, there is no cuobjdump")
            return 0 if good else 1
        binary = os.path.join(folder, "words.cubin")
        subprocess.run([nvcc, *options, "-cubin", source, "-o", binary], check=True)
        listing = subprocess.run([dump, "-sass", binary], check=True, capture_output=True, text=True).stdout
        good = judge("machine code", wanted, machine_faults(listing)) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
