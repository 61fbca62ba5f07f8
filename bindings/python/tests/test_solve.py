import json
import os
import signal
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree

import numpy as np
import pytest
import ucpo


def day50():
    return ucpo.read("examples/data/day50.json")


def test_a_plan_with_everything(tmp_path):
    inst = ucpo.read("examples/data/stops.csv", capacity=15, speed=25)
    plan = ucpo.solve(inst, time=0.3, seed=0)
    assert plan.feasible and plan.violations() == [] and plan.violation == 0
    assert sorted(node for route in plan.routes for node in route) == list(range(1, 9))
    rows = plan.schedule()
    assert len(rows) == plan.evaluation["stops"] and set(rows["node"]) == set(range(9))
    assert (rows["start"] >= rows["arrive"] - 1e-9).all()
    assert json.loads(plan.to_json())["schema"] == "ucpo.solution/1"
    xml.etree.ElementTree.fromstring(plan.plot(tmp_path / "plan.svg").text)
    assert (tmp_path / "plan.svg").read_text() == plan._repr_svg_() == plan.plot()._repr_svg_()
    page = plan.report(tmp_path / "plan.html")
    assert "<iframe" in page._repr_html_() and (tmp_path / "plan.html").read_text() == str(page)
    plan.write(tmp_path / "plan.sol")
    again = ucpo.read_plans(tmp_path / "plan.sol", inst)[0]
    assert again.cost == pytest.approx(plan.cost)


def test_a_misspelt_argument_names_the_function_called_and_the_nearest_word():
    for function, data in ((ucpo.solve, day50()), (ucpo.solve_many, [day50()])):
        for wrong, right in (("tim", "time"), ("sample", "samples"), ("modl", "model"), ("progr", "progress")):
            with pytest.raises(TypeError, match=rf"ucpo.{function.__name__}: unknown argument '{wrong}' \(did you mean '{right}'\?\)"):
                function(data, **{wrong: 1})
        with pytest.raises(TypeError, match="unknown argument 'xyz'$"):
            function(data, xyz=1)


def test_the_same_seed_gives_the_same_plan_for_any_number_of_threads():
    plans = [ucpo.solve(day50(), samples=4, seed=5, threads=t) for t in (1, 2, 3)]
    assert all((p.nodes == plans[0].nodes).all() for p in plans)
    assert plans[0].info["ended_by"] == "optimal" and plans[0].info["bound"] == pytest.approx(plans[0].cost)
    other = ucpo.solve(day50(), samples=4, seed=5, prove=False)
    assert other.info["ended_by"] == "finished" and other.info["bound"] == 0 and other.cost >= plans[0].cost * (1 - 1e-9)


def test_the_same_plan_as_the_program(tmp_path):
    program = os.environ.get("UCPO_PROGRAM")
    if not program:
        pytest.skip("$UCPO_PROGRAM is not set")
    out = tmp_path / "plan.json"
    subprocess.run([program, "solve", "examples/data/day50.json", "--samples", "4", "--seed", "5", "-o", out], check=True,
                   capture_output=True)
    assert ucpo.read_plans(out, day50())[0].nodes.tolist() == ucpo.solve(day50(), samples=4, seed=5).nodes.tolist()


def test_models_are_chosen_as_by_the_program():
    inst = day50()
    assert ucpo.Solver().model_for(inst).problem == "tsptw"
    assert ucpo.Solver("none").model_for(inst) is None
    assert ucpo.solve(inst, model="models/tsptw.safetensors", samples=1).feasible
    with pytest.raises(ucpo.MismatchError, match="tspdl"):
        ucpo.solve(inst, model="models/tspdl.safetensors")
    with pytest.raises(OSError, match="nowhere"):
        ucpo.solve(inst, model="nowhere.safetensors")


def test_wrong_settings_are_named():
    for settings, text in (({"time": -1}, "time"), ({"augment": 9}, "augment"), ({"mask": "pipe"}, "pipe"),
                           ({"kernels": "mmx"}, "mmx"), ({"temperature": 0.0}, "temperature")):
        with pytest.raises(ValueError, match=text):
            ucpo.Solver(**settings).solve(day50())
    with pytest.raises(TypeError):
        ucpo.solve(day50(), colour=3)


def test_an_initial_plan_is_never_made_worse():
    inst = day50()
    good = ucpo.solve(inst, time=0.5)
    assert ucpo.solve(inst, initial=good, model="none", samples=1).cost <= good.cost + 1e-9


def test_improvements_are_reported_and_may_stop_the_search():
    seen = []
    plan = ucpo.solve(day50(), time=5, prove=False, improved=lambda best: seen.append(best) or best.feasible)
    assert seen[-1].feasible and plan.feasible and plan.info["ended_by"] == "stopped" and plan.info["seconds"] < 4
    assert ucpo.check(day50(), seen[-1].nodes).cost == pytest.approx(seen[-1].cost)


def test_an_app_sees_the_plan_improve():
    seen = []
    plan = ucpo.solve(ucpo.generate("cvrptw", 200, count=1, seed=5)[0], time=2, model="none", threads=2,
                      improved=seen.append)
    good = [best for best in seen if best.feasible]
    assert all(a.cost > b.cost for a, b in zip(good, good[1:]))
    assert all(b.seconds - a.seconds >= 0.0999 for a, b in zip(seen, seen[1:-1]))
    assert seen[0].candidates == 1 and len(good) >= 3  # there at once, and told inside the waves
    assert good[-1].cost == pytest.approx(plan.cost, rel=1e-12)
    assert all(0 <= best.bound <= best.cost for best in good)
    assert plan.info["bound"] <= plan.cost


