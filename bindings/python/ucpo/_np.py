"""numpy, imported when it is first used: `import ucpo` stays fast."""
from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["np"]

if TYPE_CHECKING:
    import numpy as np
else:

    class _Lazy:
        def __getattr__(self, name):
            import numpy

            self.__dict__.update(numpy.__dict__)  # from now on as fast as the module itself
            return getattr(numpy, name)

    np = _Lazy()
