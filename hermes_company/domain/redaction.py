"""Taking secrets out of text before anything stores it: memories, logs, the panes that end up in tickets.

Known shapes of keys, and labels in English and Chinese that are followed by something that looks like a value. No entropy
guessing: on prose it cries wolf more often than it finds anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache


@dataclass(frozen=True, slots=True)
class Redacted:
    """Text without the secrets that were found, how many there were, and by which rules (sorted, no values)."""

    text: str
    count: int
    rules: tuple[str, ...]


# Rule, what every key of it holds (one of these words, by `|`), the key itself.
# Keys that a machine made: long enough that eight hex digits of their hash give nothing away, and tell two keys apart.
_KEYS: tuple[tuple[str, str, str], ...] = (
    (
        "private_key",
        "PRIVATE KEY",
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\Z)",
    ),
    ("age_key", "AGE-SECRET-KEY-1", r"\bAGE-SECRET-KEY-1[0-9A-Z]{40,}"),
    ("aws_key", "AKIA|ASIA", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("aliyun_key", "LTAI", r"\bLTAI[0-9A-Za-z]{12,30}\b"),
    ("tencent_key", "AKID", r"\bAKID[0-9A-Za-z]{13,40}\b"),
    ("volcengine_key", "AKLT", r"\bAKLT[0-9A-Za-z_-]{20,}"),
    ("google_key", "AIza", r"\bAIza[0-9A-Za-z_-]{35}"),
    ("google_oauth", "GOCSPX-|ya29.", r"\b(?:GOCSPX-[0-9A-Za-z_-]{20,}|ya29\.[0-9A-Za-z_-]{20,})"),
    ("azure_key", "AccountKey=", r"(?<=AccountKey=)[0-9A-Za-z+/]{40,}={0,2}"),
    ("anthropic_key", "sk-ant-", r"\bsk-ant-[0-9A-Za-z_-]{20,}"),
    ("openai_key", "sk-", r"\bsk-(?:proj-|svcacct-|admin-|or-v1-)?[0-9A-Za-z_-]{20,}"),
    (
        "github_token",
        "ghp_|gho_|ghu_|ghs_|ghr_|github_pat_",
        r"\b(?:gh[pousr]_[0-9A-Za-z]{36,255}|github_pat_[0-9A-Za-z_]{50,})\b",
    ),
    ("gitlab_token", "glpat-|glrt-|gldt-|glptt-|glcbt-", r"\bgl(?:pat|rt|dt|ptt|cbt)-[0-9A-Za-z_-]{20,}"),
    ("gitee_token", "gitee.com/", r"(?<=gitee\.com/api/v5\?access_token=)[0-9a-f]{32}\b"),
    ("npm_token", "npm_", r"\bnpm_[0-9A-Za-z]{36}\b"),
    ("pypi_token", "pypi-", r"\bpypi-[0-9A-Za-z_-]{50,}"),
    ("huggingface_token", "hf_", r"\bhf_[0-9A-Za-z]{30,}\b"),
    ("slack_token", "xox|xapp-", r"\b(?:xox[abeoprs]-[0-9A-Za-z-]{10,}|xapp-\d-[0-9A-Za-z-]{10,})"),
    ("slack_webhook", "hooks.slack.com/", r"(?<=hooks\.slack\.com/services/)T[0-9A-Z]+/B[0-9A-Z]+/[0-9A-Za-z]{20,}"),
    ("discord_webhook", "/api/webhooks/", r"(?<=/api/webhooks/)\d{17,20}/[0-9A-Za-z_-]{60,}"),
    ("dingtalk_webhook", "robot/send?", r"(?<=robot/send\?access_token=)[0-9a-f]{40,64}\b"),
    ("feishu_webhook", "/open-apis/", r"(?<=/open-apis/bot/v2/hook/)[0-9a-f]{8}-[0-9a-f-]{27}"),
    ("wecom_webhook", "webhook/send?", r"(?<=webhook/send\?key=)[0-9a-f]{8}-[0-9a-f-]{27}"),
    ("telegram_token", ":", r"\b\d{8,10}:[0-9A-Za-z_-]{35}\b"),
    ("stripe_key", "k_live_|k_test_|whsec_", r"\b(?:[sr]k_(?:live|test)_[0-9A-Za-z]{16,}|whsec_[0-9A-Za-z+/=]{24,})"),
    ("sendgrid_key", "SG.", r"\bSG\.[0-9A-Za-z_-]{16,}\.[0-9A-Za-z_-]{16,}"),
    ("twilio_key", "SK", r"\bSK[0-9a-f]{32}\b"),
    ("mailgun_key", "key-", r"\bkey-[0-9a-f]{32}\b"),
    ("shopify_token", "shp", r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b"),
    ("digitalocean_token", "_v1_", r"\bdo[opr]_v1_[0-9a-f]{64}\b"),
    ("databricks_token", "dapi", r"\bdapi[0-9a-f]{32}\b"),
    ("supabase_token", "sbp_", r"\bsbp_[0-9a-f]{40}\b"),
    ("linear_token", "lin_api_", r"\blin_api_[0-9A-Za-z]{32,}\b"),
    ("notion_token", "ntn_|secret_", r"\b(?:ntn_[0-9A-Za-z]{40,}|secret_[0-9A-Za-z]{43})\b"),
    ("figma_token", "figd_", r"\bfigd_[0-9A-Za-z_-]{30,}"),
    ("postman_key", "PMAK-", r"\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}\b"),
    ("jwt", "eyJ", r"\beyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}"),
)

# What may stand where a password could: a variable, a placeholder, an algorithm's name, our own mark.
_PLACEHOLDER = r"""^(?: \$\{.* | \$\(.* | \$[A-Za-z_]+ | %\w+% | <.* | \[.* | \{.* | [xX*•.…_-]{3,}.*
        | (?:your|my|the|some|example|sample|dummy|fake|test|placeholder|change_?me|replace|redacted|hidden
           |secret|password|token)(?:[-_.\ ].*)?
        | (?:none|null|nil|undefined|true|false|yes|no|empty|required|optional|string|str|int|bool|env)\b.*
        | (?:process\.env|os\.environ|os\.getenv|getenv|env|config|settings|self|this|secrets|vault|import\.meta)[.\[(].*
        | .*(?:\(\)|\(.*\)|\[['"].*)
        | (?:sha|md|aes|rsa|hmac|jwt|bcrypt|argon|scrypt|pbkdf|ed|base|oauth|utf|http|tls|ssl|ecdsa|v)-?\d{0,5}
          (?:[-_./][A-Za-z0-9]{1,8})*
        | (?:~|\.{1,2})?/.* | https?://.*
    )$"""
_VALUE_END = r"""\s"'`<>，。；、（）「」“”,;|)"""
_LABEL_EN = (
    r"(?:pass(?:word|wd|phrase|code)?|pwd|secret(?:[_-]?(?:access[_-]?)?key)?|client[_-]?secret|(?:access|auth|refresh|api|bot|id|session)?"
    r"[_-]?token|(?:api|access|private|secret|encryption|signing|account|app)[_-]?key|app[_-]?secret|credentials?|sk|ak)"
)
_LABEL_ZH = r"(?:密码|口令|密钥|秘钥|令牌|私钥|授权码|访问码|提取码|验证码|凭证|凭据|通行证|暗号)"
_MARK = r"\[REDACTED:[^\]\s]*\]"


def _value(pattern: str, flags: re.RegexFlag = re.NOFLAG) -> tuple[str, re.RegexFlag]:
    """Our own marks read like labels (`npm_token:…`), so they are matched first, without a value, and left alone."""
    return f"{_MARK}|{pattern}", flags


_LABELLED: tuple[tuple[str, tuple[str, re.RegexFlag]], ...] = (
    ("url_password", _value(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@'\"]{0,64}:(?P<value>[^\s/@'\"]{3,})@", re.IGNORECASE)),
    (
        "authorization",
        _value(r"\b(?:Bearer|Basic|Token|ApiKey)[ \t]+(?P<value>[0-9A-Za-z._~+/-]{16,}={0,2})", re.IGNORECASE),
    ),
    (
        "password_option",
        _value(
            rf"(?<!\S)--?(?:password|passwd|pass|pwd|token|secret|api-key)(?:=|[ \t]+)['\"]?(?P<value>[^{_VALUE_END}]{{4,}})"
        ),
    ),
    ("password_assignment", _value(rf"(?i:pass(?:word|wd|phrase)?|pwd)=['\"]?(?P<value>[^{_VALUE_END}&]{{6,}})")),
    (
        "labelled_secret",
        _value(
            rf"(?<![A-Za-z])(?:[A-Za-z0-9]+[_.-])*{_LABEL_EN}(?![A-Za-z])[ \t]*['\"`*]{{0,3}}[ \t]*"
            rf"(?:=>|:=|=|:|：| is | was )[ \t]*['\"`*]{{0,3}}(?P<value>[^{_VALUE_END}]{{6,}})",
            re.IGNORECASE,
        ),
    ),
    (
        "labelled_secret_zh",
        _value(
            rf"{_LABEL_ZH}[ \t]*['\"`*”」]{{0,3}}[ \t]*(?:[:：=]|是|为|就是|改成|改为|设成|设为|设置为|用的是|[（(「“])[ \t]*"
            rf"['\"`*“「]{{0,3}}(?P<value>[!-~]{{4,}}?)(?=[{_VALUE_END}]|[^!-~]|$)"
        ),
    ),
)


# Where the syntax alone says that a password stands there.
_SURE = frozenset({"url_password", "password_option", "password_assignment"})


# Compiled when the first text is looked at: what only loads this module doesn't wait for it.
@lru_cache(maxsize=64)
def _any_of(rules: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<{name}>{pattern})" for name, _, pattern in _KEYS if name in rules))


def _possible(text: str) -> tuple[str, ...]:
    """The rules of keys that the text can hold at all: looking for a word is a hundred times quicker than for a pattern."""
    return tuple(name for name, hints, _ in _KEYS if any(hint in text for hint in hints.split("|")))


@cache
def _labelled() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((name, re.compile(pattern, flags)) for name, (pattern, flags) in _LABELLED)


@cache
def _placeholder() -> re.Pattern[str]:
    return re.compile(_PLACEHOLDER, re.IGNORECASE | re.VERBOSE)


def redact(text: str) -> Redacted:
    """`text` with every secret that we know the look of replaced by `[REDACTED:<rule>]`; doing it twice changes nothing."""
    import hashlib

    found: list[str] = []

    def key(match: re.Match[str]) -> str:
        rule = str(match.lastgroup)
        found.append(rule)
        return f"[REDACTED:{rule}:{hashlib.sha256(match.group().encode()).hexdigest()[:8]}]"

    possible = _possible(text)
    if possible:
        text = _any_of(possible).sub(key, text)
    for rule, pattern in _labelled():
        text = _redact_values(rule, pattern, text, found)
    return Redacted(text, len(found), tuple(sorted(set(found))))


def _redact_values(rule: str, pattern: re.Pattern[str], text: str, found: list[str]) -> str:
    def value(match: re.Match[str]) -> str:
        if match.group("value") is None or not _looks_secret(match.group("value"), sure=rule in _SURE):
            return match.group()
        found.append(rule)
        start, end = match.start("value") - match.start(), match.end("value") - match.start()
        whole = match.group()
        # No hash here: eight hex digits would let anyone confirm a guessed password.
        return f"{whole[:start]}[REDACTED:{rule}]{whole[end:]}"

    return pattern.sub(value, text)


def _looks_secret(value: str, *, sure: bool) -> bool:
    """Whether it could be a password. Words without a digit are prose, unless the syntax leaves no other reading."""
    bare = value.rstrip(".,:!?*`")
    if _placeholder().match(bare) or "REDACTED:" in bare or not bare.isascii():
        return False
    if sure:
        return True
    if bare.isdigit():
        return len(bare) >= 6
    return any(c.isdigit() for c in bare)
