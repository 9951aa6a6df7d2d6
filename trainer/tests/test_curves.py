import math
import xml.etree.ElementTree as xml

from nnue_trainer.curves import draw


def test_a_curve_goes_through_its_points():
    picture = draw("A < B", [("loss", {"training": [(0, 1.0), (50, 0.5), (100, 0.0)]})], 100)
    root = xml.fromstring(picture)
    line = next(element for element in root.iter() if element.tag.endswith("polyline"))
    points = [tuple(map(float, point.split(","))) for point in line.get("points").split()]
    assert math.isclose(points[1][0], (points[0][0] + points[2][0]) / 2)
    assert math.isclose(points[1][1], (points[0][1] + points[2][1]) / 2)
    # Downwards is larger in SVG.
    assert points[0][1] < points[2][1]
    assert "A &lt; B" in picture


def test_curves_of_nothing_and_of_one_value_are_drawn():
    xml.fromstring(draw("none", [("loss", {"a": [], "b": [(3, None)]})], 0))
    xml.fromstring(draw("same", [("loss", {"a": [(1, 0.0), (2, 0.0)]}), ("rate", {"": [(1, 5.0)]})], 2))
