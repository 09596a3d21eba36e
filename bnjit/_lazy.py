"""A property that is computed once. functools has one, which locks its class up to Python 3.11."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class lazy(Generic[T]):  # noqa: N801 - used like a function
    """Compute an attribute when it is first asked for, and keep it.

    Without a lock: a process that is forked while another thread computes would wait for it for ever, and objects of
    one class would wait for each other. Two threads may both compute it; one result stays.

    Examples
    --------
    >>> class Table:
    ...     @lazy
    ...     def total(self):
    ...         print("adds up")
    ...         return 3
    >>> table = Table()
    >>> table.total + table.total
    adds up
    6
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute, self.__doc__ = compute, compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> "lazy[T]": ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        kept: T = instance.__dict__.setdefault(self._name, self._compute(instance))
        return kept
