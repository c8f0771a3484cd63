"""Tidewire in a container for tests: a simulated world, faults on demand, credits to spend."""

from ._container import IMAGE, Fault, FaultKind, TidewireContainer

__all__ = ["IMAGE", "Fault", "FaultKind", "TidewireContainer"]
