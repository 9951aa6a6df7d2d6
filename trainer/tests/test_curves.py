from collections.abc import Sequence
from xml.etree import ElementTree

import pytest

from nnue_trainer.curves import draw


def points(is_logarithmic: bool, curve: Sequence[tuple[float, float]]) -> list[tuple[float, ...]]:
    """Where the points of a curve are in the picture."""
    root = ElementTree.fromstring(
        draw("A < B", [("loss", is_logarithmic, {"training": curve})], 100)
    )
    line = next(element for element in root.iter() if element.tag.endswith("polyline"))
    return [tuple(map(float, point.split(","))) for point in line.attrib["points"].split()]


@pytest.mark.parametrize("is_logarithmic, middle", [(False, 0.5), (True, 0.1)])
def test_a_curve_goes_through_its_points(is_logarithmic: bool, middle: float) -> None:
    last = 0.01 if is_logarithmic else 0.0
    first, second, third = points(is_logarithmic, [(0, 1.0), (50, middle), (100, last)])
    assert second == pytest.approx(((first[0] + third[0]) / 2, (first[1] + third[1]) / 2), abs=0.1)
    # Downwards is larger in SVG.
    assert first[1] < third[1]


def test_a_logarithmic_scale_has_no_zero() -> None:
    assert len(points(True, [(0, 0.0), (50, 2.0), (100, 1.0)])) == 2


def test_curves_of_nothing_and_of_one_value_are_drawn() -> None:
    ElementTree.fromstring(draw("none", [("loss", True, {"a": [], "b": []})], 0))
    same = [("loss", False, {"a": [(1, 0.0), (2, 0.0)]}), ("rate", True, {"": [(1, 5.0)]})]
    ElementTree.fromstring(draw("same", same, 2))
