"""Mutation testing: every small slip that somebody could make in the rules is made, and a test must notice it.

    python -m bench.mutants [MODULE ...] [--every N]

A mutant is a module of `rules/` with one slip in it: `<` for `<=`, a number that is off by one, a condition turned
around, a statement left out. It is killed when a test of that module fails. Who survives is printed by name, and is
either a gap in the tests or equivalent: no game can tell it from the original. Those are in EQUIVALENT, each with
its why. Exit status 1 when fewer than LEAST_KILLED percent of a module are killed, when a survivor is not in that
list, or when the list names one that is killed or gone.

Why our own: mutmut leaves out whatever is decorated, which is every property of a bidding, and every table that is
outside a function. cosmic-ray starts Python anew for each mutant, which takes three quarters of an hour, and counts
what it was told to leave out as killed. Here each mutant is a fork of one process that has everything loaded.
"""

from __future__ import annotations

import ast
import gc
import importlib
import os
import re
import resource
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings

HERE = Path(__file__).parents[1]
MODULES = ("scoring", "bidding", "plan")
LEAST_KILLED = 85
"""Percent of a module's mutants, those counted in that nobody can kill."""
LONGEST = 15
"""Seconds of a processor that a mutant may take; one that needs more never ends, and is noticed."""
ROOM = 2 << 30
"""Bytes that it may take."""

_NO_ZERO = "what is even was answered in the line before"
_AT_LIMIT = "both ways give the limit"
_NO_LEVEL = "no operator stands between the two levels"
_SAME_REFUSAL = (
    "what comes later is refused here with the words, and at the place, that it is refused with below"
)
EQUIVALENT = {
    "scoring.Scoring.__post_init__: [continue -> break]": "made_zero is the last of the slots",
    "scoring.Streak.bonuses: run, kind = (0, [True -> False])": "the first result makes a run of one either way",
    "scoring.Streak.bonuses: if cards [== -> <=] 1 and self.one_card != 'count':": "no hand has fewer cards",
    "scoring.Streak.bonuses: if cards == 1 and self.one_card [!= -> >] 'count':": "the two other words come later",
    "scoring.Streak.bonuses: run = 0 if self.one_card [== -> <=] 'reset' else run": "only skip is left",
    "scoring.Streak.bonuses: if run [== -> >=] self.length:": "a run that is long enough has paid and begun anew",
    "scoring._meaning: @lru_cache(maxsize=[1024 -> 1025])": "it is only how many are kept",
    "scoring._meaning: @lru_cache(maxsize=[1024 -> 1023])": "it is only how many are kept",
    "scoring.Scoring.formula: return Formula(self.made_zero if bid [== -> <=] 0 and self.made_zero else self.made)": (
        "no bid is below zero"
    ),
    "scoring._words: @lru_cache(maxsize=[1024 -> 1025])": "it is only how many are kept",
    "scoring._words: @lru_cache(maxsize=[1024 -> 1023])": "it is only how many are kept",
    "scoring._Reader.expression: while _LEVELS.get(self.ahead.text, -[1 -> 2]) >= least:": (
        "no level is below 0"
    ),
    "scoring._Reader.call: if name.text [== -> <=] 'abs' and len(parts) != 1:": (
        "abs is the first function of the alphabet"
    ),
    "scoring._Reader.call: if name.text == 'abs' and len(parts) [!= -> >] 1:": "every call has a value",
    "scoring._Reader.call: if name.text [!= -> >] 'abs' and len(parts) < 2:": (
        "abs is the first function of the alphabet"
    ),
    "scoring._Reader.joined: if operator.text [== -> >=] 'or':": "if, the only later word, is answered above",
    "scoring._Reader.joined: if operator.text [== -> >=] 'and':": (
        "if and or, the only later words, are answered above"
    ),
    "scoring._Reader.joined: if level [== -> <=] _COMPARISON and _LEVELS.get(self.ahead.": (
        "what binds less is answered above"
    ),
    "scoring._held: if -LIMIT [<= -> <] value <= LIMIT:": _AT_LIMIT,
    "scoring._held: if -LIMIT <= value [<= -> <] LIMIT:": _AT_LIMIT,
    "scoring._held: return LIMIT if value [> -> >=] 0 else -LIMIT": _AT_LIMIT,
    "scoring._held: return LIMIT if value > [0 -> 1] else -LIMIT": _AT_LIMIT,
    "scoring._held: return LIMIT if value > [0 -> -1] else -LIMIT": _AT_LIMIT,
    "scoring: _COMPARISON, _NOT, _MINUS = ([4 -> 3], 3, 7)": _NO_LEVEL,
    "scoring: _COMPARISON, _NOT, _MINUS = (4, [3 -> 4], 7)": _NO_LEVEL,
    "scoring: _COMPARISON, _NOT, _MINUS = (4, 3, [7 -> 8])": _NO_LEVEL,
    "scoring:  '-': 5, '*': 6, '//': 6, '%': 6, '**': [8 -> 9]}": _NO_LEVEL,
    "scoring:  '-': 5, '*': 6, '//': 6, '%': 6, '**': [8 -> 7]}": _NO_LEVEL,
    "scoring: ': max, 'abs': lambda values: abs(values[[0 -> [-1]])}": "abs has one value",
    "bidding.Bidding.balance: return Balance.OVER if self.difference [> -> >=] 0 else Balance.UNDER": _NO_ZERO,
    "bidding.Bidding.balance: eturn Balance.OVER if self.difference > [0 -> -1] else Balance.UNDER": _NO_ZERO,
    "bidding.Bidding.legal_bids: uple((bid for bid in range(self.cards + [1 -> 2]) if self.is_legal(seat, bid)))": (
        "more than the cards is not legal, whoever asks"
    ),
    "bidding.Bidding.refusal: if bid [== -> <=] 0 and seat in self.must_not_zero and ((": (
        "below zero was refused before"
    ),
    "plan: _LARGE = [1000 -> 1001]": "no hand comes near it",
    "plan: _LARGE = [1000 -> 999]": "no hand comes near it",
    "plan._SequenceReader.read: if self.at [== -> >=] len(self.tokens):": "nothing is read beyond the end",
    "plan._SequenceReader._term: if self._next [== -> >=] '..':": _SAME_REFUSAL,
    "plan._SequenceReader._term: if self._next [== -> >=] ':':": _SAME_REFUSAL,
    "plan._SequenceReader._term:  last, step, up=(first_at_large, first) [<= -> <] (last_at_large, last))": (
        "a run from a size to itself is one hand either way"
    ),
    "plan._SequenceReader._term: sizes = [first] * min(times, room + [1 -> 2])": (
        "one too many is refused as two are"
    ),
    "plan._SequenceReader._sum: sign = 1 if self._take(self._next) [== -> <=] '+' else -1": (
        "the only other sign is a minus, which comes later"
    ),
}
"""The mutants that no test can kill, as they are printed, each with why not."""

