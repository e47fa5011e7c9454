"""HTML from templates, and what browsers run and show beside it.

What is put into a template is escaped, and nothing may be missing from it.
"""

import math
import re
from collections.abc import Iterable
from importlib import resources, util
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from ldp_auditor.errors import AuditError
from ldp_auditor.extras import missing, require_package
from ldp_auditor.figures.words import LONGEST, counted, odds_in_words, p_value_in_words, shown
from ldp_auditor.report.verdicts import confidence, number, proven_number

PLOTLY = ("a page with figures", "plotly")
"""What needs which package."""


def rendered(template: str, **values: Any) -> str:
    """Return the page that a template makes of some values."""
    return environment().get_template(template).render(values)


def environment() -> Environment:
    """The templates, and what they may use."""
    found = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {
        "shown": shown,
        "text": isolated,
        "parts": unbroken,
        "words": whole_words,
        "counted": counted,
        "grouped": "{:,}".format,
        "number": number,
        "proven": proven_number,
        "confidence": confidence,
        "p_value": p_value_in_words,
        "odds": odds_in_words,
        "exp": math.exp,
    }
    return found


def isolated(value: Any, most: int = LONGEST) -> Markup:
    """Text from elsewhere, isolated from the direction of what is around it."""
    return Markup("<bdi>{}</bdi>").format(shown(value, most))


def unbroken(value: Any, most: int = LONGEST) -> Markup:
    """Text from elsewhere in which no line ends within "k = 25" or "1e-5"."""
    # Plain text again: to join pieces of Markup would escape the spans below.
    kept = str(escape(shown(value, most).replace(" = ", "\u00a0=\u00a0")))
    return Markup("<bdi>{}</bdi>").format(
        Markup(re.sub(r"\d+(?:\.\d+)?e-\d+", r'<span class="part">\g<0></span>', kept))
    )


def whole_words(value: Any, most: int = LONGEST) -> Markup:
    """Text from elsewhere in which a line ends between words only, not behind a hyphen."""
    words = shown(value, most).split(" ")
    spans = (
        Markup('<span class="word">{}</span>').format(word)
        if "-" in word and len(word) <= LONG_WORD
        else word
        for word in words
    )
    return Markup("<bdi>{}</bdi>").format(Markup(" ").join(spans))


LONG_WORD = 30
"""Letters of a word that may be broken: no phone has room for more."""


def assets(names: Iterable[str]) -> str:
    """Return style sheets or scripts, one behind the other."""
    folder = resources.files(__package__)
    return "\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)


def plotting_library() -> tuple[str, str]:
    """Return the one file of the plotly package that browsers run, and its version.

    It is read where the package is installed, so that none of it is kept here, and without
    importing the package, which takes a second.
    """
    require_package(*PLOTLY)
    found = util.find_spec("plotly")
    folders = found.submodule_search_locations if found else None
    path = Path(next(iter(folders or ()), "plotly")) / "package_data" / "plotly.min.js"
    try:
        code = path.read_text(encoding="utf-8")
    except OSError as error:
        raise AuditError(f"{missing(*PLOTLY)} ({error})") from None
    version = re.search(r"plotly\.js v(\d+\.\d+\.\d+)", code[:2000])
    return code, version[1] if version else "unknown"
