"""Templates in one language."""

import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache, lru_cache
from importlib.util import cache_from_source
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Final, cast

from jinja2 import BytecodeCache, Environment, PackageLoader, StrictUndefined, Template
from jinja2.bccache import Bucket
from jinja2.runtime import Context
from markupsafe import Markup, escape

from reports.names import short, shown
from reports.numbers import Numbers
from reports.paths import LeaguePaths, Tree, link, static
from reports.program import program
from reports.reasons import Reasons
from reports.rows import Rows
from reports.words import Words, bdi, listed, strong

LANGUAGE_NAMES: Final = {"en": "English", "ru": "Русский"}


class Compiled(BytecodeCache):
    """Compiled templates: every language runs the same code, and so does the next process.

    They are kept as Python keeps its own modules': beside the source, where that can be written, for this version of
    the program only.
    """

    def __init__(self, folder: Path) -> None:
        """Keep them in ``folder``, which need not be there."""
        self._folder = folder
        self._code: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """From this process, or from an earlier one."""
        code = self._code.get(bucket.key)
        if code is None:
            with suppress(OSError):
                code = self._file(bucket).read_bytes()
        if code is not None:
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """For this process, and for later ones if it can be."""
        code = self._code[bucket.key] = bucket.bytecode_to_string()
        if sys.dont_write_bytecode:
            return
        file = self._file(bucket)
        beside = file.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            for old in self._folder.glob(f"{bucket.key}-*"):
                old.unlink(missing_ok=True)
            beside.write_bytes(code)
            os.replace(beside, file)

    def _file(self, bucket: Bucket) -> Path:
        return self._folder / f"{bucket.key}-{program()[:16]}.jinja"


_COMPILED: Final = Compiled(Path(cache_from_source(str(Path(__file__).parent / "templates" / "any.py"))).parent)

_escaped: Final = lru_cache(maxsize=1 << 14)(lambda text: str(escape(text)))


def _put_out(value: object) -> str:
    """What markupsafe's ``escape`` gives, as plain text: five times as fast, millions of times in a long league."""
    kind = type(value)
    if kind is str:
        return _escaped(value)
    return str(value) if kind is Markup or kind is int or kind is float else str(escape(value))


class _Page(Template):
    """A template that puts out through ``_put_out``; all of Jinja's compiled code calls it by the name ``escape``."""

    @classmethod
    def from_code(
        cls,
        environment: Environment,
        code: CodeType,
        globals: Any,  # noqa: A002  Jinja calls it so
        uptodate: Any = None,
    ) -> Template:
        template = super().from_code(environment, code, globals, uptodate)
        names = cast(FunctionType, template.root_render_func).__globals__
        assert names["escape"] is escape, "Jinja escapes in another way"
        names["escape"] = _put_out
        return template


class _Context(Context):
    """Calls what a template calls, and no more: nothing here asks for the context that it is called in."""

    def call(
        self,
        called: Callable[..., Any],
        *args: Any,
        _loop_vars: object = None,
        _block_vars: object = None,
        **named: Any,
    ) -> Any:
        """What it returns. Jinja first looks for marks on what it calls, which takes longer than most of the calls."""
        return called(*args, **named)


class _Environment(Environment):
    template_class = _Page
    context_class = _Context


@cache
def _environment(lang: str) -> Environment:
    """Templates with the words and numbers of a language."""
    environment = _Environment(
        loader=PackageLoader("reports"),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        optimized=False,  # it would write one language's numbers into the code of both
        bytecode_cache=_COMPILED,
        auto_reload=False,
    )
    numbers, words, rows, reasons = Numbers(lang), Words(lang), Rows(lang), Reasons(lang)
    for name in ("fixed", "signed", "percent", "chance", "whole", "points", "chips", "time", "duration", "date"):
        environment.filters[name] = getattr(numbers, name)
    environment.filters.update(
        score_cells=rows.score, compared_cells=rows.compared, cross_cells=rows.cross, race_lines=rows.race,
        race_legend=rows.legend, opponent_rows=rows.opponents, played_rows=rows.played, bar_columns=rows.bars,
        bar_labels=rows.labels,
    )  # fmt: skip
    environment.filters.update(name=bdi, shown=shown, short=short, why=reasons.why)
    environment.globals.update(
        lang=lang,
        say=words.say,
        count=words.count,
        clause=words.clause,
        variant_title=words.title,
        strong=strong,
        listed=listed,
    )
    return environment


class Pages:
    """Renders the pages of one language's tree."""

    def __init__(self, tree: Tree, trees: tuple[Tree, ...]) -> None:
        """``trees`` are those of all languages, for the switch."""
        self.tree = tree
        self.words = Words(tree.lang)
        self._trees = trees

    def render(
        self, template: str, path: str, paths: LeaguePaths | None, *, here: str, data: Mapping[str, object]
    ) -> str:
        """The page at ``path``; ``here`` names its entry in the navigation."""
        inside = path.removeprefix(self.tree.top)
        page = _environment(self.tree.lang).get_template(template)
        return page.render(
            data,
            here=here,
            paths=paths,
            front=link(path, self.tree.front),
            to=lambda target: link(path, target),
            asset=lambda name: link(path, static(name)),
            languages=[(tree.lang, LANGUAGE_NAMES[tree.lang], link(path, tree.top + inside)) for tree in self._trees],
        )
