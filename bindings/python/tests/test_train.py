import os
import signal
import threading

import numpy as np
import pytest
import ucpo

SMALL = dict(size=10, level="easy", network="small", progress=False, validate_count=16) if "validate-count" in ucpo.train_keys() else dict(
    size=10, level="easy", network="small", progress=False)


def test_a_run_from_a_dictionary(tmp_path):
    lines = []
    config = {"problem": "tsptw", "size": 10, "level": "easy", "network": "small", "instances": 256, "batch": 32}
    run = ucpo.train(config, tmp_path / "run", callback=lines.append, progress=False)
    assert run.ended_by == "finished" and run.instances == 256 and len(lines) >= 8
    assert {line.kind for line in lines} >= {"step", "sampled"}
    assert np.isfinite([line.loss for line in lines if line.kind == "step"]).all()
    assert run.after["sampled"].kind == "sampled" and run.model().problem == "tsptw"
    assert (run.metrics("train")["instances"] > 0).all()
    assert "<svg" in run.plot()._repr_svg_() and "<html" in str(run.report())
    assert 'problem = "tsptw"' in run.config()
    assert ucpo.solve(ucpo.generate("tsptw", 10, level="easy")[0], model=run, samples=2).feasible
    again = ucpo.train(run.dir + "/config.toml", tmp_path / "again", progress=False)  # a file is a config, too
    assert (tmp_path / "again" / "last.safetensors").read_bytes()[-1000:] == (tmp_path / "run" / "last.safetensors").read_bytes()[-1000:]
    assert again.instances == 256


def test_a_callback_may_stop_and_the_run_goes_on(tmp_path):
    run = ucpo.train("tsptw", tmp_path / "run", instances=2000, batch=32, callback=lambda r: r.step >= 3, **SMALL)
    assert run.ended_by == "stopped" and run.instances < 2000
    more = run.resume(progress=False, max_instances=run.instances + 320)
    assert more.ended_by == "limit" and more.instances > run.instances


def test_a_finished_run_goes_on_for_longer(tmp_path):
    constant = dict(SMALL, batch=32, lr_end=0)
    run = ucpo.train("tsptw", tmp_path / "run", instances=96, **constant)
    longer = run.resume(instances=160, progress=False)
    whole = ucpo.train("tsptw", tmp_path / "whole", instances=160, **constant)
    assert longer.ended_by == "finished" and longer.instances == 160
    ours, theirs = longer.model().tensors(), whole.model().tensors()
    assert ours.keys() == theirs.keys() and all(np.array_equal(ours[name], theirs[name]) for name in ours)
    assert "\ninstances = 160\n" in run.config()
    with pytest.raises(ValueError, match="learned from 160"):
        ucpo.resume(run, instances=96, progress=False)
    with pytest.raises(ValueError, match="lr cannot change"):
        ucpo.resume(run, lr=0.1, progress=False)


def test_ctrl_c_keeps_the_checkpoint(tmp_path):
    def press(report):
        if report.kind == "step" and report.step == 4:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt, match="resume") as caught:
        ucpo.train("tsptw", tmp_path / "run", instances=100000, batch=32, callback=press, **SMALL)
    run = caught.value.result
    assert run.ended_by == "stopped" and os.path.exists(run.last)
    assert ucpo.resume(run.dir, max_instances=run.instances + 64, progress=False).instances > run.instances


def test_an_exception_in_the_callback_comes_out_and_the_run_is_saved(tmp_path):
    def fail(report):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        ucpo.train("tsptw", tmp_path / "run", instances=100000, batch=32, callback=fail, **SMALL)
    assert os.path.exists(tmp_path / "run" / "last.safetensors")


def test_fine_tuning_on_instances_in_memory(tmp_path):
    data = ucpo.generate("tsptw", 10, count=20, level="hard")
    run = ucpo.finetune("models/tsptw.safetensors", tmp_path / "tuned", data=data, instances=64, batch=32, progress=False)
    assert run.ended_by == "finished" and run.before["sampled"].kind == "sampled"
    assert run.model().config["width"] == ucpo.Model.load("models/tsptw.safetensors").config["width"]
    again = ucpo.finetune(run.model(), tmp_path / "again", data=tmp_path / "tuned.data.json", instances=32, batch=32, progress=False)
    assert again.instances == 32


def test_phases_as_dictionaries(tmp_path):
    run = ucpo.train("tsptw", tmp_path / "run", phases=[{"instances": 64, "loss": "reinforce-norm"}, {"instances": 64, "loss": "ucpo"}],
                     batch=32, **SMALL)
    assert run.instances == 128 and run.config().count("[[phase]]") == 2


def test_mistakes_are_named(tmp_path):
    for settings, text in (({"los": "ucpo"}, "los"), ({"loss": "ucbo"}, "ucpo"), ({"batch": -1}, "batch")):
        with pytest.raises(ValueError, match=text):
            ucpo.train("tsptw", tmp_path / "run", progress=False, **settings)
    with pytest.raises(ValueError, match="dir="):
        ucpo.train("tsptw")
    with pytest.raises(ValueError, match="holds no run"):
        ucpo.Run(tmp_path)
    with pytest.raises(ucpo.Error):
        ucpo.resume(tmp_path / "nothing", progress=False)
    assert not (tmp_path / "run").exists()


def test_an_unknown_setting_points_to_the_list_of_all(tmp_path):
    with pytest.raises(ValueError, match=r"unknown setting 'nope'; ucpo.train_keys\(\) has all of them"):
        ucpo.train("tsptw", tmp_path / "run", nope=3)
    with pytest.raises(ValueError, match=r"did you mean 'level'\?.*ucpo.train_keys\(\)"):
        ucpo.train("tsptw", tmp_path / "run", levell=3)


@pytest.mark.parametrize("value", [True, False, np.True_])
def test_a_refused_bool_is_shown_as_the_caller_wrote_it(tmp_path, value):
    with pytest.raises(ValueError, match=f"instances is {value}, expected a whole number"):
        ucpo.resume(tmp_path, instances=value)
    with pytest.raises(ValueError, match="instances is 'yes', expected"):
        ucpo.resume(tmp_path, instances="yes")


def test_progress_in_a_file(tmp_path, capfd):
    settings = dict(SMALL, progress=True)
    ucpo.train("tsptw", tmp_path / "run", instances=64, batch=32, **settings)
    assert "infeasible" in capfd.readouterr().err


def test_training_outside_the_main_thread(tmp_path):
    found = []
    thread = threading.Thread(target=lambda: found.append(ucpo.train("tsptw", tmp_path / "run", instances=64, batch=32, **SMALL)))
    thread.start()
    thread.join()
    assert found[0].instances == 64


def test_what_it_would_cost():
    estimate = ucpo.dry_run("tsptw", size=10, network="small", instances=1000)
    assert estimate["parameters"] > 0 and estimate["total_seconds"] > 0


def test_a_run_that_began_with_a_relative_path_goes_on(tmp_path, monkeypatch):
    ucpo.Model.create("tsptw", width=32, heads=4, hidden=64, layers=1).save(tmp_path / "m.safetensors")
    monkeypatch.chdir(tmp_path)
    run = ucpo.finetune("m.safetensors", "run", size=10, instances=96, batch=16, progress=False,
                        callback=lambda r: r.kind == "step" and r.instances >= 32)
    assert run.ended_by == "stopped"
    assert ucpo.resume("run", progress=False).ended_by == "finished"
