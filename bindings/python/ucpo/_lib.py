"""The shared library: finding and loading it, calling it, its errors as exceptions."""
from __future__ import annotations

import ctypes as C
import os
import signal
import threading
import warnings
from typing import Any, Callable, Iterator, Optional, Sequence, Union

from . import _abi as abi
from ._errors import CLASSES, ArgumentError, Cancelled, Error, Interrupted, Notice
from ._values import checked, text
from ._version import VERSION

PathLike = Union[str, "os.PathLike[str]"]


def _find_library() -> str:
    own = os.environ.get("UCPO_LIBRARY")
    if own:
        return own
    import ucpo  # a package that is installed for editing has two folders

    for folder in ucpo.__path__:
        path = os.path.join(folder, "lib", "libucpo.so")
        if os.path.exists(path):
            return path
    raise ImportError(
        "ucpo/lib/libucpo.so is missing: install the package (pip install . in the repository), or name the "
        "library in $UCPO_LIBRARY"
    )


class Library:
    """The functions of include/ucpo.h. Their arguments take what their C types hold (`_values.checked`)."""

    def __init__(self, path: str):
        try:
            self.raw = C.CDLL(path)
        except OSError as error:
            raise ImportError(f"cannot load {path}: {error}") from None
        self.raw.ucpo_version.restype = C.c_char_p
        version = self.raw.ucpo_version().decode()
        if version != VERSION:
            raise ImportError(f"{path} is version {version}, the package {VERSION}")
        for name, (result, arguments) in abi.FUNCTIONS.items():
            function = getattr(self.raw, name)
            function.restype = result
            function.argtypes = [kind for _, kind in arguments]
            setattr(self, name, checked(function, arguments))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the library has no function '{name}'")


lib = Library(_find_library())
LIBRARY_PATH: str = lib.raw._name


def models_folder() -> Optional[str]:
    """Where the shipped models are: $UCPO_MODELS, beside the installed package, or the source tree's."""
    own = os.environ.get("UCPO_MODELS")
    if own:
        return own
    folder = os.path.dirname(os.path.abspath(LIBRARY_PATH))
    here = os.path.dirname(os.path.abspath(__file__))
    for start in (folder, here):
        for _ in range(6):  # lib/python3.11/site-packages/ucpo/lib and the like
            for inside in (("share", "ucpo", "models"), ("models",)):
                found = os.path.join(start, *inside)
                if inside[0] == "share" and os.path.isdir(found):
                    return found
                if inside[0] == "models" and os.path.exists(os.path.join(start, "include", "ucpo.h")):
                    return found if os.path.isdir(found) else None
            start = os.path.dirname(start)
    return None


# ---- errors ----


def failure(status: int, err: abi.ucpo_error) -> Error:
    buffer = C.create_string_buffer(900)
    text = lib.ucpo_error_message(C.byref(err), buffer, 900).decode(errors="replace")
    file = err.file.decode(errors="replace") or None
    name = lib.ucpo_status_name(status).decode()
    return CLASSES.get(name, Error)(text or name, file, err.line or None)


def call(function: Callable[..., int], *arguments: Any) -> None:
    """Calls a function whose last argument is the error; raises what it reports."""
    err = abi.ucpo_error()
    status = function(*arguments, C.byref(err))
    if status:
        raise failure(status, err)


def handle(function: Callable[..., int], *arguments: Any) -> int:
    """The same for functions whose argument before the error is where a handle goes."""
    out = C.c_void_p()
    call(function, *arguments, C.byref(out))
    assert out.value is not None
    return out.value


def taken_bytes(function: Callable[..., int], *arguments: Any) -> bytes:
    """The same for functions that return bytes to be freed."""
    data, size = C.c_void_p(), C.c_size_t()
    call(function, *arguments, C.byref(data), C.byref(size))
    try:
        return C.string_at(data.value, size.value) if data.value else b""
    finally:
        lib.ucpo_bytes_free(data)


