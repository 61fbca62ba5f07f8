#!/bin/sh
# Prints a python that has PyPI's PyTorch, today's peer: TORCH_PYTHON, or a virtual environment
# under build/torchenv that is made at the first call (200 MB to fetch). Prints nothing, and why to standard
# error, if there is none.
set -u
cd "$(dirname "$0")/.." || exit 1
python=${TORCH_PYTHON:-build/torchenv/bin/python}
if "$python" -c 'import torch, numpy' 2>/dev/null; then
    echo "$python"
    exit 0
fi
if [ -n "${TORCH_PYTHON:-}" ]; then
    echo "TORCH_PYTHON=$TORCH_PYTHON has no PyTorch" >&2
    exit 0
fi
echo "making build/torchenv with PyPI's PyTorch" >&2
if python3 -m venv build/torchenv >/dev/null 2>&1 &&
    build/torchenv/bin/pip install -q torch numpy >/dev/null 2>&1 &&
    "$python" -c 'import torch, numpy' 2>/dev/null; then
    echo "$python"
    exit 0
fi
rm -rf build/torchenv
if /usr/bin/python3 -c 'import torch, numpy' 2>/dev/null; then
    echo "could not make it (no network?): the peer is the system's PyTorch, which may be older and slower" >&2
    echo /usr/bin/python3
else
    echo "could not make it (no network?), and the system has no PyTorch: no peer" >&2
fi
