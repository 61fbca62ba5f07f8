import json

import numpy as np
import pytest
import ucpo


def draw(batch, samples, seed=0, share=0.5):
    rng = np.random.default_rng(seed)
    f = rng.uniform(4, 8, (batch, samples))
    v = np.where(rng.uniform(size=(batch, samples)) < share, 0.0, rng.uniform(0.1, 3, (batch, samples)))
    return f, v, rng.normal(-2, 1, (batch, samples))


def test_the_weight_is_the_derivative():
    f, v, s = draw(3, 7)
    for preset in ucpo.loss_presets():
        _, weight, _ = ucpo.loss(f, v, s, preset)
        for index in ((0, 0), (1, 3), (2, 6)):
            up, down = s.copy(), s.copy()
            up[index] += 1e-5
            down[index] -= 1e-5
            slope = (ucpo.loss(f, v, up, preset)[0] - ucpo.loss(f, v, down, preset)[0]) / 2e-5
            assert weight[index] == pytest.approx(slope, abs=2e-8), preset


def test_arrays_of_other_types_and_strides():
    f, v, s = draw(4, 6)
    value, weight, metrics = ucpo.loss(f, v, s)
    again = ucpo.loss(np.asfortranarray(f), v.astype(np.float64)[:, :], s[::1].tolist())
    assert again[0] == value and (again[1] == weight).all()
    assert ucpo.loss(f.astype(np.float32), v, s)[0] == pytest.approx(value, rel=1e-6)
    assert metrics.trajectories == 24 and metrics.feasible == int((v == 0).sum())
    assert metrics.infeasible_samples == pytest.approx((v > 0).mean())
    one = ucpo.loss(f[0], v[0], s[0])
    assert one[1].shape == (6,)
    assert f.flags.c_contiguous and ucpo.loss(f, v, s, threads=2)[0] == value


def test_settings():
    f, v, s = draw(2, 8)
    assert ucpo.loss(f, v, s, "ucpo,k=2")[0] == ucpo.loss(f, v, s, k=2)[0] != ucpo.loss(f, v, s)[0]
    assert ucpo.loss(f, v, s, lambda_=2.0)[0] == ucpo.loss(f, 2 * v, s)[0]
    assert ucpo.loss(f, v, s, "bopo", skip_equal=True)[0] > 0


@pytest.mark.parametrize("change, text", [
    (dict(score=[np.nan, 1.0]), r"score\[0\] is nan"),
    (dict(violation=[-1.0, 0.0]), r"violation\[0\] is -1"),
    (dict(objective=[1.0, 2.0, 3.0]), "shape"),
    (dict(objective=[], violation=[], score=[]), "shape"),
    (dict(preset="ucbo"), "ucpo"),
    (dict(lambda_=-1), "lambda"),
    (dict(colour=1), "colour"),
])
def test_what_is_wrong_is_said(change, text):
    arguments = dict(objective=[1.0, 2.0], violation=[0.0, 0.0], score=[0.0, 0.0])
    arguments.update(change)
    with pytest.raises(ValueError, match=text):
        ucpo.loss(**arguments)


def test_the_order():
    assert ucpo.compare(5, 0, 4, 1) == -1 and ucpo.compare(5, 0, 4, 0) == 1 and ucpo.compare(5, 0, 5, 0) == 0
    assert ucpo.rank([3.0, 1.0, 2.0], [0, 5, 0]).tolist() == [2, 0, 1]
