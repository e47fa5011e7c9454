"""HTML from templates: what is put into one is escaped, and nothing may be missing from it."""

from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ldp_auditor.page.markup import LONGEST, counted, shown


def rendered(template: str, package: str = __package__, **values: Any) -> str:
    """Return the page that a template of `package` makes of some values."""
    return environment(package).get_template(template).render(values)


def environment(package: str = __package__) -> Environment:
    """The templates of `package`, and those of this one, which its own may use."""
    packages = dict.fromkeys((package, __package__))
    found = Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in packages]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {
        "shown": shown,
        "text": isolated,
        "counted": counted,
        "grouped": "{:,}".format,
    }
    return found


def isolated(value: Any, most: int = LONGEST) -> Markup:
    """Text from elsewhere, isolated from the direction of what is around it."""
    return Markup("<bdi>{}</bdi>").format(shown(value, most))
