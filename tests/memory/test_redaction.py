"""Secrets go, prose stays."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_company.domain.redaction import redact

ALNUM = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5Z6"
HEX = "0123456789abcdef" * 6
# Put together here, so that no scanner takes this file for a leak: rule → secret.
KEYS = {
    "aws_key": "AKIA" + "IOSFODNN7EXAMPL3",
    "aliyun_key": "LTAI" + ALNUM[:20],
    "tencent_key": "AKID" + ALNUM[:32],
    "volcengine_key": "AKLT" + ALNUM[:40],
    "google_key": "AIza" + ALNUM[:35],
    "google_oauth": "GOCSPX-" + ALNUM[:28],
    "anthropic_key": "sk-ant-api03-" + ALNUM,
    "openai_key": "sk-proj-" + ALNUM[:40],
    "github_token": "ghp_" + ALNUM[:36],
    "gitlab_token": "glpat-" + ALNUM[:20],
    "npm_token": "npm_" + ALNUM[:36],
    "pypi_token": "pypi-" + ALNUM + ALNUM,
    "huggingface_token": "hf_" + ALNUM[:34],
    "slack_token": "xoxb-" + "123456789012-" + ALNUM[:24],
    "stripe_key": "sk_live_" + ALNUM[:24],
    "sendgrid_key": "SG." + ALNUM[:22] + "." + ALNUM[:43],
    "twilio_key": "SK" + HEX[:32],
    "mailgun_key": "key-" + HEX[:32],
    "shopify_token": "shpat_" + HEX[:32],
    "digitalocean_token": "dop_v1_" + HEX[:64],
    "databricks_token": "dapi" + HEX[:32],
    "supabase_token": "sbp_" + HEX[:40],
    "linear_token": "lin_api_" + ALNUM[:40],
    "figma_token": "figd_" + ALNUM[:40],
    "telegram_token": "1234567890:" + ALNUM[:35],
    "jwt": "eyJ" + ALNUM[:20] + ".eyJ" + ALNUM[:30] + "." + ALNUM[:40],
    "age_key": "AGE-SECRET-KEY-1" + "Q2W3E4R5T6" * 5,
    "private_key": "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIE" + ALNUM + "\n-----END RSA " + "PRIVATE KEY-----",
    "dingtalk_webhook": HEX[:64],
    "feishu_webhook": "01234567-89ab-cdef-0123-456789abcdef",
    "wecom_webhook": "11234567-89ab-cdef-0123-456789abcdef",
    "azure_key": ALNUM + ALNUM[:36] + "==",
}
AROUND = {
    "dingtalk_webhook": "https://oapi.dingtalk.com/robot/send?access_token={}",
    "feishu_webhook": "https://open.feishu.cn/open-apis/bot/v2/hook/{}",
    "wecom_webhook": "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key={}",
    "azure_key": "AccountName=x;AccountKey={};EndpointSuffix=core.windows.net",
}
SENTENCES = ["{}", "旧密钥 {} 已经失效", "the key was {}, rotate it", "`{}`", "KEY={}\n", "（{}）"]

LABELLED = [
    "密码是 Xk29sLq8",
    "数据库密码：Abc!2345，请勿外传",
    "后台口令: qwer@1234",
    "令牌为 8f7d6a5b4c3e",
    "管理员密码改成 Pass2026word 了",
    "访问密钥「k3y-9z8y7x」已写入",
    "提取码：8x2k",
    "验证码 是 839201",
    "password: Tr0ub4dor&3",
    "DB_PASSWORD=correct-horse",
    "the password is hunter2x",
    'api_key = "9f8e7d6c5b4a"',
    "client_secret: 'q1w2e3r4t5'",
    "export SECRET_KEY=zx81cv92bn",
    "mysql -u root --password=Xy12ab",
    "redis-cli -h x --pass s3cr3tpw",
    "postgres://bob:s3cr3tpw@db.internal:5432/app",
    "https://deploy:hunterxx@git.example.com/repo.git",
    "Authorization: Bearer abcdef1234567890ABCDEF",
    "auth-token：9a8b7c6d5e",
    "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYz123",
]

PROSE = [
    "密码长度至少八位，且包含数字",
    "密码：至少 8 位",
    "令牌过期后要刷新",
    "令牌: JWT",
    "密钥：HMAC-SHA256",
    "密码使用 bcrypt 加密",
    "密码是必填项",
    "登录页的密码框没有校验",
    "密钥放在 ${SECRET_KEY} 里",
    "口令为空时报 400",
    "验证码存在 Redis，键为 sms:code:手机号",
    "password: required",
    "password = os.environ['DB_PASSWORD']",
    "password=${DB_PASSWORD}",
    "password: <your-password>",
    "api_key: your_api_key_here",
    "token: expired after 30 minutes",
    "secret = get_secret('db')",
    "token = response.json()['token']",
    "The token is refreshed every hour",
    "passwords must match",
    "postgres://bob:${PASS}@db/app",
    "https://user:password@example.com",
    "Bearer token in the header",
    "commit 44c9b2d6e8895a1f0b3c7d8e9f0a1b2c3d4e5f60",
    "sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "session 5b0a7c1e-7f7d-4a57-9f0e-2f6f7a1d2c3b",
    "see https://example.com/docs/token-rotation#step-2",
    "订单号 20260501123456789 已退款",
    "skipped 12 tests, sk-learn 1.4 installed",
    "keyboard: QWERTY layout",
    "tokenizer: unicode61",
    "secret santa list is ready",
    "password: ********",
    "os.rename raised EXDEV at line 42",
    "key-value store with 3 replicas",
    "token_limit: 1200",
    "密钥轮换周期：90 天",
]


@pytest.mark.parametrize("sentence", SENTENCES)
@pytest.mark.parametrize("rule", KEYS)
def test_every_kind_of_key_is_taken_out(rule: str, sentence: str) -> None:
    """Whatever language and punctuation stands around it; the rule is named, the rest of the sentence stays."""
    text = sentence.format(AROUND.get(rule, "{}").format(KEYS[rule]))
    result = redact(text)
    assert KEYS[rule] not in result.text
    assert result.count == 1
    assert result.rules == (rule,)


@pytest.mark.parametrize("text", LABELLED)
def test_what_a_label_calls_secret_is_taken_out(text: str) -> None:
    """English and Chinese labels, options, addresses and headers."""
    result = redact(text)
    assert result.count == 1, result
    assert "[REDACTED:" in result.text


@pytest.mark.parametrize("text", PROSE)
def test_prose_about_secrets_stays(text: str) -> None:
    """Placeholders, variables, hashes, ids and sentences about passwords are no secrets."""
    assert redact(text).text == text


def test_two_different_keys_can_be_told_apart_and_a_password_cannot_be_guessed() -> None:
    """A machine's key leaves eight digits of its hash; a password leaves nothing that a guess could be checked against."""
    one, other = redact(KEYS["npm_token"]).text, redact(KEYS["npm_token"][:-1] + "x").text
    assert one != other
    assert redact("密码是 Xk29sLq8").text == "密码是 [REDACTED:labelled_secret_zh]"


@given(st.lists(st.sampled_from([*LABELLED, *PROSE, *KEYS.values()]), max_size=6).map("\n".join))
def test_doing_it_twice_changes_nothing(text: str) -> None:
    """What was redacted is not taken for a secret again."""
    once = redact(text).text
    assert redact(once).text == once


@pytest.mark.parametrize("filler", ["a", "-", "密码", "password=", "://", ":" * 3 + "@", "eyJ", "token: ", "ab1:"])
def test_no_text_makes_it_slow(filler: str) -> None:
    """64 KB of the worst text takes no longer than a blink."""
    text = (filler * 65_536)[:65_536]
    begun = time.process_time()
    redact(text)
    assert time.process_time() - begun < 2