SLIPS: dict[type[ast.AST], tuple[type[ast.AST], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq, ast.LtE, ast.GtE),
    ast.NotEq: (ast.Eq, ast.Lt, ast.Gt),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add, ast.Mult),
    ast.Mult: (ast.Add, ast.FloorDiv),
    ast.FloorDiv: (ast.Mult, ast.Mod),
    ast.Mod: (ast.FloorDiv, ast.Mult),
    ast.Pow: (ast.Mult, ast.Add),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
    ast.Break: (ast.Continue,),
    ast.Continue: (ast.Break,),
}
"""What one writes by mistake for what."""
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True)
class Mutant:
    """A slip in a module: `field` of `parent`, at that place where it is a list, becomes `slip`."""

    module: str
    name: str
    line: int
    tree: ast.Module
    parent: ast.AST
    field: str
    at: int | None
    slip: ast.AST

    def is_killed(self) -> bool:
        """Whether a test of the module notices; to be asked in a process that nothing else is done in."""
        _put(self.parent, self.field, self.at, self.slip)
        module = ModuleType(f"rules.{self.module}")
        module.__file__ = str(HERE / "rules" / f"{self.module}.py")
        sys.modules[module.__name__] = module
        try:
            exec(compile(ast.fix_missing_locations(self.tree), module.__file__, "exec"), vars(module))
        except Exception:  # noqa: BLE001  # whatever it is, everybody would notice
            return True
        setattr(importlib.import_module("rules"), self.module, module)
        # Whether a test fails is all that matters: nothing is told of how.
        options = ["-q", "-x", "--tb=no", "--assert=plain", "--import-mode=importlib", "-c", os.devnull]
        options += ["-p", "no:cacheprovider", f"--rootdir={HERE}", f"--confcutdir={HERE}/tests/rules"]
        return pytest.main([*options, f"{HERE}/tests/rules/test_{self.module}.py"]) != pytest.ExitCode.OK


def mutants(module: str) -> list[Mutant]:
    """Every mutant of a module of the rules, in the order of its lines."""
    tree = _tree(module)

    def visit(node: ast.AST, where: str, part: ast.stmt) -> Iterator[Mutant]:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            where, part = f"{where}.{node.name}", node
        before = ast.unparse(part)
        for field, at, child in _children(node):
            for slip in _slips(node, field, child):
                _put(node, field, at, slip)
                name = f"{where}: {_difference(before, ast.unparse(part))}"
                _put(node, field, at, child)
                line = getattr(child, "lineno", getattr(node, "lineno", 0))
                yield Mutant(module, name, line, tree, node, field, at, slip)
            yield from visit(child, where, part)

    return [mutant for part in tree.body for mutant in visit(part, module, part)]


def untouched(module: str) -> Mutant:
    """The module as it is: where its tests fail, every mutant would seem to be killed."""
    tree = _tree(module)
    return Mutant(module, f"{module}, untouched", 1, tree, tree, "body", 0, tree.body[0])


