"""`f32` bit by bit, against fractions, which have no rounding of their own."""

from fractions import Fraction

import numpy as np
import torch
from torch import Tensor

from nnue_trainer import float32

COUNT = 3000


def numbers(seed: int, spread: int) -> Tensor:
    """Numbers of very different sizes."""
    random = np.random.default_rng(seed)
    sizes = np.exp2(random.integers(-spread, spread, COUNT))
    return torch.from_numpy((random.standard_normal(COUNT) * sizes).astype(np.float32))


def nearest(exact: Fraction) -> np.float32:
    """The `f32` nearest to a fraction; of two, the even one."""
    found = np.float32(float(exact))
    neighbours = [
        found,
        np.nextafter(found, np.float32(np.inf)),
        np.nextafter(found, np.float32(-np.inf)),
    ]

    def distance(number: np.float32) -> Fraction:
        return abs(Fraction(float(number)) - exact)

    def is_odd(number: np.float32) -> int:
        return int(np.float32(number).view(np.uint32)) & 1

    return min(neighbours, key=lambda number: (distance(number), is_odd(number)))


def test_products_and_sums_are_rounded_once() -> None:
    x, y, z = numbers(1, 12), numbers(2, 12), numbers(3, 24)
    # Next to the middle of two `f32`: rounded to `f64` first, the sums would be on it.
    x = torch.cat([x, torch.tensor([1.0 + 2.0**-23, -1.0 - 2.0**-23])])
    y = torch.cat([y, torch.tensor([2.0**-24 - 2.0**-47] * 2)])
    z = torch.cat([z, torch.tensor([1.0 + 2.0**-23, -1.0 - 2.0**-23])])
    found = float32.fma(x, y, z).tolist()
    twice_rounded = 0
    for index, (a, b, c) in enumerate(zip(x.tolist(), y.tolist(), z.tolist())):
        exact = Fraction(a) * Fraction(b) + Fraction(c)
        assert np.float32(found[index]) == nearest(exact), (a, b, c)
        twice_rounded += np.float32(a * b + c) != nearest(exact)
    # The short way is not good enough for these.
    assert twice_rounded > 0


def test_an_fma_of_zeros_and_infinities() -> None:
    x = torch.tensor([0.0, float("inf"), 1.0])
    assert float32.fma(x, torch.ones(3), torch.zeros(3)).tolist() == [0.0, float("inf"), 1.0]


def test_the_order_of_additions_is_what_the_spec_says() -> None:
    large = 2.0**24
    inputs = torch.zeros(1, 17)
    inputs[0, 0], inputs[0, 1], inputs[0, 16] = large, 1.0, -large
    ones = torch.ones(1, 17)
    assert float32.columns(inputs, ones, torch.zeros(1)).tolist() == [[0.0]]
    # Inputs 0 and 16 meet before input 1 does.
    assert float32.lanes(inputs, ones).tolist() == [[1.0]]
    assert float32.pairs(inputs, ones).tolist() == [[1.0]]
    # The runs of the inputs 0 to 7 and 8 to 15 are added before those from 16 on.
    inputs[0, 1], inputs[0, 8] = 0.0, 1.0
    assert float32.products(inputs, ones).tolist() == [[0.0]]
    # Of four sums, `lanes` adds 0 and 2, and `pairs` 0 and 1.
    inputs = torch.tensor([[large, 1.0, -large]])
    assert float32.lanes(inputs, ones[:, :3]).tolist() == [[1.0]]
    assert float32.pairs(inputs, ones[:, :3]).tolist() == [[0.0]]
    assert float32.products(inputs, ones[:, :3]).tolist() == [[0.0]]


def test_hard_swish_is_the_formula_to_the_last_bit() -> None:
    x = torch.tensor([0.1, -0.1, 2.3, -2.9, 5.0, -4.0])
    bits = float32.hard_swish(x).numpy().view(np.uint32).tolist()
    assert bits == [0x3D53A06E, 0xBD45F92E, 0x400206D4, 0xBD45F920, 0x40A00000, 0x80000000]


def test_the_sigmoid_is_close_to_the_exact_one() -> None:
    x = torch.arange(-8000, 8000) / 100
    exact = torch.sigmoid(x.double())
    assert bool(((float32.sigmoid(x).double() - exact).abs() <= 3 * 2.0**-24 * exact).all())
