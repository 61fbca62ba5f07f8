"""Pictures and pages that show themselves in notebooks."""
from __future__ import annotations

from ._lib import PathLike, call, lib, path_bytes


class _Text:
    def __init__(self, text: str):
        self.text = text

    def save(self, path: PathLike) -> None:
        """Writes the file; it appears complete or not at all."""
        data = self.text.encode()
        call(lib.ucpo_file_write, path_bytes(path), data, len(data))

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<ucpo.{type(self).__name__}, {len(self.text)} characters; .save(path) writes it>"


class Picture(_Text):
    """An SVG drawing. The last expression of a notebook cell shows it; `save` writes it; `str` is the SVG."""

    def _repr_svg_(self) -> str:
        return self.text


class Page(_Text):
    """A web page in one file that works offline. Shows itself in a notebook; `save` writes it."""

    def _repr_html_(self) -> str:
        import html

        return f'<iframe srcdoc="{html.escape(self.text)}" style="width:100%;height:640px;border:0"></iframe>'
