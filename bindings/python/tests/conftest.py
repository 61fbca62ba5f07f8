"""Tests run from the repository's root, against the library in $UCPO_LIBRARY (CTest sets it) or an installed package."""
import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def _root(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.fixture
def root():
    return ROOT


@pytest.fixture
def shared():
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("../shared is absent")
    return folder


def pytest_collection_modifyitems(items):
    """Under sanitizers (UCPO_TEST_SANITIZED) torch and other heavy things are left out."""
    if os.environ.get("UCPO_TEST_SANITIZED"):
        for item in items:
            if "heavy" in item.keywords:
                item.add_marker(pytest.mark.skip(reason="sanitized build"))


def pytest_configure(config):
    config.addinivalue_line("markers", "heavy: imports torch or takes long; left out under sanitizers")
