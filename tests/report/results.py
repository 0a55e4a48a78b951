"""Results files for the tests of the report: what mantissa itself stores, and rows written here in its schema.

The figures written here are made up; the tests only ask that the page shows them.
"""
import json
import sqlite3
import subprocess

HOSTILE = "</script><script>window.broken=1</script><img src=x onerror=window.broken=2>\"'&,"
ORIGIN = ("0.0", "c0ffee", "a machine", "2026-01-02T03:04:05Z")

SWEEP = """
[defaults]
scheme = "residual-guided"
inner = 10
history = true
[[grid]]
problem = ["poisson2d:level=4", "poisson2d:level=5"]
format = ["s7e8", "s10e8", "s14e8", "s17e8"]
u = ["same", "s23e8"]
row = ["same", "+6"]
[[grid]]
problem = ["poisson2d:level=4", "poisson2d:level=5"]
format = ["double", "float"]
[[grid]]
problem = "poisson2d:level=4"
engine = "hls"
format = ["s14e8", "s17e8"]
"""


def sweep(program, folder):
    """A results file of small solves."""
    (folder / "small.toml").write_text(SWEEP)
    store = folder / "results.sqlite"
    subprocess.run([program, "sweep", folder / "small.toml", "--store", store], check=True, stdout=subprocess.DEVNULL,
                   timeout=600)
    return store


def add_synthesis(store):
    """Two cores as stored now, and one as stored before clocks were modelled."""
    db = sqlite3.connect(store)
    before = ("spec TEXT, target TEXT, multiplier TEXT, part TEXT, tool TEXT, sources TEXT, luts INTEGER, memory_luts "
              "INTEGER, flip_flops INTEGER, paired INTEGER, carries INTEGER, multipliers INTEGER, memory_bits INTEGER, "
              "io_bits INTEGER, depth INTEGER, ")
    after = "version TEXT, commit_id TEXT, machine TEXT, date TEXT, command TEXT"
    db.execute(f"CREATE TABLE IF NOT EXISTS synthesis ({before}{after})")
    db.execute(f"CREATE TABLE IF NOT EXISTS netlist ({before}model_mhz REAL, model_path TEXT, {after})")
    for table, spec, luts, blocks in (("synthesis", "s17e11", 12345, 15), ("netlist", "s23e11", 14321, 57),
                                      ("netlist", "s14e8,u=s23e8,row=s20e8", 11011, 15)):
        figures = (spec, "xc2v", "block", "core", "a tool", "hash", luts, 1300, 5900, 4700, 900, blocks, 110592,
                   668, 66)
        model = (luts / 150, "from -> to " + HOSTILE) if table == "netlist" else ()
        row = figures + model + ORIGIN + ("mantissa synthesize " + HOSTILE,)
        db.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", row)
    db.commit()
    db.close()


# Outcomes as table upset numbers them.
WRONG, HANG, NOT_CONVERGED, FALSELY, DETECTED, CORRECTED, MASKED = range(7)


def add_upsets(store):
    """Campaigns of a resident core with and without checks, an integer one with a long name, and one with hostile texts."""
    db = sqlite3.connect(store)
    db.execute("CREATE TABLE upset (campaign TEXT, number INTEGER, place TEXT, word INTEGER, bit INTEGER, clock INTEGER, "
               "outcome INTEGER, more_inner INTEGER, more_outer INTEGER, converged INTEGER, true_residual REAL, "
               "PRIMARY KEY (campaign, number))")
    db.execute("CREATE TABLE upset_campaign (campaign TEXT PRIMARY KEY, problem TEXT, spec TEXT, core TEXT, scope TEXT, "
               "guarded INTEGER, seed INTEGER, flips INTEGER, register_bits INTEGER, memory_bits INTEGER, version TEXT, "
               "commit_id TEXT, machine TEXT, date TEXT, command TEXT)")
    db.execute("CREATE TABLE upset_place (campaign TEXT, place TEXT, memory INTEGER, bits INTEGER, "
               "PRIMARY KEY (campaign, place))")
    long = "fx18.16,u=fx25.21,operand=s14e8,scalar=s19e8:rne"
    places = ("i_outer.i_shift.x_q", "i_memories.i_v.mem", "i_scalar.i_program.counter_q", HOSTILE + ".x_q")
    for spec, core, scope, checks, weights in (
            ("fx18.16", "resident", "memories", 0, {MASKED: 70, CORRECTED: 60, DETECTED: 16, FALSELY: 50, NOT_CONVERGED: 4}),
            ("fx18.16", "resident", "memories", 1, {MASKED: 45, DETECTED: 155}),
            (long, "integer", "all", 0, {MASKED: 173, CORRECTED: 20, DETECTED: 6, HANG: 1}),
            (HOSTILE, "floating", "regs", 0, {MASKED: 178, CORRECTED: 20, DETECTED: 2})):
        key = f"{spec} {core} {checks}"
        db.execute("INSERT INTO upset_campaign VALUES (?,?,?,?,?,?,1,300,4402,32000,?,?,?,?,?)",
                   (key, "poisson2d:level=3", spec, core, scope, checks, *ORIGIN, "mantissa upset --spec " + spec))
        for place in places:
            db.execute("INSERT INTO upset_place VALUES (?,?,?,?)", (key, place, int(place.endswith(".mem")), 800))
        outcomes = [outcome for outcome, number in weights.items() for _ in range(number)]
        for k, outcome in enumerate(outcomes):
            db.execute("INSERT INTO upset VALUES (?,?,?,0,0,100,?,0,?,?,1e-11)",
                       (key, k, places[k % 4], outcome, int(outcome != MASKED), int(outcome != NOT_CONVERGED)))
    db.commit()
    db.close()


