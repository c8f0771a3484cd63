"""Tidewire in a container for tests: a simulated world, faults on demand, credits to spend."""

from ._container import IMAGE, Answer, Clock, Fault, FaultKind, RequestedDocument, TidewireContainer

__all__ = ["IMAGE", "Answer", "Clock", "Fault", "FaultKind", "RequestedDocument", "TidewireContainer"]
