"""Change the verdict logic in one place at a time, and list the changes that no test notices.

    python tools/mutation_run.py                  # all modules of MODULES: `make nightly`, `make mutants`
    python tools/mutation_run.py evidence         # one of them

A mutant is one small change: a comparison, an operator, a condition, a threshold (larger and smaller). The tests are
collected once; each mutant gets a process of its own, into which its functions and constants are put, and is killed
where a test fails. A run fails where more than a tenth of the mutants of a module survive. A mutant that cannot be
noticed is listed in EQUIVALENT with its reason.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import resource
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from inspect import isclass, isfunction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(Path(__file__).resolve().parent))
from mutation_equivalents import EQUIVALENT  # noqa: E402

MODULES = {
    "evidence": ("vmevalkit.tasks.evidence", ("tests/tasks/test_evidence.py", "tests/tasks/test_motion_limits.py")),
    "verdict": ("vmevalkit.eval.verdict", ("tests/eval/test_verdict.py", "tests/eval/test_verdict_limits.py")),
}
"""By a short name: a module, and the tests that hold it."""
MAX_ALIVE = 0.1
"""Largest share of mutants that may survive."""
CPU_S = 20
"""Processor time after which a mutant counts as killed: it does not end."""
LARGER, SMALLER = 1.5, 0.6
"""Factors of a number."""
ROUNDING = 1e-5
"""Smaller numbers are slack for rounding: no test tells them from others. Nor are the digits of ``round`` changed."""

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE), ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,), ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}  # fmt: skip
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
}  # fmt: skip
_FUNCTIONS = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One small change of a module."""

    function: str
    """The function, class or constant that is changed."""
    line: int
    change: str
    """The changed expression before and after."""
    tree: ast.Module

    @property
    def key(self) -> str:
        """What the mutant is called in EQUIVALENT: it does not depend on line numbers."""
        return f"{self.function}: {self.change}"


def list_mutants(source: str) -> list[Mutant]:
    """Return every mutant of a module's source."""
    tree = ast.parse(source)
    mutants = []
    for statement in tree.body:
        for node in _walk_code(statement):
            for changed in _change(node):
                mutant = _replace(tree, node, changed)
                change = f"{ast.unparse(node)} -> {ast.unparse(changed)}"
                mutants.append(Mutant(_name(statement), getattr(node, "lineno", 0), change, mutant))
    return mutants