def many_points(store, number):
    """Copies the stored solves until there are `number`, each of a problem of its own."""
    db = sqlite3.connect(store)
    columns = [row[1] for row in db.execute("PRAGMA table_info(points)")]
    rows = db.execute("SELECT * FROM points").fetchall()
    for k in range(len(rows), number):
        row = list(rows[k % len(rows)])
        row[columns.index("id")] = None
        row[columns.index("key")] += f" #{k}"
        row[columns.index("problem")] += f",anisotropy={2 + k // len(rows)}"
        db.execute(f"INSERT INTO points VALUES ({','.join('?' * len(columns))})", row)
    db.commit()
    db.close()


def comparison():
    """A comparison document with a row of every bound, two peers, and hostile texts."""
    spec = "s14e8,u=s23e8,row=s20e8,dot=fixed[13:-50]"
    row = {"problem": "poisson2d:level=5", "device": "d1", "multiplier": "block", "lanes": 1, "clock_kind": "modelled",
           "cycles_per_iteration": 1234.5, "seconds_kind": "modelled", "blocks": 15, "energy_joules": None,
           "modelled": ["slices", "area_share", "area_time", "seconds"], "origins": ["o1", "o2"]}
    rows = []
    for k, bound in enumerate(("logic", "blocks", "memory", "io", "bandwidth", "clock", HOSTILE), 1):
        rows.append(dict(row, spec=spec if k != 3 else HOSTILE, cores=k, bound=bound, clock_hz=1e8 / 3 * k,
                         slices=6000 * k, area_share=0.1234567 * k / 2, area_time=0.01 / 7 * k, seconds=0.1 / k,
                         pareto=k % 2 == 1))
    return {
        "name": "test", "tolerance": 1e-10, "scheme": "residual-guided", "inner": 10,
        "assumptions": ["an assumption " + HOSTILE],
        "devices": [{"id": "d1", "name": "Device " + HOSTILE, "slices": 46592, "blocks": 168, "bandwidth": 1e10}],
        "designs": [{"spec": spec, "problem": "poisson2d:level=5", "status": "converged", "inner_iterations": 123,
                     "outer_iterations": 13, "true_residual": 1e-10 / 3, "cycles_per_iteration": 1234.5,
                     "iterations_origin": "o1"}],
        "cores": [{"spec": spec, "target": "xc2v", "multiplier": "block", "lanes": 1, "luts": 11011, "slices": 6000,
                   "slices_kind": "modelled", "mhz": 100 / 3, "mhz_kind": "modelled", "origin": "o2"}],
        "rows": rows,
        "peers": [{"problem": "poisson2d:level=5", "engine": "gpu", "label": "a GPU " + HOSTILE, "iterations": 99,
                   "seconds": 1e-3 / 3, "seconds_least": 3.2e-4, "seconds_most": 4.1e-4, "true_residual": 9e-11, "kind": "measured", "origin": "o3"},
                  {"problem": "poisson2d:level=5", "engine": "cpu", "label": "a CPU", "iterations": 88,
                   "seconds": 2e-2 / 3, "true_residual": 8e-11, "kind": "measured", "origin": "o3"}],
        "section55": {"ours": {"iterations_ratio": 5 / 3, "speedup": 7 / 3}, "kinds": {"speedup": "modelled"},
                      "paper": {"iterations_ratio": 1.8}, "text": "A text."},
        "best": [{"problem": "poisson2d:level=5", "device": "d1", "by": "time", "spec": spec, "multiplier": "block",
                  "lanes": 1, "cores": 7, "seconds": 0.1 / 7, "kind": "modelled",
                  "stages": {"vectors": "s14e8", "iterate": "s23e8", "row sum": "s20e8"}, "origins": ["o1"]}],
        "gaps": [{"what": "a gap", "why": HOSTILE, "mend": "a mend"}],
        "findings": ["first finding " + HOSTILE, "second finding", "third finding", "fourth finding"],
        "origins": {f"o{k}": {"command": f"command {k} " + HOSTILE, "commit": "c0ffee", "machine": "m",
                              "date": "2026-01-02T03:04:05Z", "kind": kind, "what": f"origin {k}"}
                    for k, kind in ((1, "measured"), (2, "modelled"), (3, "given"))},
    }


