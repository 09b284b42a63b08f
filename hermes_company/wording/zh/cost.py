"""Chinese sentences about tokens, money and budgets."""

SENTENCES: dict[str, str] = {
    # Budgets
    "{whose} has used {percent} % of its budget: {spent} of {limit} tokens.": "{whose}已用掉预算的 {percent}%：{spent} / {limit} token。",
    "{whose} has used {percent} % of its budget: {spent} of {limit} {currency}.": "{whose}已用掉预算的 {percent}%：{spent} / {limit} {currency}。",
    "Ticket {ticket}": "工单 {ticket} ",
    "Today {agent}": "{agent} 今天",
    "Today the company": "公司今天",
    "Look at it (`hc cost --by ticket`), or raise `budgets.{scope}` in company.yaml.": "请查看用量（`hc cost --by ticket`），或在 company.yaml 里调高 `budgets.{scope}`。",
    "It goes on at {moment}, or raise `budgets.{scope}` in company.yaml.": "{moment} 继续；也可以在 company.yaml 里调高 `budgets.{scope}`。",
    # Transcripts
    "{path} is not written as we know it (behind byte {offset}).": "{path} 的格式与已知的不同（第 {offset} 字节之后）。",
    "{path} can't be read: {problem}.": "无法读取 {path}：{problem}。",
    "{path} can't be read.": "无法读取 {path}。",
    "The engine {engine} tells no tokens.": "引擎 {engine} 不报告 token 用量。",
    "The engine {engine} named no transcript.": "引擎 {engine} 没有报告会话记录的位置。",
    "{path} tells no tokens of this attempt.": "{path} 里没有这次尝试的 token 用量。",
    # hc cost
    "No price for {model} in company.yaml: its tokens are not in the money.": "company.yaml 里没有 {model} 的价格：它的 token 不计入金额。",
    "Not all is counted, {count} attempts ({named}): {problem}": "未能全部统计，{count} 次尝试（{named}）：{problem}",
    "No tokens were counted yet.": "还没有统计到任何 token。",
    "total": "合计",
    "input": "输入",
    "cached": "缓存读取",
    "into cache": "缓存写入",
    "output": "输出",
    "thinking": "推理",
    "agent": "员工",
    "ticket": "工单",
    "day": "日期",
    "model": "模型",
    # company.yaml
    "What `prices` and the money in `budgets` are counted in.": "`prices` 和 `budgets` 里的金额所用的货币。",
    "What a million tokens cost, by the model's name as `hc cost` shows it.\nA model without a price is counted in tokens only.": (
        "每一百万 token 的价格，按 `hc cost` 显示的模型名填写。\n没有价格的模型只统计 token。"
    ),
}

HELP: dict[str, str] = {
    "Show what was used: tokens by kind, and their money.": "显示用量：各类 token 和对应的金额。",
    "What the lines stand for.": "每行代表什么。",
}