def test_nine_customers_are_solved_at_once():
    inst = ucpo.generate("cvrptw", 9, count=1, seed=5)[0]
    plan = ucpo.solve(inst, time=20)
    assert plan.info["ended_by"] == "optimal" and plan.info["seconds"] < 10 and plan.info["bound"] == plan.cost
    late = ucpo.Instance.tsptw([(0, 0), (3, 0), (3, 4)], [(0, 100), (0, 2), (5, 9)])
    assert ucpo.solve(late).info["ended_by"] == "infeasible" and ucpo.explain(late).proved


def test_an_exception_in_a_callback_comes_out():
    def fail(done, total):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        ucpo.solve(day50(), time=5, progress=fail)


def test_ctrl_c_keeps_the_best_plan():
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt) as caught:
        ucpo.solve(day50(), time=1200, prove=False)
    assert time.monotonic() - begin < 600  # a busy machine
    assert caught.value.result.feasible
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_interpreter_goes_on_while_a_search_runs():
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(1)
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    ucpo.solve(day50(), time=0.6, threads=1, prove=False)
    stop.set()
    thread.join()
    assert len(ticks) > 10


def test_many_as_arrays(tmp_path):
    data = ucpo.generate("tsptw", 10, count=6, level="hard", seed=2)
    answers = ucpo.solve_many(data, samples=2, seed=4)
    assert answers.feasible.dtype == bool and answers.cost.shape == (6,) and answers.plans.shape[0] == 6
    one = ucpo.Solver(samples=2, seed=4).solve(data[3], number=3)
    assert one.nodes.tolist() == answers[3].nodes.tolist()
    for row, inst, cost in zip(answers.plans, data, answers.cost):  # filled up with 0, still the same plan
        assert ucpo.check(inst, row).cost == pytest.approx(cost)
    answers.write(tmp_path / "plans.json")
    assert len(ucpo.read_plans(tmp_path / "plans.json", data)) == 6
    assert "<html" in str(answers.report())
    stopped = ucpo.solve_many(data, samples=2, progress=lambda done, total: done == 2)
    assert len(stopped) == 2


def test_plans_in_any_form_are_checked():
    inst = ucpo.read("examples/data/toy.cvrptw")
    good = ucpo.read_plans("examples/data/toy_cvrptw.sol", inst)[0]
    for form in (good.routes, good.nodes, good.nodes.astype(np.int64), [int(n) for n in good.nodes], tuple(map(tuple, good.routes))):
        assert ucpo.check(inst, form).cost == good.cost
    bad = ucpo.check(inst, [good.routes[0] + [99, good.routes[0][0]]])
    kinds = {violation.kind for violation in bad.violations()}
    assert {"unknown", "duplicate"} <= kinds and not bad.feasible
    assert "missing" in kinds or len(good.routes) == 1
    with pytest.raises(ValueError, match="plan"):
        ucpo.check(inst, np.zeros((2, 2)))


def test_late_plans_say_where():
    inst = ucpo.read("examples/data/toy.tsptw")
    late = ucpo.read_plans("examples/data/toy_tsptw_late.sol", inst)[0]
    found = [v for v in late.violations() if v.kind == "late"]
    assert found and found[0].amount > 0 and "late by" in found[0].text
    relax = late.explain()
    assert not relax.proved and any(reason.kind.startswith("relax") for reason in relax)


def test_proofs():
    why = ucpo.explain(ucpo.read("examples/data/toy_impossible.tsptw"))
    assert why.proved and why.reasons[0].is_proof and why.reasons[0].text in str(why)


def test_a_bound_refutes_what_no_plan_costs():
    inst = ucpo.generate(preset="tsptw50_hard", count=1)[0]
    best = ucpo.solve(inst, model="none")
    assert best.info["ended_by"] == "optimal"
    assert ucpo.bound(inst, 0.97 * best.cost) >= 0.97 * best.cost
    assert ucpo.bound(inst, 1.03 * best.cost) == pytest.approx(best.cost)
    with pytest.raises(ucpo.ArgumentError):
        ucpo.bound(inst, float("inf"))


def test_it_never_calls_an_infeasible_plan_feasible():
    inst = ucpo.read("examples/data/toy_impossible.tsptw")
    plan = ucpo.solve(inst, model="none")
    assert not plan.feasible and plan.violation > 0 and plan.violations()


def test_the_process_may_fork_after_a_solve():
    if os.environ.get("UCPO_TEST_SANITIZED"):
        pytest.skip("a sanitizer does not survive a fork")
    ucpo.solve(day50(), samples=1, threads=2)
    child = os.fork()
    if child == 0:
        os._exit(0 if ucpo.solve(day50(), samples=1, threads=2).feasible else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_show_versions():
    done = subprocess.run([sys.executable, "-c", "import ucpo; ucpo.show_versions()"], capture_output=True, text=True, check=True)
    assert "numpy" in done.stdout and ucpo.__version__ in done.stdout
