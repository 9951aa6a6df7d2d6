from typing import Any

import pytest

from nnue_trainer.schedule import Schedule


def parts(steps: int = 101, **settings: Any) -> list[float]:
    schedule = Schedule(**settings)
    return [schedule.part(done, steps) for done in range(steps)]


def test_cosine_ends_at_the_final_part() -> None:
    rates = parts(kind="cosine", final=0.1)
    assert rates[0] == 1.0 and rates[50] == pytest.approx(0.55) and rates[-1] == pytest.approx(0.1)
    assert rates == sorted(rates, reverse=True)


def test_constant_stays() -> None:
    assert set(parts(kind="constant")) == {1.0}


def test_step_falls_in_steps() -> None:
    rates = parts(kind="step", step=0.5, factor=0.1)
    assert rates[:50] == [1.0] * 50 and rates[50:100] == [0.1] * 50


def test_a_warm_up_comes_first() -> None:
    rates = parts(111, warm_up=0.09)
    assert rates[:10] == pytest.approx([(done + 1) / 11 for done in range(10)])
    assert rates[10:] == pytest.approx(parts(101))


@pytest.mark.parametrize("kind", ["cosine", "constant", "step"])
@pytest.mark.parametrize("steps", [1, 2, 3])
def test_runs_of_a_few_steps_have_a_rate_too(kind: str, steps: int) -> None:
    assert all(0 < part <= 1 for part in parts(steps, kind=kind, warm_up=0.5))
