"""Chinese sentences about receipts, limits, failures, checked claims and used-up budgets."""

SENTENCES: dict[str, str] = {
    "Not submitted: its engine did not report the prompt within {seconds:.0f} s. What its window shows is below; a question "
    "on its screen is the usual cause (`hc agent prepare`).": "提示没有送达：引擎在 {seconds:.0f} 秒内没有上报收到提示。窗口内容见下；通常是屏幕上有提问在等回答（`hc agent prepare`）。",
    "Not started: the prompt arrived, but no answer of the model and no tool was reported within {seconds:.0f} s. Look "
    "whether its model can be reached.": "没有开始：提示已送达，但 {seconds:.0f} 秒内既没有模型的回答，也没有工具调用。请检查模型能否连通。",
    "An attempt whose engine has not reported the prompt by then is ended. 0: never.": "到这个时限引擎仍没有上报收到提示，这次尝试就会被结束。0：从不。",
    "… and one whose model has not answered so long after the prompt. 0: never.": "……提示送达后过了这么久模型仍没有回答，也会被结束。0：从不。",
    "Receipts: {steps}": "回执：{steps}",
    "delivered": "进程就绪",
    "submitted": "提示送达",
    "work begun": "开始工作",
    "last sign of work": "最近动静",
    "produced": "产出完成",
    "{why} The same conversation goes on at {moment}.": "{why}同一会话将在 {moment} 继续。",
    "{why} {remedy}": "{why}{remedy}",
    "{engine} has reached its limit. It says: “{said}”.": "{engine} 已达到用量上限。原话：“{said}”。",
    "The servers of {engine} can't take more work now. It says: “{said}”.": "{engine} 的服务器过载，暂时接不下更多请求。原话：“{said}”。",
    "{engine} can't reach its servers: look at the network. It says: “{said}”.": "{engine} 连不上服务器，请检查网络。原话：“{said}”。",
    "{engine} is not logged in, or its login is not accepted. It says: “{said}”.": "{engine} 没有登录，或登录不被接受。原话：“{said}”。",
    "Nothing is left on the account of {engine}. It says: “{said}”.": "{engine} 的账户没有余额了。原话：“{said}”。",
    "{engine} has no such model, or not for this login. It says: “{said}”.": "{engine} 没有这个模型，或当前登录无权使用。原话：“{said}”。",
    "Its turn failed. It says: “{said}”.": "这一轮失败了。原话：“{said}”。",
    "`hc task retry {ticket}`": "`hc task retry {ticket}`",
    "Correct `model` in the profile of {agent}, then {again}.": "请改正 {agent} 的 profile 里的 `model`，再 {again}。",
    "then `hc engine resume {engine}` and `hc task retry {ticket}`": "然后 `hc engine resume {engine}`，再 `hc task retry {ticket}`",
    "Log in with its own program, or correct the key where the company is started; {again}.": "请用引擎自己的程序登录，或在启动公司的环境里改正密钥；{again}。",
    "Add funds or change the plan there; {again}.": "请在那里充值或更换套餐；{again}。",
    "What stopped you is over. Go on with ticket {ticket} where you stopped; everything that was said still holds.\n\n"
    "When the work is done, write `{outbox}/summary.md`, then `{outbox}/DONE` with exactly this line (it is a new "
    "one):\n\n   {token}\n\nIf you can't go on without a person, write `{outbox}/BLOCKED` with the reason instead.\n": (
        "刚才让你停下的原因已经过去。请从停下的地方继续做工单 {ticket}；之前说过的一切仍然有效。\n\n"
        "做完之后写好 `{outbox}/summary.md`，最后写 `{outbox}/DONE`，内容只有这一行（这是新的）：\n\n   {token}\n\n"
        "如果没有人帮忙就无法继续，请改为把原因写进 `{outbox}/BLOCKED`。\n"
    ),
    "The engine {engine} is paused until {until}, {left} more.": "引擎 {engine} 暂停到 {until}，还有 {left}。",
    "Put that right, then `hc engine resume {engine}`.": "处理好之后 `hc engine resume {engine}`。",
    "It goes on by itself then; `hc engine resume {engine}` tries at once.": "到时会自动继续；`hc engine resume {engine}` 立即再试。",
    "a path or a pattern below the workdir": "工作目录下的路径或通配符",
    "Expected, but not there: {files}.": "工单要求、但没有找到：{files}。",
    "summary.md has headings only.": "summary.md 只有标题，没有内容。",
    "What it had left running in the background had not ended; it was ended.": "它留在后台运行的任务没有结束，已被终止。",
    "out of budget": "预算用尽",
    "Budgets": "预算",
    "attempt {attempt} was ended for its budget: {reason}": "第 {attempt} 次尝试因预算用尽而结束：{reason}",
    "The most that a ticket, an agent a day, the company a day may use; 0: no limit. At 80 % you are told.\n"
    "at_limit: at 100 % hold what would start, or end what is at work too.": (
        "一张工单、一名员工一天、整个公司一天最多能用多少；0：不限。用到 80% 会提醒你。\n"
        "at_limit：用到 100% 时，hold 只拦住新开工的，end 连正在进行的也结束。"
    ),
    "attempt {number}: {receipt}": "第 {number} 次尝试：{receipt}",
}