def _walk_code(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the expressions of a statement, without annotations and without messages."""
    if isinstance(node, (ast.JoinedStr, ast.Import, ast.ImportFrom)):
        return
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "round":
            value = node.args[:1] if name == "args" else []
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _walk_code(child)


def _name(statement: ast.stmt) -> str:
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return statement.name
    return ast.unparse(statement).partition(" = ")[0]


def _change(node: ast.AST) -> Iterator[ast.expr]:
    """Yield each small change of an expression."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for other in _COMPARISONS[type(node.ops[0])]:
            yield ast.Compare(node.left, [other()], node.comparators)
    elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        yield ast.BinOp(node.left, _OPERATORS[type(node.op)](), node.right)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        for place in range(len(node.values)):
            rest = [value for other, value in enumerate(node.values) if other != place]
            yield rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(node.test, node.orelse, node.body)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS:
        yield ast.Call(ast.Name(_FUNCTIONS[node.func.id], ast.Load()), node.args, node.keywords)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield ast.Constant(node.value + 1)
    elif isinstance(node, ast.Constant) and isinstance(node.value, float) and node.value > ROUNDING:
        yield ast.Constant(node.value * LARGER)
        yield ast.Constant(node.value * SMALLER)


def _replace(tree: ast.Module, node: ast.AST, changed: ast.expr) -> ast.Module:
    """Return a copy of the tree with one node changed."""
    memo: dict[int, Any] = {id(node): ast.copy_location(changed, node)}
    return ast.fix_missing_locations(copy.deepcopy(tree, memo))


def apply_mutant(module: ModuleType, mutant: Mutant) -> None:
    """Put the code and the constants of a mutant into the module. Functions stay the objects that others imported."""
    namespace = {"__name__": module.__name__, "__file__": module.__file__}
    sys.modules[module.__name__] = module
    exec(compile(mutant.tree, str(module.__file__), "exec", dont_inherit=True), namespace)
    for name, new in namespace.items():
        old = getattr(module, name, None)
        if isfunction(new) and isfunction(old) and new.__module__ == module.__name__:
            _transplant(old, new)
        elif isclass(new) and isclass(old) and new.__module__ == module.__name__:
            for method, code in vars(new).items():
                if isfunction(code) and isfunction(vars(old).get(method)):
                    _transplant(vars(old)[method], code)
        elif not name.startswith("__") and isinstance(new, (int, float, tuple)):
            setattr(module, name, new)


def _transplant(old: Any, new: Any) -> None:
    if old.__code__.co_freevars == new.__code__.co_freevars:
        old.__code__ = new.__code__
    old.__defaults__, old.__kwdefaults__ = new.__defaults__, new.__kwdefaults__


class MutationRun:
    """A plugin of pytest that runs the collected tests once for each mutant, until the first test fails."""

    def __init__(self, module: ModuleType, mutants: Sequence[Mutant], say: Callable[[str], None]) -> None:
        self.module, self.mutants, self._say = module, mutants, say
        self.alive: list[Mutant] = []
        self.is_sound = True
        """Whether the tests pass without a mutant."""
        self._has_failed = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the tests of each mutant in a process of its own."""
        if session.testsfailed or not session.items or not self._survives(session.items, None):
            self.is_sound = False
            return True
        for mutant in self.mutants:
            if self._survives(session.items, mutant):
                self.alive.append(mutant)
                self._say(f"alive  line {mutant.line}  {mutant.key}")
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember a failure."""
        self._has_failed = self._has_failed or report.failed

    def _survives(self, items: Sequence[pytest.Item], mutant: Mutant | None) -> bool:
        sys.stdout.flush()
        child = os.fork()
        if not child:
            code = 1
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            try:
                code = int(self._fails(items, mutant))
            finally:
                os._exit(code)
        return os.waitpid(child, 0)[1] == 0

    def _fails(self, items: Sequence[pytest.Item], mutant: Mutant | None) -> bool:
        used = resource.getrusage(resource.RUSAGE_SELF)
        resource.setrlimit(resource.RLIMIT_CPU, (round(used.ru_utime + used.ru_stime) + CPU_S, resource.RLIM_INFINITY))
        if mutant is not None:
            apply_mutant(self.module, mutant)
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self._has_failed:
                return True
        return False


def run_module(name: str, say: Callable[[str], None]) -> bool:
    """Run all mutants of a module. Returns whether few enough survive."""
    module_name, tests = MODULES[name]
    module = import_module(module_name)
    mutants = list_mutants(Path(str(module.__file__)).read_text("utf-8"))
    reasons = EQUIVALENT.get(name, {})
    unknown = set(reasons) - {mutant.key for mutant in mutants}
    run = MutationRun(module, [mutant for mutant in mutants if mutant.key not in reasons], say)
    pytest.main(
        [
            "-p",
            "no:terminal",
            "--noconftest",
            "-o",
            "addopts=",
            "-p",
            "no:cacheprovider",
            *(str(ROOT / test) for test in tests),
        ],
        [run],
    )
    for key in sorted(unknown):
        say(f"EQUIVALENT has {key!r}, which is not a mutant of {name}.py any more")
    listed = len(mutants) - len(run.mutants)
    share = len(run.alive) / max(1, len(run.mutants))
    say(f"{name}: {len(run.alive)} of {len(run.mutants)} mutants survive ({share:.1%}), {listed} are equivalent")
    if not run.is_sound:
        say(f"{name}: the tests fail without any mutant")
    return run.is_sound and not unknown and share <= MAX_ALIVE


def main() -> None:
    """Run the mutants of the chosen modules."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", choices=[*MODULES, []], help=f"of {', '.join(MODULES)}; by default all")
    chosen = parser.parse_args().modules or list(MODULES)
    results = [run_module(name, partial(print, flush=True)) for name in chosen]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