def _tree(module: str) -> ast.Module:
    return ast.parse((HERE / "rules" / f"{module}.py").read_text(encoding="utf-8"))


def _put(parent: ast.AST, field: str, at: int | None, node: ast.AST) -> None:
    if at is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[at] = node


def _children(node: ast.AST) -> Iterator[tuple[str, int | None, ast.AST]]:
    """What a node is made of, where it means something when the module runs, with the place of each."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "ctx"):
            continue
        if isinstance(value, list):
            yield from ((field, at, each) for at, each in enumerate(value) if isinstance(each, ast.AST))
        elif isinstance(value, ast.AST):
            yield field, None, value


def _slips(parent: ast.AST, field: str, node: ast.AST) -> Iterator[ast.AST]:
    """What could stand in the place of a node by mistake."""
    yield from (slip() for slip in SLIPS.get(type(node), ()))
    if isinstance(node, ast.expr) and field in ("test", "ifs"):
        yield ast.UnaryOp(ast.Not(), node)
    match node:
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=inner):
            yield inner
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield from (ast.Constant(value + 1), ast.Constant(value - 1))
        case ast.Name(id=name) if name in NAMES:
            yield ast.Name(NAMES[name], ast.Load())
        case ast.Return(value=ast.expr() as value) if ast.unparse(value) != "None":
            yield ast.Return(ast.Constant(None))
        case ast.Assign() | ast.AugAssign() | ast.Raise() | ast.If() | ast.Expr(value=ast.Call()):
            if not isinstance(parent, ast.ClassDef):
                yield ast.Pass()


def _difference(before: str, after: str) -> str:
    """What differs between two texts, in whole words, with a little of its line on either side."""
    was, becomes = (re.findall(r"\w+|\s+|[^\w\s]+", text) for text in (before, after))
    start = _same(was, becomes)
    rest = _same(was[start:][::-1], becomes[start:][::-1])
    left = "".join(was[:start]).rpartition("\n")[2].lstrip()[-40:]
    right = "".join(was[len(was) - rest :]).partition("\n")[0][:40]
    slip = " -> ".join(" ".join("".join(each[start : len(each) - rest]).split()) for each in (was, becomes))
    return f"{left}[{slip}]{right}"


def _same(one: list[str], other: list[str]) -> int:
    """How many words two texts begin with alike."""
    return next(
        (at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]),
        min(len(one), len(other)),
    )


def survivors(tried: list[Mutant]) -> Iterator[Mutant]:
    """Try mutants, as many at once as there are processors, and give those that no test noticed as they are found."""
    waiting = list(reversed(tried))
    running: dict[int, Mutant] = {}
    while waiting or running:
        while waiting and len(running) < (os.cpu_count() or 1):
            mutant = waiting.pop()
            if child := os.fork():
                running[child] = mutant
            else:
                _quietly(mutant)
        child, status = os.wait()
        mutant = running.pop(child)
        if status == 0:
            yield mutant


def _quietly(mutant: Mutant) -> None:
    """In a process of its own, and never to return: status 0 says that it survived."""
    killed = True
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        # Of the processor's time, so that a busy computer kills none.
        resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST))
        resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))
        killed = mutant.is_killed()
    finally:
        os._exit(int(killed))


def main() -> bool:
    """Try the mutants that the command line names, print who survives; whether all is as it must be."""
    parser = ArgumentParser(prog="python -m bench.mutants")
    parser.add_argument("modules", nargs="*", default=MODULES, metavar="MODULE", help="of rules/")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="try every Nth only")
    asked = parser.parse_args()
    # Plugins cost time in each fork, and a mutant must fare alike in each run.
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    settings.register_profile("mutants", database=None, derandomize=True, deadline=None)
    settings.load_profile("mutants")
    gc.freeze()
    good = True
    for module in asked.modules:
        if not any(survivors([untouched(module)])):
            print(f"tests/rules/test_{module}.py fails without any slip")
            return False
        began = time.monotonic()
        tried = mutants(module)[:: asked.every]
        left = []
        for each in survivors(tried):
            left.append(each)
            if each.name not in EQUIVALENT:
                print(f"survived: rules/{module}.py:{each.line}: {each.name}", flush=True)
                good = False
        killed = 100 * (len(tried) - len(left)) / len(tried)
        equivalent = sum(each.name in EQUIVALENT for each in left)
        print(
            f"rules/{module}.py: {len(tried)} mutants, {len(tried) - len(left)} killed ({killed:.1f} %), {len(left)} "
            f"survived, {equivalent} of them equivalent; {time.monotonic() - began:.0f} s"
        )
        # Of a few, those that nobody can kill may be too many.
        if asked.every == 1:
            good &= killed >= LEAST_KILLED
            gone = {name for name in EQUIVALENT if name.startswith(f"{module}.")} - {
                each.name for each in left
            }
            for name in gone:
                print(f"  said to be equivalent, but killed or gone: {name}")
            good &= not gone
    return good


if __name__ == "__main__":
    sys.exit(not main())
