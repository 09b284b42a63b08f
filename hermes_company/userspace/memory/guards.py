"""A tripwire for notes that try to give orders. No boundary: that is the person's approval, and the fence in the prompt."""

from __future__ import annotations

import re
from functools import cache

_RULES: tuple[tuple[str, str], ...] = (
    (
        "ignore_instructions",
        r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,30}\b(?:previous|prior|above|earlier|all|any|your|the|system|company|safety)\b"
        r".{0,20}\b(?:instructions?|rules?|prompts?|guidelines?|directives?|polic(?:y|ies)|constraints?)\b",
    ),
    (
        "new_role",
        r"\byou are (?:now|no longer)\b|\bfrom now on,? you\b|\bpretend (?:to be|you are)\b"
        r"|\bact as (?:root|admin|the system|an? unrestricted)\b",
    ),
    (
        "system_prompt",
        r"\b(?:reveal|print|show|repeat|leak|output)\b.{0,30}\bsystem prompt\b"
        r"|^\s*(?:system|developer)\s*(?:message|prompt)?\s*[:：]",
    ),
    ("chat_markup", r"<\|?/?\s*(?:im_start|im_end|system|assistant|developer|user)\s*\|?>|\[/?INST\]|<<SYS>>"),
    (
        "hide_from_person",
        r"\b(?:do not|don't|never)\b.{0,15}"
        r"\b(?:tell|inform|mention|report|show)\b.{0,25}\b(?:user|human|person|reviewer|owner|operator|boss)\b",
    ),
    (
        "exfiltrate",
        r"\b(?:send|post|upload|exfiltrate|email|forward|leak)\b.{0,60}"
        r"(?:\b(?:keys?|tokens?|secrets?|credentials?|passwords?|ssh)|\.env)\b.{0,60}(?:https?://|@)",
    ),
    (
        "pipe_to_shell",
        r"\b(?:curl|wget)\b[^\n|]{0,200}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b|\bbase64\s+(?:-d|--decode)\b[^\n|]{0,80}\|\s*(?:ba|z)?sh\b",
    ),
    (
        "always_approve",
        r"\b(?:always|automatically)\b.{0,20}\b(?:approve|accept|merge)\b.{0,30}\b(?:without|no)\b.{0,15}\b(?:review|asking|check)",
    ),
    (
        "ignore_instructions_zh",
        r"(?:忽略|无视|忘记|忘掉|不要遵守|不必遵守|跳过).{0,12}"
        r"(?:之前|此前|以上|上述|上面|前面|所有|全部|原有|系统|公司|安全|一切).{0,10}"
        r"(?:指令|指示|规则|要求|提示词?|约束|限制|规定|说明)",
    ),
    (
        "new_role_zh",
        r"(?:从现在(?:起|开始)|现在起|接下来)[,，]?你(?:就?是|必须|要|应该|将)|你现在是|假装你是|扮演(?:管理员|系统|root)",
    ),
    (
        "system_prompt_zh",
        r"(?:输出|打印|显示|泄露|复述|告诉我).{0,10}(?:系统提示词?|系统指令|初始指令)|^\s*(?:系统|开发者)(?:消息|提示|指令)?\s*[:：]",
    ),
    (
        "hide_from_person_zh",
        r"(?:不要|别|切勿|不得|禁止|不能).{0,6}(?:告诉|告知|通知|透露给|汇报给|提及|让).{0,10}"
        r"(?:用户|老板|人类|审核人?|负责人|管理员|任何人)",
    ),
    (
        "exfiltrate_zh",
        r"(?:把|将).{0,30}(?:密钥|密码|口令|令牌|凭证|私钥|token|\.env|环境变量).{0,20}(?:发送|发到|发给|上传|提交到|贴到|外传|传到|写到)",
    ),
    (
        "bypass_zh",
        r"(?:绕过|规避|关闭|禁用).{0,6}(?:审核|审查|安全检查|安全规则|权限检查|验收)"
        r"|(?:无需|不需要|跳过|免)(?:人工)?(?:审核|验收|批准|确认)(?:就|即可|直接)",
    ),
)
# Zero width, direction marks, tags: text that a reviewer cannot see. The joiner inside an emoji is let through.
_INVISIBLE = re.compile(
    "[\u00ad\u180e\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
    "|(?<![\u2600-\u27bf\ufe0f\U0001f000-\U0001faff])\u200d"
)


@cache
def _compiled() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """When the first text is looked at: what only loads this module doesn't wait for it."""
    return tuple((name, re.compile(pattern, re.IGNORECASE | re.MULTILINE)) for name, pattern in _RULES)


def suspicious(text: str) -> tuple[str, ...]:
    """The names of the rules that `text` trips, in a fixed order; empty for an ordinary note."""
    found = [name for name, pattern in _compiled() if pattern.search(text)]
    return (*found, "invisible_text") if _INVISIBLE.search(text) else tuple(found)
