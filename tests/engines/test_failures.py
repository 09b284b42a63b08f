"""Failures told apart, and the moment at which a limit ends: from what the engines keep of an error, and from nowhere else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from hermes_company.domain.failure import FailureKind
from hermes_company.engines import failures, transcripts
from hermes_company.engines.claude_code import ClaudeCode
from hermes_company.engines.codex import Codex
from hermes_company.engines.reset_time import reset_time
from hermes_company.folders.transcript_tail import TranscriptTail

AT = datetime(2026, 11, 30, 14, 51, 14, tzinfo=UTC)
PARIS = ZoneInfo("Europe/Paris")


def utc(*moment: int) -> datetime:
    return datetime(*moment, tzinfo=UTC)  # type: ignore[arg-type, misc]


@pytest.mark.parametrize(
    ("said", "moment"),
    [
        # Claude Code, as observed, and in its other forms.
        ("You've hit your limit · resets 3:51pm (UTC)", utc(2026, 11, 30, 15, 52)),
        ("You've hit your session limit · resets 7pm (Europe/Paris)", utc(2026, 11, 30, 18, 1)),
        ("You've hit your limit · resets 2am (Europe/Paris)", utc(2026, 12, 1, 1, 1)),
        ("You've hit your weekly limit · resets Dec 3, 3:52pm (UTC)", utc(2026, 12, 3, 15, 53)),
        ("You've hit your weekly limit · resets Dec 3 at 3pm (America/New_York)", utc(2026, 12, 3, 20, 1)),
        ("You've hit your weekly limit · resets Jan 2, 2027, 9am (UTC)", None),
        ("You've hit your weekly limit · resets Jan 1, 9am (UTC)", utc(2027, 1, 1, 9, 1)),
        ("5-hour limit reached ∙ resets 4pm", utc(2026, 11, 30, 15, 1)),
        ("Claude AI usage limit reached|1796054400", utc(2026, 11, 30, 16, 0)),
        # Codex, as observed, and in its other forms.
        ("You’ve hit your usage limit. Upgrade to Pro (https://x) or try again at 4:51 PM.", utc(2026, 11, 30, 15, 52)),
        ("You've hit your usage limit. Try again at Dec 3rd, 2026 4:51 PM.", utc(2026, 12, 3, 15, 52)),
        ("You've hit your usage limit. Try again in 1 day 2 hours 5 minutes.", utc(2026, 12, 1, 16, 57, 14)),
        ("You've hit your usage limit. Try again in 40 seconds.", utc(2026, 11, 30, 14, 52, 54)),
        # A minute that has just begun, noon and midnight.
        ("resets 2:51pm (UTC)", utc(2026, 11, 30, 14, 52)),
        ("resets 12am (UTC)", utc(2026, 12, 1, 0, 1)),
        ("resets 12:30pm (UTC)", utc(2026, 12, 1, 12, 31)),
        # None that could be meant.
        ("You've hit your usage limit. Try again later.", None),
        ("API Error: Request rejected (429) · Number of requests has exceeded your rate limit", None),
        ("resets 3pm (Nowhere/Atall)", None),
        ("resets 3pm (../../etc/passwd)", None),
        ("resets 3pm (Europe)", None),
        ("resets 3pm ()", None),
        ("resets 13:75pm (UTC)", None),
        ("resets Foo 3, 3pm (UTC)", None),
        ("resets Feb 30, 3pm (UTC)", None),
        ("limit reached|1000000000", None),
        ("try again in 99999999999999 days", None),
        ("", None),
    ],
)
def test_when_a_limit_ends(said: str, moment: datetime | None) -> None:
    """Each form names its moment, a minute later since seconds are not told; what names none, or nonsense, gives none."""
    assert reset_time(said, AT, PARIS) == moment


def test_a_narrow_space_is_a_space() -> None:
    """Newer date libraries put U+202F before PM."""
    assert reset_time("try again at 4:51\u202fPM.", AT, PARIS) == utc(2026, 11, 30, 15, 52)


@pytest.mark.parametrize(
    ("error", "said", "kind"),
    [
        ("rate_limit", "API Error: Request rejected (429)", FailureKind.LIMIT),
        ("authentication_failed", "Invalid API key · Fix external API key", FailureKind.LOGIN),
        ("authentication_failed", "Please run /login · API Error: 403 OAuth token", FailureKind.LOGIN),
        ("oauth_org_not_allowed", "Your organization", FailureKind.LOGIN),
        ("billing_error", "Credit balance is too low", FailureKind.BILLING),
        ("model_not_found", "There's an issue with the selected model (x).", FailureKind.MODEL),
        ("overloaded", "API is at capacity", FailureKind.OVERLOADED),
        ("server_error", "API Error: 529 Overloaded.", FailureKind.OVERLOADED),
        ("server_error", "API Error: 503 Service Unavailable.", FailureKind.OVERLOADED),
        ("server_error", "API Error: Unable to connect to API (ConnectionRefused)", FailureKind.NETWORK),
        ("invalid_request", "Prompt is too long", FailureKind.OTHER),
        ("max_output_tokens", "too long", FailureKind.OTHER),
        ("something_new", "?", FailureKind.OTHER),
    ],
)
def test_classes_of_claude_code(error: str, said: str, kind: FailureKind) -> None:
    """Its class decides, and for what it calls a server error, whether a server answered at all."""
    assert failures.claude(error, said, AT).kind is kind


@pytest.mark.parametrize(
    ("info", "said", "kind"),
    [
        ("usage_limit_exceeded", "You’ve hit your usage limit. Try again at 4:51 PM.", FailureKind.LIMIT),
        ({"response_too_many_failed_attempts": {"http_status_code": 429}}, "exceeded retry limit", FailureKind.LIMIT),
        ({"http_connection_failed": {"http_status_code": 401}}, "unexpected status 401", FailureKind.LOGIN),
        ({"http_connection_failed": {"http_status_code": 403}}, "unexpected status 403", FailureKind.LOGIN),
        ({"http_connection_failed": {"http_status_code": 404}}, "unexpected status 404", FailureKind.MODEL),
        ({"http_connection_failed": {"http_status_code": 402}}, "pay", FailureKind.BILLING),
        ({"http_connection_failed": {"http_status_code": 529}}, "unexpected status 529", FailureKind.OVERLOADED),
        ({"http_connection_failed": {"http_status_code": None}}, "error sending request", FailureKind.NETWORK),
        ({"response_stream_disconnected": {"http_status_code": None}}, "stream disconnected", FailureKind.NETWORK),
        ({"http_connection_failed": {"http_status_code": 418}}, "teapot", FailureKind.OTHER),
        ("server_overloaded", "busy", FailureKind.OVERLOADED),
        ("bad_request", "The 'x' model is not supported when using Codex with a ChatGPT account.", FailureKind.MODEL),
        ("bad_request", "Invalid input.", FailureKind.OTHER),
        ("context_window_exceeded", "too long", FailureKind.OTHER),
        (None, "None", FailureKind.OTHER),
    ],
)
def test_kinds_of_codex(info: object, said: str, kind: FailureKind) -> None:
    """Its kind and the HTTP status decide."""
    assert failures.codex(info, said, AT).kind is kind


def test_the_engines_words_are_kept_short_and_without_secrets() -> None:
    """What is shown to people and written into tickets holds no key and no more than a few lines."""
    key = "-".join(("sk", "ant", "api03", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4"))
    said = failures.claude("authentication_failed", f"bad key {key}\n" + "x " * 500, AT).said

    assert key not in said
    assert "\n" not in said
    assert len(said) <= 300


def of_claude(**fields: object) -> Mapping[str, object]:
    return {"event": "StopFailure", "at": AT.timestamp(), **fields}


def test_claude_code_reports_a_failure_with_its_sentence() -> None:
    """The hook's line has the class and the sentence; without a sentence the class has to do."""
    limit = ClaudeCode().read_signal(of_claude(error="rate_limit", said="resets 3:51pm (UTC)"))
    bare = ClaudeCode().read_signal(of_claude(error="rate_limit"))

    assert limit is not None
    assert limit.failure is not None
    assert (limit.failure.kind, limit.failure.until) == (FailureKind.LIMIT, utc(2026, 11, 30, 15, 52))
    assert bare is not None
    assert bare.failure is not None
    assert (bare.failure.said, bare.failure.until) == ("rate_limit", None)


