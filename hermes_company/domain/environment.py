"""What of the orchestrator's environment an agent's process gets: an allow-list, so that a parent session leaks nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

BASE = (
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_*",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "XDG_*",
    "SSH_AUTH_SOCK",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "all_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
)


def choose(environ: Mapping[str, str], names: Iterable[str], fixed: Mapping[str, str]) -> dict[str, str]:
    """The variables of `environ` named in BASE or `names` (`PREFIX_*` allowed), with `fixed` on top.

    A UTF-8 locale is put in where there is none: without it CJK text arrives garbled in the engines.
    """
    wanted = (*BASE, *names)
    exact = {name for name in wanted if not name.endswith("*")}
    prefixes = tuple(name[:-1] for name in wanted if name.endswith("*"))
    chosen = {k: v for k, v in environ.items() if k in exact or (prefixes and k.startswith(prefixes))}
    locale = chosen.get("LC_ALL") or chosen.get("LC_CTYPE") or chosen.get("LANG") or ""
    if "utf" not in locale.casefold():
        chosen.pop("LC_ALL", None)
        chosen["LC_CTYPE"] = "C.UTF-8"
        chosen.setdefault("LANG", "C.UTF-8")
    return {**chosen, **fixed}
