"""The examples of docstrings, the stubs, and the notebook."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import os
from pathlib import Path

import pytest

import fovea
from fovea import _engine

HERE = Path(fovea.__file__).parent
MODULES = ["fovea", "fovea._explanation", "fovea._model", "fovea._runs", "fovea.sklearn"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name: str, model: fovea.Model, folder: Path) -> None:
    if name == "fovea.sklearn":
        pytest.importorskip("sklearn")
    module = importlib.import_module(name)
    names = {"fovea": fovea, "model": model, "folder": folder}
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    found = doctest.testmod(module, extraglobs=names, optionflags=flags)
    assert found.failed == 0 and found.attempted > 0


def test_everything_public_says_what_it_is() -> None:
    for name in fovea.__all__:
        assert inspect.getdoc(getattr(fovea, name)), name


def test_the_stub_has_what_the_module_has() -> None:
    tree = ast.parse((HERE / "_engine.pyi").read_text())
    stubbed = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    assert stubbed == {name for name in dir(_engine) if not name.startswith("_")} - {"version"}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            methods = {part.name for part in node.body if isinstance(part, ast.FunctionDef)} - {"__init__"}
            real = {name for name in vars(getattr(_engine, node.name)) if not name.startswith("_")}
            assert methods == real, node.name
    assert (HERE / "py.typed").exists()


def test_the_notebook_runs(tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    file = Path(__file__).parents[2] / "examples" / "dates.ipynb"
    notebook = nbformat.read(file, as_version=4)
    for cell in notebook.cells:
        assert not cell.get("outputs"), "the notebook is kept without outputs"
    if not os.environ.get("FOVEA_SLOW"):  # a model that has hardly begun runs the same cells
        for cell in notebook.cells:
            cell.source = cell.source.replace('stop_after="2m"', 'stop_after="30u"').replace("20_000", "1_000")
    nbclient.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert not [output for output in outputs if output.output_type == "error"]
    assert any("<svg" in output.get("data", {}).get("text/html", "") for output in outputs)
    progress = "".join(output.text for output in outputs if output.output_type == "stream")
    assert "lines to train on" in progress and "\r" in progress