def default(kind: Any) -> Any:
    """A struct of settings with the library's defaults."""
    config = kind()
    getattr(lib, kind.__name__ + "_init")(C.byref(config), C.sizeof(config))
    return config


# ---- small conversions ----


def path_bytes(path: PathLike) -> bytes:
    return os.fsencode(os.fspath(path))


def text_bytes(value: Optional[str]) -> Optional[bytes]:
    return None if value is None else str(value).encode()


def text_array(what: str, values: "Sequence[Any]") -> Any:
    """Texts as C takes a list of them."""
    return (C.c_char_p * len(values))(*[text(f"{what}[{i}]", value if isinstance(value, bytes) else text_bytes(value))
                                        for i, value in enumerate(values)])


def words(function: Callable[[int], Optional[bytes]]) -> Iterator[str]:
    """All answers of a function that ends with NULL."""
    index = 0
    while True:
        word = function(index)
        if word is None:
            return
        yield word.decode()
        index += 1


def one_of(what: str, value: str, known: "dict[str, int]") -> int:
    if not isinstance(value, str) or value not in known:
        raise ArgumentError(f"{what} is {value!r}, expected one of: {', '.join(known)}")
    return known[value]


class Handle:
    """Owns a C handle and frees it once."""

    _free: Callable[[int], None]

    def __init__(self, address: int):
        self._address: Optional[int] = address

    @property
    def address(self) -> int:
        if self._address is None:
            raise ValueError(f"this {type(self).__name__} was closed")
        return self._address

    def __del__(self) -> None:
        address = getattr(self, "_address", None)
        if address is not None:
            self._address = None
            type(self)._free(address)


# ---- callbacks ----


class Session:
    """One long call: hooks for the C side, Ctrl-C, exceptions raised by the user's callbacks.

    While the call runs in the main thread, Ctrl-C only sets a flag that the hooks read; `finish` then raises.
    An exception inside a callback would be lost in C: it is kept, the call is stopped, and it is raised again.
    """

    def __init__(self, progress: Optional[Callable[[int, int], Any]] = None):
        self.interrupted = False
        self.error: Optional[BaseException] = None
        self.asked = False  # the user's callback said stop
        self.notices: "list[str]" = []
        self._progress = progress
        self._previous: Any = None
        self.log = abi.ucpo_hooks._fields_[0][1](self._log)
        self.hooks = abi.ucpo_hooks(
            self.log, abi.ucpo_hooks._fields_[1][1](self._ask), None
        )

    def _log(self, _user: Any, level: int, text: bytes) -> None:
        if level >= abi.UCPO_LOG_WARNING:
            self.notices.append(text.decode(errors="replace"))

    def guard(self, function: Callable[..., Any], *arguments: Any) -> bool:
        """Runs a callback of the user: whether its result is true. Its exception, also of asking that, ends the call."""
        try:
            return bool(function(*arguments))
        except BaseException as error:  # noqa: BLE001  raised again by finish
            if self.error is None:
                self.error = error
            return True

    @property
    def stopped(self) -> bool:
        return self.interrupted or self.asked or self.error is not None

    def _ask(self, _user: Any, done: int, total: int) -> int:
        if self._progress is not None and not self.stopped:
            if self.guard(self._progress, done, total):
                self.asked = True
        return int(self.stopped)

    def _on_signal(self, _number: int, _frame: Any) -> None:
        self.interrupted = True

    def __enter__(self) -> "Session":
        if threading.current_thread() is threading.main_thread():
            if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
                self._previous = signal.signal(signal.SIGINT, self._on_signal)
        return self

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)
            self._previous = None
        for text in self.notices:
            warnings.warn(text, Notice, stacklevel=4)
        self.notices = []
        if kind is None or kind is Cancelled:
            self.raise_error()

    def raise_error(self, result: object = None) -> None:
        """Raises what a callback raised, or that Ctrl-C was pressed; once."""
        error, interrupted, self.error, self.interrupted = self.error, self.interrupted, None, False
        if error is not None:
            raise error from None
        if interrupted:
            raise Interrupted("interrupted", result) from None
