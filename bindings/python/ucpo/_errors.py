"""What can go wrong: one exception class per status of the C library."""
from __future__ import annotations


class Error(Exception):
    """Every failure of the library. The text is the C library's own sentence.

    Attributes: `code` (a status such as ``UCPO_E_FORMAT``, as a word), `file` and `line` (where they apply,
    else ``None``).
    """

    code: str = "UCPO_E_INTERNAL"

    def __init__(self, text: str, file: "str | None" = None, line: "int | None" = None):
        super().__init__(text)
        self.file = file
        self.line = line


class ArgumentError(Error, ValueError):
    """An argument is out of its range."""

    code = "UCPO_E_ARGUMENT"


class WrongType(ArgumentError, TypeError):
    """An argument is of a kind that does not belong there: a text or 2.5 where a whole number is expected."""


class OutOfMemory(Error, MemoryError):
    """Memory ran out."""

    code = "UCPO_E_MEMORY"


class FileError(Error, OSError):
    """A file cannot be opened, read or written."""

    code = "UCPO_E_IO"

    def __str__(self) -> str:
        return str(self.args[0])


class FormatError(Error, ValueError):
    """A file's content is malformed."""

    code = "UCPO_E_FORMAT"


class UnsupportedError(Error, ValueError):
    """Well-formed, but it asks for something ucpo does not model."""

    code = "UCPO_E_UNSUPPORTED"


class MismatchError(Error, ValueError):
    """Two inputs do not belong together: a plan and an instance, a model and a problem."""

    code = "UCPO_E_MISMATCH"


class Cancelled(Error):
    """A callback asked to stop."""

    code = "UCPO_E_CANCELLED"


class Diverged(Error, ArithmeticError):
    """Training met a loss or gradient that is not finite."""

    code = "UCPO_E_DIVERGED"


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a long call. `result` holds what there was by then: a `Solution`, `Solutions` or a `Run`
    whose checkpoint is saved."""

    def __init__(self, text: str, result: object = None):
        super().__init__(text)
        self.result = result


class Notice(UserWarning):
    """What the library warns of: assumed speeds, columns without a meaning, ..."""


CLASSES = {kind.code: kind for kind in (ArgumentError, OutOfMemory, FileError, FormatError, UnsupportedError, MismatchError,
                                        Cancelled, Diverged)}