def codex_line(kind: str, **payload: object) -> dict[str, object]:
    return {"timestamp": "2026-11-30T14:51:14.889Z", "type": kind, "payload": payload}


LIMIT = {"message": "You’ve hit your usage limit. Try again later.", "codex_error_info": "usage_limit_exceeded"}


@pytest.mark.parametrize(
    "line",
    [
        codex_line("event_msg", type="task_complete", error=None),
        codex_line("event_msg", type="agent_message", message=json.dumps(LIMIT)),
        codex_line("response_item", type="function_call_output", output=json.dumps({"type": "task_complete", "error": LIMIT})),
        codex_line("response_item", type="message", role="user", content=[{"text": json.dumps(LIMIT)}]),
        {"type": "event_msg", "payload": {"type": "task_complete", "error": LIMIT}},
        {"type": "event_msg", "payload": "task_complete"},
        {},
    ],
)
def test_quotations_are_no_failures_of_codex(line: Mapping[str, object]) -> None:
    """A prompt, a tool's output or an answer that quotes a limit, a turn without an error, a line without a time: nothing."""
    assert Codex().read_transcript(line) is None


@pytest.mark.parametrize(
    "line",
    [
        {"type": "user", "message": {"content": "Claude AI usage limit reached|1796054400"}},
        {"type": "assistant", "isApiErrorMessage": True, "message": {"model": "<synthetic>"}},
        {"type": "assistant", "message": "?"},
    ],
)
def test_what_is_no_answer_of_a_model(line: Mapping[str, object]) -> None:
    """Neither a tool's output nor what Claude Code writes in the model's place is an answer."""
    assert transcripts.claude({"timestamp": "2026-11-30T14:51:14.889Z", **line}) is None


def test_a_transcript_is_read_on(tmp_path: Path) -> None:
    """Only what was added is read, a torn line waits, and what is no file of its own is left alone."""
    path = tmp_path / "rollout.jsonl"
    tail, codex = TranscriptTail(str(path)), Codex()
    assert tail.told(codex) == []
    whole = json.dumps(codex_line("event_msg", type="task_complete", error=LIMIT))
    path.write_text(f"not json with task_complete\n{whole}\n{whole[:30]}")
    assert [signal.failure.kind for signal in tail.told(codex) if signal.failure] == [FailureKind.LIMIT]
    with path.open("a") as file:
        file.write(whole[30:] + "\n")
    assert len(tail.told(codex)) == 2

    link = tmp_path / "link.jsonl"
    link.symlink_to(path)
    assert TranscriptTail(str(link)).told(codex) == []
    assert TranscriptTail(str(tmp_path)).told(codex) == []
    assert tail.told(codex)[0].at == AT + timedelta(milliseconds=889)
