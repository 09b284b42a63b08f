"""What people read: English in the code, Chinese beside it.

`say("{ticket} is gone", ticket="TASK-1")` keeps the sentence and its values apart, so that the same fact can be shown in
either language. The English sentence is the key; `zh/*.py` holds the Chinese one. A test holds every literal `say(...)` in
the package against the catalogue.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Lang = Literal["en", "zh"]
LANGS: tuple[Lang, ...] = ("en", "zh")


@dataclass(frozen=True, slots=True)
class Text:
    """One sentence for people: an English template with `{names}` and the values for them."""

    template: str
    values: Mapping[str, object] = field(default_factory=dict)

    def in_lang(self, lang: Lang) -> str:
        """The sentence in that language; English where the catalogue has no entry."""
        template = self.template if lang == "en" else _catalogue().get(self.template, self.template)
        shown = {name: value.in_lang(lang) if isinstance(value, Text) else value for name, value in self.values.items()}
        return template.format_map(shown)

    def to_json(self) -> dict[str, object]:
        """A JSON form that `Text.from_json` reads back."""
        values = {k: v.to_json() if isinstance(v, Text) else v for k, v in self.values.items()}
        return {"template": self.template, "values": values}

    @staticmethod
    def from_json(raw: object) -> Text:
        """The text that `to_json` wrote. A plain string is a text without values."""
        if not isinstance(raw, dict):
            return Text("{raw}", {"raw": str(raw)})
        values = raw.get("values") or {}
        return Text(
            str(raw.get("template", "")),
            {str(k): Text.from_json(v) if isinstance(v, dict) and "template" in v else v for k, v in values.items()},
        )

    def __str__(self) -> str:
        return self.in_lang("en")


def say(template: str, **values: object) -> Text:
    """A sentence for people. `template` is a literal English sentence with `{names}`; braces to be shown are doubled."""
    return Text(template, values)


_loaded: dict[str, str] = {}


def _catalogue() -> dict[str, str]:
    if not _loaded:
        from hermes_company.wording.zh import CATALOGUE

        _loaded.update(CATALOGUE)
    return _loaded
