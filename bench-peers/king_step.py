"""A scenario's full step beside Pinocchio and the best published solver, on the scenario's own problems.

    python bench-peers/king_step.py RANDORI PEERS [SCENARIO ...]

RANDORI is the command; PEERS is the folder with `peers.py` (it needs its own packages, Pinocchio among them; compile
DAQP for the machine as its README says). For each scenario (king by default) this prints

* ours: dynamics, assembly and solve, `step_median_ms` of `randori body run`;
* theirs: `computeAllTerms` of every subsystem in Pinocchio, plus the fastest warm median on the problems that
  `randori body dump` wrote (solvers that fail on any of them do not count);
* the ratio.

All are processor time, one after the other on one machine. What Pinocchio and the solver leave out (assembly of
their matrices, contacts, collisions) is not counted for them.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / ".ci"))

import numpy as np
import physics
import pinocchio as pin

SOLVERS = "daqp,daqp_eqred,proxqp,piqp,piqp_sparse"


def pinocchio_ms(path):
    """Median time of all terms of all subsystems, over the steps of a file of states."""
    run = json.loads(pathlib.Path(path).read_text())
    models = [physics.build(text, run["gravity"]) for text in run["models"]]
    total = 0.0
    for idx, model in enumerate(models):
        physics.weigh(model, run["steps"][0]["bodies"][idx]["inertias"])
        data = model.createData()
        states = [(np.array(s["bodies"][idx]["q"]), np.array(s["bodies"][idx]["v"])) for s in run["steps"]]
        times = []
        for q, v in states * 5:
            start = time.process_time()
            for _ in range(20):
                pin.computeAllTerms(model, data, q, v)
            times.append((time.process_time() - start) / 20)
        total += float(np.median(times)) * 1e3
    return total


def main():
    randori, peers = sys.argv[1:3]
    for name in sys.argv[3:] or ["king"]:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            call = lambda *args: subprocess.run([randori, "body", *args, "--quiet"], check=True, capture_output=True)
            call("run", name, "--report", str(folder / "report.json"))
            call("dump", name, str(folder / "problems"))
            call("dump", name, str(folder / "states"), "--states")
            report = json.loads((folder / "report.json").read_text())
            ours = report.get("summary", report)["step_median_ms"]
            out = folder / "peers.jsonl"
            subprocess.run(
                [sys.executable, f"{peers}/peers.py", str(folder / "problems"), "--solvers", SOLVERS, "--json", str(out)],
                check=True, capture_output=True,
            )
            rows = [json.loads(line) for line in out.read_text().splitlines()]
            rows = [row for row in rows if row["mode"] == "warm" and row["success"] == 1.0]
            best = min(rows, key=lambda row: row["median_ms"])
            dynamics = pinocchio_ms(folder / "states" / f"{name}.states.json")
            theirs = dynamics + best["median_ms"]
            print(
                f"{name}: ours {ours:.4f} ms; Pinocchio {dynamics:.4f} + {best['solver']} {best['median_ms']:.4f}"
                f" = {theirs:.4f} ms; {theirs / ours:.1f} times"
            )


if __name__ == "__main__":
    main()
