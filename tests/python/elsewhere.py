"""Installs the wheel where nothing of ours is, and uses it there. usage: elsewhere.py WHERE WHEELS WORK

WHERE is one of
    venv         a new virtual environment of this Python
    debian12     a bare Debian 12: debootstrap's smallest system and Python, no compiler
    ubuntu2404   a bare Ubuntu 24.04, likewise
    old          a processor of 2008 (qemu's Nehalem, x86-64-v2, which NumPy itself needs): in a new virtual environment

WHEELS holds the wheel alone, WORK is a folder for this test. What the wheel asks for comes from PyPI. Each place has to
install all of it in 20 s of a processor, and to return the counts of the documents. The exit code is 77 where a place
cannot be had: no root, no debootstrap, no network, no key of Ubuntu's archive.
"""
import glob
import os
import resource
import shutil
import subprocess
import sys
import time

SKIPPED = 77
MOST_SECONDS = 20

#: Numbers, a solve and a cycle in words; what the repository's documents say of them.
USE = """
import shutil, sys
import numpy as np
import mantissa as mt
assert mt.round([1 / 3], "s7e8")[0] == 0.33203125
result = mt.solve("poisson2d:level=6", "s17e8", inner=10)
assert (result.status, result.inner_iterations) == ("converged", 172), result
problem = mt.problem("poisson2d:level=5")
assert np.linalg.norm(mt.multilevel(problem, "w=10") @ problem.b) > 0
assert mt.advise(problem).solve().converged
print("Python", sys.version.split()[0] + ":", result.inner_iterations, "iterations; compiler:", shutil.which("g++"))
"""

SYSTEMS = {
    # suite, components, keyring, script of debootstrap
    "debian12": ("bookworm", "main", "debian-archive-keyring.gpg", None),
    # (the script is one for all suites of Ubuntu; Debian 12's debootstrap ends with jammy)
    "ubuntu2404": ("noble", "main,universe", "ubuntu-archive-keyring.gpg", "jammy"),
}


class Skip(Exception):
    """Why a place cannot be had."""


def debian_mirror():
    """Where this machine's apt has Debian from."""
    asked = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages",
                            "Codename: bookworm"], stdout=subprocess.PIPE, text=True)
    if asked.returncode != 0 or not asked.stdout.strip():
        raise Skip("this machine's apt has no Debian 12")
    return asked.stdout.split()[0]


def ubuntu_key(work):
    """Ubuntu's keyring: this machine's, or that of Debian 13, whose packages Debian's own key answers for."""
    here = "/usr/share/keyrings/ubuntu-archive-keyring.gpg"
    if os.path.exists(here):
        return here
    folder = os.path.join(work, "key")
    os.makedirs(os.path.join(folder, "lists/partial"), exist_ok=True)
    with open(os.path.join(folder, "sources.list"), "w", encoding="utf-8") as out:
        out.write(f"deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {debian_mirror()} trixie main\n")
    apt = ["apt-get", "-qq", "-o", f"Dir::Etc::sourcelist={folder}/sources.list", "-o", "Dir::Etc::sourceparts=-", "-o",
           f"Dir::State::lists={folder}/lists", "-o", f"Dir::Cache={folder}/cache", "-o", "APT::Architectures=amd64", "-o",
           "APT::Sandbox::User=root"]
    for command in (["update"], ["download", "ubuntu-keyring"]):
        if subprocess.run([*apt, *command], cwd=folder).returncode != 0:
            raise Skip("Ubuntu's key is neither here nor to be had from Debian")
    subprocess.run(["dpkg", "-x", *glob.glob(f"{folder}/ubuntu-keyring_*.deb"), folder], check=True)
    return folder + here


def make_root(where, work):
    """A bare system in a folder, made once."""
    suite, components, keyring, script = SYSTEMS[where]
    root = os.path.join(work, suite)
    if os.path.exists(os.path.join(root, "made")):
        return root
    if os.geteuid() != 0:
        raise Skip("debootstrap wants root")
    if shutil.which("debootstrap") is None:
        raise Skip("debootstrap is not installed")
    key = ubuntu_key(work) if keyring.startswith("ubuntu") else f"/usr/share/keyrings/{keyring}"
    mirror = "" if keyring.startswith("ubuntu") else debian_mirror()  # (empty: the one that the script knows)
    shutil.rmtree(root, ignore_errors=True)
    command = ["debootstrap", "--variant=minbase", f"--keyring={key}", f"--components={components}",
               "--include=python3,python3-venv", suite, root, mirror]
    if script is not None:
        command.append(f"/usr/share/debootstrap/scripts/{script}")
    log = os.path.join(work, "debootstrap.log")
    with open(log, "w", encoding="utf-8") as out:
        failed = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT).returncode != 0
    if failed:
        with open(log, encoding="utf-8") as text:
            print("".join(text.readlines()[-3:]))
        raise Skip(f"debootstrap made no {suite}: see {log}")
    open(os.path.join(root, "made"), "w").close()
    return root


def gather(wheels, work, python, version):
    """A folder with the wheel and what it asks for: for `version` of Python, "3.12"."""
    folder = os.path.join(work, "wheels")
    shutil.rmtree(folder, ignore_errors=True)
    command = [python, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--only-binary=:all:",
               "--python-version", version, "--dest", folder, *glob.glob(os.path.join(wheels, "*.whl"))]
    for tag in ("2_28", "2_27", "2_17", "2_35"):
        command += ["--platform", f"manylinux_{tag}_x86_64"]
    if subprocess.run(command).returncode != 0:
        raise Skip("PyPI cannot be reached")
    return folder


def timed(command):
    """Seconds of the processor, and of the clock."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, check=True, env=CLEAN)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - start


#: Nothing of this test's own packages.
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PIP_", "MANTISSA", "OPENBLAS"))}


def main():
    where, wheels, work = sys.argv[1:]
    os.makedirs(work, exist_ok=True)
    before = []
    try:
        if where in SYSTEMS:
            root = make_root(where, work)
            before = ["chroot", root]
            python, inside = "/usr/bin/python3", "/opt/mantissa"
        else:
            root, python, inside = "", sys.executable, os.path.join(work, "venv")
        version = subprocess.run([*before, python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
                                 stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        folder = gather(wheels, work, sys.executable, version)
        if where == "old" and shutil.which("qemu-x86_64") is None:
            raise Skip("qemu-x86_64 is not installed")
    except Skip as why:
        print(f"skipped: {why}")
        return SKIPPED
    if where in SYSTEMS:
        shutil.rmtree(root + "/wheels", ignore_errors=True)
        shutil.copytree(folder, root + "/wheels")
        folder = "/wheels"
        assert not glob.glob(root + "/usr/bin/*g++*") and not glob.glob(root + "/usr/bin/*gcc*"), "a compiler is here"
    shutil.rmtree(root + inside, ignore_errors=True)
    subprocess.run([*before, python, "-m", "venv", inside], check=True, env=CLEAN)
    installed, waited = timed([*before, inside + "/bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check",
                               "--no-index", "--find-links", folder, "mantissa"])
    print(f"pip install: {installed:.1f} s of the processor, {waited:.1f} s in all")
    if installed > MOST_SECONDS:
        print(f"more than {MOST_SECONDS} s")
        return 1
    qemu = ["qemu-x86_64", "-cpu", "Nehalem"] if where == "old" else []
    timed([*before, *qemu, inside + "/bin/python3", "-c", USE])
    return 0


sys.exit(main())
