"""Training without a schedule: gradients are taken between two weights, of which one is the average
of the other ("The Road Less Scheduled", Defazio and others, 2024)."""

from collections.abc import Iterable

import torch
from torch import Tensor


class ScheduleFree:
    """The weights beside those that a network has while its gradients are computed.

    An optimiser moves the fast weights. Their average, in which each counts as the square of its
    rate, is the network that is worth something. Gradients are those of weights between both:
    `beta` of the way from the fast ones to the average.
    """

    def __init__(
        self, parameters: Iterable[Tensor], average: Iterable[Tensor], beta: float
    ) -> None:
        """`average` has tensors of the same forms, which this object changes."""
        self.parameters, self.average, self.beta = list(parameters), list(average), beta
        self.fast = [parameter.detach().clone() for parameter in self.parameters]
        # On the CPU, where it can be read without waiting for a device.
        self.total = torch.zeros((), dtype=torch.float64)

    @torch.no_grad()
    def begin(self) -> None:
        """Gives the network the fast weights, which the optimiser then moves."""
        for parameter, fast in zip(self.parameters, self.fast):
            parameter.copy_(fast)

    @torch.no_grad()
    def end(self, rate: float) -> None:
        """Takes the fast weights back after a step with this rate, and gives the network those of
        which gradients are computed."""
        self.total += rate**2
        share = rate**2 / max(float(self.total), 1e-300)
        for parameter, fast, average in zip(self.parameters, self.fast, self.average):
            fast.copy_(parameter)
            average.lerp_(fast, share)
            parameter.lerp_(average, self.beta)
