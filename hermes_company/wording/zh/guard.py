"""Chinese sentences of the guard: what agents are told, and what people are told of the policy."""

SENTENCES: dict[str, str] = {
    "Refused by the company's rules ({rule}). {reason}": "违反公司规则（{rule}），已拒绝。{reason}",
    "{path} belongs to the company: agents don't change it. Leave it as it is; if the ticket calls for a change there, "
    "describe it in your summary.": "{path} 属于公司，员工不得改动。请保持原样；如果工单需要改动它，请在总结中写明。",
    "{path} lies outside of what you may change ({roots}). Write into one of those folders instead.": (
        "{path} 不在您可以改动的范围内（{roots}）。请改为写入这些目录之一。"
    ),
    "{path} lies outside of what you may change ({roots}). Delete only what you made there.": (
        "{path} 不在您可以改动的范围内（{roots}）。只删除您自己在那里创建的内容。"
    ),
    "That would delete a whole folder in which tickets are worked on: {path}. Delete what is in it by name.": (
        "这会删除整个工作目录：{path}。请按名称删除其中的内容。"
    ),
    "{path} holds keys or passwords. Do without it; if the ticket can't be done then, write BLOCKED with the reason.": (
        "{path} 含有密钥或密码。请不要使用它；如果因此无法完成工单，请写 BLOCKED 并说明原因。"
    ),
    "`{what}` needs a person's yes.": "`{what}` 需要人同意。",
    "`{what}` is on the company's list of commands that agents don't run. Find another way, or write BLOCKED.": (
        "`{what}` 在公司禁止员工执行的命令之列。请另想办法，或写 BLOCKED。"
    ),
    "`{what}`: agents don't touch disks and mounts. Find another way, or write BLOCKED with what you need.": (
        "`{what}`：员工不得操作磁盘和挂载。请另想办法，或写 BLOCKED 说明需要什么。"
    ),
    "`{what}`: agents don't switch machines off or restart them. If it has to be done, write BLOCKED.": (
        "`{what}`：员工不得关机或重启。如果必须这样做，请写 BLOCKED。"
    ),
    "`{what}`: agents don't change users and passwords. If it has to be done, write BLOCKED.": (
        "`{what}`：员工不得改动用户和密码。如果必须这样做，请写 BLOCKED。"
    ),
    "`{what}`: agents don't change the machine's services. Start what you need as a plain process, or write BLOCKED.": (
        "`{what}`：员工不得改动系统服务。请以普通进程启动所需程序，或写 BLOCKED。"
    ),
    "`{what}`: agents work with the rights that they have. Find a way without more, or write BLOCKED.": (
        "`{what}`：员工只使用已有的权限。请另想不需要更高权限的办法，或写 BLOCKED。"
    ),
    "`{what}` could end processes that aren't yours. End your own ones by their number: `kill PID`.": (
        "`{what}` 可能结束不属于您的进程。请按进程号结束您自己的进程：`kill PID`。"
    ),
    "`{what}` is for people. Agents look with `hc status`, `hc why` and `hc task show` and make tickets with `hc task new`; "
    "anything else that you want goes into your summary.": (
        "`{what}` 只供人使用。员工可以用 `hc status`、`hc why`、`hc task show` 查看，用 `hc task new` 建工单；其他要求请写进总结。"
    ),
    "`{what}`: no agent starts another one by itself. Do the work yourself; for help, describe a ticket in your summary.": (
        "`{what}`：员工不得自行启动另一个智能体。请自己完成；如需帮助，请在总结中描述一张工单。"
    ),
    "`{what}` would rewrite or delete what others have. Keep it in a branch of its own, and write down what a person has to do.": (
        "`{what}` 会改写或删除他人已有的内容。请保留在单独的分支里，并写明需要人做什么。"
    ),
    "`{what}`: nothing leaves this machine. Commit it, and write down in your summary that it has to be pushed.": (
        "`{what}`：任何内容不得离开本机。请提交到本地，并在总结中写明需要推送。"
    ),
    "`{what}`: nothing is published from here. Prepare it, and write down in your summary what a person has to run.": (
        "`{what}`：不得从这里发布。请做好准备，并在总结中写明需要人执行什么。"
    ),
    "`{what}` would run what another machine sends, unseen. Save it to a file, read it, then run the file.": (
        "`{what}` 会直接运行另一台机器发来的内容。请先存成文件，读过之后再运行。"
    ),
    "`{what}` would wait for commands that nobody checks. Give it its commands: `{what} -c '…'`, or a script.": (
        "`{what}` 会等待无人检查的命令。请直接给出命令：`{what} -c '…'`，或使用脚本。"
    ),
    "The company works without network. Do it with what is on this machine, or write BLOCKED with what you need.": (
        "公司不使用网络。请用本机已有的内容完成，或写 BLOCKED 说明需要什么。"
    ),
    "It can't be told what this does: {what}. Write it plainly: whole paths, no computed commands, one step at a time.": (
        "无法判断这会做什么：{what}。请写得直白：完整路径，不用拼出来的命令，一步一步来。"
    ),
    "That is too much to be looked through. Split it up into several smaller commands.": "内容太多，无法逐一检查。请拆成几条较小的命令。",
    "The company's guard could not look at this call, so it is refused. Try something simpler; if everything is refused, "
    "say so and end your turn.": "公司的守卫无法检查这次调用，因此已拒绝。请换更简单的方式；如果一切都被拒绝，请说明情况并结束这一轮。",
    "Claude Code's sandbox needs {missing}, which are not installed.": "Claude Code 的沙箱需要 {missing}，但尚未安装。",
    "{agent}'s profile asks for the sandbox, so nothing is started without it.": (
        "{agent} 的 profile 要求使用沙箱，因此没有沙箱就不会启动。"
    ),
    "Install them (Debian, Ubuntu: apt install bubblewrap socat), or take `sandbox` out of the profile.": (
        "请安装它们（Debian、Ubuntu：apt install bubblewrap socat），或从 profile 中去掉 `sandbox`。"
    ),
    "{agent}'s profile asks for a sandbox, and the engine {engine} has none.": "{agent} 的 profile 要求使用沙箱，而引擎 {engine} 没有沙箱。",
    "It would work without the limits that somebody meant it to have.": "它会在没有预期限制的情况下工作。",
    "Take `sandbox` out of agents/{agent}/profile.json, or give it another engine.": (
        "请从 agents/{agent}/profile.json 中去掉 `sandbox`，或换一个引擎。"
    ),
    "workspace-write": "workspace-write",
    "company/policy.yaml has an unknown key `{path}`.": "company/policy.yaml 中有不认识的键 `{path}`。",
    "A rule that is misspelt would not hold, and nobody would notice.": "写错的规则不会生效，而且没有人会发现。",
    "company/policy.yaml: `{path}` is {value}, not {wanted}.": "company/policy.yaml：`{path}` 是 {value}，应为{wanted}。",
    "company/policy.yaml was not read: {problem}.": "未能读取 company/policy.yaml：{problem}。",
    "company/policy.yaml, line {line}: {problem}.": "company/policy.yaml 第 {line} 行：{problem}。",
    "Agents would work by rules that nobody meant.": "员工会按没有人想要的规则工作。",
    "Correct that line in company/policy.yaml.": "请改正 company/policy.yaml 中的这一行。",
    "a mapping": "一组键值",
    "`{close}`, or a path": "`{close}` 或一个路径",
    "allow, ask or refuse": "allow、ask 或 refuse",
    # what differs after an attempt
    "{path} was made by a command of the agent; it was taken away.": "{path} 是员工的命令创建的，已移走。",
    "{path} was changed by a command of the agent; it is as before again.": "{path} 被员工的命令改动，已恢复原样。",
    "{path} was changed by a command of the agent; what it was before is not kept.": "{path} 被员工的命令改动，没有保留原来的内容。",
    "{path} changed while the agent ran, but not while one of its commands did; it was left.": (
        "{path} 在员工运行期间发生了改动，但当时没有它的命令在运行，因此保持现状。"
    ),
    # Told to people
    "company/policy.yaml is understood.": "company/policy.yaml 可以读懂。",
    "The guard refused {count} of its calls, last by {rule}: {call}": "守卫拒绝了它的 {count} 次调用，最近一次因 {rule}：{call}",
    "The guard refused {count} calls before these.": "在这之前守卫还拒绝了 {count} 次调用。",
    "{moment} refused by {rule}: {call}": "{moment} 因 {rule} 被拒绝：{call}",
    "refused by {rule}: {call}": "因 {rule} 被拒绝：{call}",
    "was refused by {rule}: {call}": "因 {rule} 被拒绝：{call}",
    "{path} was changed by the agent and put back": "员工改动了 {path}，已恢复原样",
    "{path} changed while the agent ran; it was left": "员工运行期间 {path} 有改动，未作处理",
    "changed {path} while it ran": "运行期间 {path} 有改动",
    "How the company's own files were before can't be read any more: look through them.": "公司文件原来的样子已经读不出来了：请检查一遍。",
    "{count} more of the company's files: `hc events --ticket {ticket}`.": "另有 {count} 个公司文件有改动：`hc events --ticket {ticket}`。",
    # Approvals
    "`{what}` needs a person's yes, and nobody has answered yet (question {id}). The ticket is parked with the question. End "
    "your turn now: you go on in this conversation once it is answered.": (
        "`{what}` 需要人同意，目前还没有人答复（问题 {id}）。工单已带着这个问题停放。请现在结束这一轮：得到答复后，您会在这个对话里继续。"
    ),
    "A person said no to `{what}`. Go on without it, or write BLOCKED with what you need.": (
        "有人拒绝了 `{what}`。请不用它继续，或写 BLOCKED 说明需要什么。"
    ),
    "A person said no to `{what}`: {words} Go on without it, or write BLOCKED with what you need.": (
        "有人拒绝了 `{what}`：{words} 请不用它继续，或写 BLOCKED 说明需要什么。"
    ),
    "It waits for a person's answer: may it run `{what}` in {folder}? `hc approve {id}`, or `hc deny {id} -m …`.": (
        "等待人答复：可以在 {folder} 执行 `{what}` 吗？`hc approve {id}`，或 `hc deny {id} -m …`。"
    ),
    "A person has approved `{what}` in {folder}. Run exactly that again, then go on.": (
        "有人同意了在 {folder} 执行 `{what}`。请原样再执行一次，然后继续。"
    ),
    "A person said no to `{what}`. {words} Go on without it.": "有人拒绝了 `{what}`。{words} 请不用它继续。",
    "It asks whether it may run `{what}` in {folder}: `hc approve {id}`, or `hc deny {id} -m …`.": (
        "它问可否在 {folder} 执行 `{what}`：`hc approve {id}`，或 `hc deny {id} -m …`。"
    ),
    "It waits for a person's answer ({count}).": "等待人答复（{count} 个问题）。",
    "`hc approve {ids}`, or `hc deny {ids} -m …`; then its conversation goes on.": (
        "`hc approve {ids}`，或 `hc deny {ids} -m …`；之后它的对话会继续。"
    ),
    "{person} did not approve it. {words}": "{person} 没有批准。{words}",
    "It waits for a person to approve it (`approve: before`).": "等待人批准（`approve: before`）。",
    "`hc approve {id}`, or `hc deny {id} -m …`.": "`hc approve {id}`，或 `hc deny {id} -m …`。",
    "`hc approve {id}`, or `hc deny {id} -m …`": "`hc approve {id}`，或 `hc deny {id} -m …`",
    "before (or given, once a person has approved it)": "before（有人批准之后是 given）",
    "a number of minutes from 0 to {most}": "0 到 {most} 的分钟数",
    "not to start before: {title}": "批准之前不开始：{title}",
    "{what} (rule {rule}, in {folder})": "{what}（规则 {rule}，在 {folder}）",
    "Nothing waits for your yes.": "没有等待您同意的事。",
    "Approved for good (`hc deny ID` takes it back):": "长期批准（`hc deny ID` 可收回）：",
    "{id} is approved already.": "{id} 已经批准过了。",
    "{id} is approved.": "{id} 已批准。",
    "{id} is denied already.": "{id} 已经拒绝过了。",
    "{id} is denied.": "{id} 已拒绝。",
    "`{what}` is no longer approved for good.": "`{what}` 不再是长期批准的了。",
    "{ticket} is approved and may start.": "{ticket} 已批准，可以开始。",
    "{ticket} is denied and parked in blocked.": "{ticket} 已拒绝，停放在 blocked。",
    "{says} The agent goes on with that.": "{says}员工会据此继续。",
    "{says} Its conversation goes on once all its questions are answered.": "{says}它的问题都得到答复后，对话会继续。",
    "This is the attempt of an agent, {agent}.": "这里是员工 {agent} 的执行过程。",
    "Agents ask; people answer.": "员工提问，由人答复。",
    "Answer from a shell of your own.": "请在您自己的 shell 里答复。",
    "There is no question {id}.": "没有问题 {id}。",
    "No agent has asked it.": "没有员工提过它。",
    "`hc approvals` shows what waits for your yes.": "`hc approvals` 会列出等待您同意的事。",
    "{ticket} has several open questions: {ids}.": "{ticket} 有好几个没有答复的问题：{ids}。",
    "Each may have another answer.": "每个问题的答复可能不同。",
    "Name one of them: `hc approve {id}`.": "请指明其中一个：`hc approve {id}`。",
    "{ticket} (in {state}) does not wait for a yes.": "{ticket}（在 {state}）并不在等待同意。",
    "Only a ticket with `approve: before` does before it starts, and one whose agent has asked something.": (
        "只有写了 `approve: before` 而尚未开始的工单，以及员工提了问题的工单才需要。"
    ),
    "`hc why {ticket}` says what it waits for; what was handed in is for `hc review`.": (
        "`hc why {ticket}` 会说明它在等什么；已交付的工单请用 `hc review`。"
    ),
    "--always is for commands, and {id} is a ticket.": "--always 只用于命令，而 {id} 是工单。",
    "There is no command in it that could be approved for good.": "其中没有可以长期批准的命令。",
    "`hc approve {id}` approves this ticket.": "`hc approve {id}` 会批准这张工单。",
    "asks ({question}): {call}": "请求同意（{question}）：{call}",
    "{by} approved {call}. {words}": "{by} 批准了 {call}。{words}",
    "{by} denied {call}. {words}": "{by} 拒绝了 {call}。{words}",
    "{by} approved: {call}": "{by} 批准了：{call}",
    "{by} denied: {call}": "{by} 拒绝了：{call}",
}

HELP: dict[str, str] = {
    "Show what waits for your yes, and what you have approved for good.": "列出等待您同意的事，以及长期批准的命令。",
    "Say yes: to a ticket that waits for it, or to what an agent asks.": "同意：批准等待批准的工单，或员工请求执行的命令。",
    "Say no: the agent goes on without it; a ticket is parked in blocked.": "拒绝：员工不用它继续；工单停放在 blocked。",
    "Of `hc approvals`: TASK-7, or TASK-7/1 for a question.": "`hc approvals` 列出的编号：TASK-7，问题则是 TASK-7/1。",
    "To this very command of all agents from now on; `hc deny` takes it back.": "从现在起所有员工的这条命令都同意；`hc deny` 可收回。",
    "A word on it; it is kept with the answer.": "附上一句话，与答复一起保存。",
    "Why, or what to do instead; the agent is told.": "原因，或者改做什么；会告诉员工。",
    "Not to start until a person approves it (`hc approve`).": "在人批准（`hc approve`）之前不开始。",
}