def sparse_comparison():
    """A comparison of sparse cores: two designs on two problems, the larger one beside others' times."""
    small, large = "poisson3d:level=3", "mtx:matrix.mtx"
    specs = ("fx24.18,coef=fx18.16", "fx20.16,u=s23e8,coef=fx12.10")
    modelled = ["area_share", "slices", "seconds_per_iteration", "operations_per_second", "bytes_per_second", "seconds",
                "operations_per_joule", "energy_joules", "area_time"]
    rows = []
    for problem, scale in ((small, 1), (large, 30)):
        for k, spec in enumerate(specs):
            for cores, lanes in ((1, 4), (1, 16), (1, 64), (4, 16), (4, 64)):
                share = cores * (0.004 + 0.0011 * lanes) * (1 - 0.2 * k)
                seconds = scale * (1e-3 + 2e-2 / (cores * lanes)) * (1 + 0.9 * k)
                rows.append({
                    "problem": problem, "device": "card", "kind": "modelled", "label": f"{cores} x {lanes} lanes",
                    "spec": spec, "multiplier": "block", "cores": cores, "lanes": lanes, "channels": cores * 2,
                    "bound": "channels" if lanes == 64 and cores == 4 else "lanes", "clock_hz": 3e8,
                    "clock_kind": "given", "cycles_per_iteration": 7000 / lanes, "slices": int(1e5 * share),
                    "blocks": 8 * lanes * cores, "area_share": share, "pareto": False, "area_time": share * seconds,
                    "seconds_per_iteration": seconds / 700, "operations_per_second": 1e8 / seconds, "watts": 225,
                    "operations_per_joule": 1e6 / seconds, "bytes_per_second": 4e8 / seconds, "inner": 25,
                    "iterations": 741 + 100 * k, "outer_iterations": 30, "true_residual": 9e-9, "status": "converged",
                    "seconds": seconds, "energy_joules": 225 * seconds, "modelled": modelled, "origins": ["o1", "o2"]})
        ours = [r for r in rows if r["problem"] == problem]
        for r in ours:
            r["pareto"] = not any(o["area_share"] <= r["area_share"] and o["seconds"] <= r["seconds"] and o is not r
                                  for o in ours)
    rows.append({"problem": large, "device": "card", "kind": "published", "label": "another solver in double " + HOSTILE,
                 "seconds_per_iteration": 5e-5, "operations_per_second": 2.1e9, "watts": 225, "seconds": None,
                 "operations_per_joule": 9e6, "iterations": None, "bytes_per_second": None, "origins": ["o3"]})
    return {
        "name": "sparse", "tolerance": 1e-8, "scheme": "residual-guided", "inner": 25, "assumptions": ["an assumption"],
        "devices": [{"id": "card", "name": "A card", "target": "xcup", "slices": 100000, "blocks": 9024}],
        "designs": [{"spec": spec, "problem": problem, "unknowns": n, "status": "converged", "sparse": True,
                     "inner_iterations": 741, "outer_iterations": 30, "true_residual": 9e-9, "iterations_origin": "o1"}
                    for problem, n in ((small, 343), (large, 40000)) for spec in specs],
        "cores": [], "rows": [], "best": [], "gaps": [], "sparse": rows,
        "references": [{"problem": large, "iterations": 451, "origin": "o1"}],
        "peers": [{"problem": large, "engine": "cpu", "label": "Jacobi CG in double, 2 threads", "iterations": 442,
                   "seconds": 0.012, "true_residual": 9e-9, "reached": True, "kind": "measured", "origin": "o3"}],
        "origins": comparison()["origins"],
    }


def gpu():
    """A GPU benchmark's document."""
    levels = []
    for level in (8, 9, 10, 11):
        rows = (2 ** level - 1) ** 2
        passes = []
        for arithmetic, bytes_per_row in (("double", 40), ("float", 20)):
            seconds = 5e-6 + rows * bytes_per_row / 3.1e12
            passes.append({"plan": "stream", "us_per_pass": seconds * 1e6, "bytes_per_row": bytes_per_row,
                           "bytes_per_second": rows * bytes_per_row / seconds, "arithmetic": arithmetic,
                           "share_of_copy": rows * bytes_per_row / seconds / 4e12})
        passes.append({"plan": "resident", "us_per_pass": 2.5 + level / 7, "bytes_per_row": 0, "bytes_per_second": 0.0,
                       "share_of_copy": 0.0, "arithmetic": "double"})
        levels.append({"level": level, "rows": rows, "passes": passes, "solves": []})
    return {"device": "a GPU " + HOSTILE, "date": "2026-01-02", "copy_bytes_per_second": 4e12, "note": "a note",
            "poisson": levels}


def add_documents(store, documents=None):
    db = sqlite3.connect(store)
    if documents is None:
        documents = (("measurement", "gpu.json", gpu()), ("comparison", "test " + HOSTILE, comparison()))
    for table, name, document in documents:
        db.execute(f"CREATE TABLE IF NOT EXISTS {table} (name TEXT PRIMARY KEY, document TEXT NOT NULL, version TEXT, "
                   "commit_id TEXT, machine TEXT, date TEXT, command TEXT)")
        row = (name, json.dumps(document), *ORIGIN, "mantissa compare")
        db.execute(f"INSERT INTO {table} VALUES (?,?,?,?,?,?,?)", row)
    db.commit()
    db.close()
