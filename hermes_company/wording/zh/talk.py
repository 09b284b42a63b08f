"""Chinese sentences of talking to agents, and of what their windows ask."""

SENTENCES: dict[str, str] = {
    # lines.py
    "{agent} is to be told: “{words}”": "将告诉 {agent}：“{words}”",
    "{agent} was told in its window: “{words}”": "已在窗口里告诉 {agent}：“{words}”",
    "attempt {number}: it asks {asks}; `hc attach {agent}`": "第 {number} 次执行：它在问{asks}；`hc attach {agent}`",
    "a person talked with {agent} for {seconds} s": "有人与 {agent} 谈了 {seconds} 秒",
    # readiness.py, claiming.py
    "A person has its conversation open (`hc chat`).": "有人正开着它的对话（`hc chat`）。",
    "It can start when they leave it.": "等他们离开对话后就可以启动。",
    # chats.py
    "Somebody has the conversation of {ticket} open.": "有人正开着 {ticket} 的对话。",
    "Two at once would spoil it.": "两边同时进行会弄乱它。",
    "Use that terminal, or leave the conversation there first.": "请使用那个终端，或者先在那里离开对话。",
    # chatting.py
    "The conversation of {ticket} with {agent}; leave the engine to hand it back.": (
        "{ticket} 与 {agent} 的对话；退出引擎即可交还。"
    ),
    "{ticket} is handed back.": "{ticket} 已交还。",
    "{engine} has no conversations that could be resumed.": "{engine} 没有可以继续的对话。",
    "Its engine has not reported that the conversation began.": "引擎没有报告对话已经开始。",
    "The profile of {agent} leaves no way to go on in it.": "按 {agent} 的配置无法继续这个对话。",
    "Its conversation is open in its own window.": "它的对话正开在自己的窗口里。",
    "Talk to it there: `hc attach {agent}`, or `hc say {ticket} …`.": "请到那里对它说：`hc attach {agent}`，或 `hc say {ticket} …`。",
    "There is no conversation to be opened.": "没有可以打开的对话。",
    "The conversation of attempt {number} of {ticket} can't be resumed.": "{ticket} 第 {number} 次执行的对话无法继续。",
    "What it left: {folder}.": "它留下的东西：{folder}。",
    "Nobody sits at a terminal here.": "这里没有人坐在终端前。",
    "The engine shows the conversation in one.": "引擎要在终端里显示对话。",
    'For a word without one: `hc say TICKET "…"`.': '没有终端时要说一句话：`hc say 工单 "…"`。',
    # asking.py
    "It asks {asks}, and only you can answer: `hc attach {agent}`.": "它在问{asks}，只有你能回答：`hc attach {agent}`。",
    # saying.py
    "{agent} has taken it up.": "{agent} 已经收下。",
    "{agent} takes it up after what it does at the moment.": "{agent} 做完手上这一步就会处理。",
    "{ticket} goes from {state} to doing with your words.": "{ticket} 带着你的话从 {state} 回到 doing。",
    "{ticket} waits in {state}: it is told when its next attempt starts.": "{ticket} 在 {state} 里等待：下一次执行开始时会转达。",
    "It begins anew: the conversation with {agent} can't be resumed.": "会重新开始：与 {agent} 的对话无法继续。",
    "{agent} goes on in the same conversation.": "{agent} 在同一个对话里继续。",
    "There is nothing to be said, or it comes from two places.": "没有要说的话，或者同时从两处给出了话。",
    "Nobody was told anything.": "没有对任何人说任何话。",
    '`hc say TICKET "…"`, or `--file FILE`, or `-` for standard input.': (
        '请用 `hc say 工单 "…"`，或 `--file 文件`，或用 `-` 读取标准输入。'
    ),
    "The words are longer than {limit} bytes.": "这些话超过了 {limit} 字节。",
    "Put them into a file that the agent can read, and tell it the file's path.": "请写进员工能读到的文件，再把文件路径告诉它。",
    "There is nobody to be told, and no conversation to go on with.": "没有人可以转告，也没有可以继续的对话。",
    "Write it into the ticket: {file}.": "请写进工单：{file}。",
    "A word about it would take its acceptance back.": "再说话就等于收回验收。",
    "If that is meant: `hc review reject {ticket} -m …`.": "如果确实要这样：`hc review reject {ticket} -m …`。",
    "{ticket} is being started with {agent}.": "{ticket} 正在由 {agent} 启动。",
    "Words that are typed while an engine starts get lost.": "引擎启动时输入的话会丢失。",
    "Say it again in a moment.": "请过一会儿再说一遍。",
    "Attempt {number} of {ticket} is over or about to be.": "{ticket} 的第 {number} 次执行已经结束或即将结束。",
    "The words would be lost with it.": "说的话会随之丢失。",
    "Say it again in a moment: then its conversation is resumed with them.": "请过一会儿再说一遍：那时会带着这些话继续它的对话。",
    "The process of attempt {number} has ended, and nobody has settled it.": "第 {number} 次执行的进程已经结束，还没有人处理。",
    "Nobody runs the company at the moment.": "目前没有人在运行公司。",
    "Start `hc run`, then say it again.": "请先启动 `hc run`，然后再说一遍。",
    "{agent} works with {engine}, whose window hc cannot read.": "{agent} 使用的是 {engine}，hc 看不懂它的窗口。",
    "Nobody could tell whether the words arrive.": "无法知道这些话是否送到。",
    "Type them yourself (`hc attach {agent}`), or say them when the attempt is over.": (
        "请自己输入（`hc attach {agent}`），或者等这次执行结束后再说。"
    ),
    "A word from the person whom you work for:": "你的负责人有话对你说：",
    "It was said in the window of {agent}.": "已在 {agent} 的窗口里说了。",
    "That begins a new conversation.": "那会是一个新的对话。",
    # screens.py
    "something that hc has no name for": "一件 hc 叫不出名字的事",
    "which colours to use, as at its first start": "首次启动时使用哪种配色",
    "whether the folder is trusted": "是否信任这个文件夹",
    "whether to use the API key from the environment": "是否使用环境变量里的 API 密钥",
    "whether it may work without asking for permissions": "是否允许它不经询问就工作",
    "for a login": "如何登录",
    "whether to update itself": "是否更新自己",
    "whether its hooks are trusted": "是否信任它的钩子",
    "what to do about a used-up limit": "额度用完后怎么办",
    "which MCP servers to use": "使用哪些 MCP 服务器",
    "which model to use": "使用哪个模型",
    "for permission to do something": "是否允许它做某件事",
    # follow_up.py
    "Nothing was typed.": "没有输入任何内容。",
    "Look at it yourself: `hc attach`.": "请自己去看一看：`hc attach`。",
    "The window shows no composer that hc knows.": "窗口里没有 hc 认得的输入框。",
    "Answer it in its window (`hc attach`), then say it again.": "请在它的窗口里回答（`hc attach`），然后再说一遍。",
    "Somebody's words stand in the composer, not sent yet.": "输入框里有别人还没有发送的话。",
    "Send or delete them in the window (`hc attach`), then say it again.": (
        "请在窗口里发送或删除它们（`hc attach`），然后再说一遍。"
    ),
    "The composer is in vim's normal mode.": "输入框处于 vim 的普通模式。",
    "The words were pasted, but not sent: Enter was pressed {times} times.": "话已经粘贴，但没有发出：回车按了 {times} 次。",
    "The engine has ended; its window holds something else.": "引擎已经结束；它的窗口里是别的东西。",
    "The words would go to whatever runs there.": "这些话会送到在那里运行的别的东西。",
    "The window is gone.": "窗口不见了。",
    "Say it again in a moment: then its conversation is resumed with the words.": (
        "请过一会儿再说一遍：那时会带着这些话继续对话。"
    ),
    "Somebody scrolls in the window (tmux's copy mode).": "有人正在窗口里翻看（tmux 的复制模式）。",
    "Keys go to tmux there, not to the engine.": "此时按键会交给 tmux，而不是引擎。",
    "Leave it with `q` in the window, then say it again.": "请在窗口里按 `q` 离开，然后再说一遍。",
    "Another `hc say` is typing into that window.": "另一个 `hc say` 正在往这个窗口输入。",
    "Both texts would become one.": "两段话会混在一起。",
    "They are not pasted a second time: they might arrive twice.": "不会再粘贴一次：那样可能会送到两遍。",
    "Look at the window (`hc attach`) and send or delete what stands there.": (
        "请看一看窗口（`hc attach`），发送或删除那里的内容。"
    ),
    "The words were pasted, but do not show in the composer.": "话已经粘贴，但输入框里没有显示。",
    "The engine asks {asks}.": "引擎在问：{asks}。",
    "It would take the words as commands.": "它会把这些话当成命令。",
    # doctor.py, proving.py
    "--live goes with --engine ENGINE, and both without --fix.": "--live 要和 --engine 引擎 一起用，而且都不能和 --fix 一起用。",
    "{engine} is asked for one turn now; it counts as any use of your login or key.": (
        "现在让 {engine} 做一轮；这和你平时用登录或密钥一样计入用量。"
    ),
    "This is a check of the installation. Answer with the single word OK; use no tools and change nothing.": (
        "这是一次安装检查。请只回答 OK 这一个词；不要使用工具，不要改动任何东西。"
    ),
    "{engine} has no conversation that could be proved by a turn.": "{engine} 没有可以用一轮对话来验证的东西。",
    "A live check asks a model once and looks at what the engine reports of it.": "实测会向模型提问一次，再看引擎报告了什么。",
    "These can be proved: {known}.": "可以实测的有：{known}。",
    "{engine}: its turn failed ({error}).": "{engine}：这一轮失败了（{error}）。",
    "{engine}: no end of its turn was reported within {seconds:.0f} s.": "{engine}：{seconds:.0f} 秒内没有报告这一轮结束。",
    "Look at its login, its limits and its model.{tail}": "请检查它的登录、额度和模型。{tail}",
    "{engine}: the prompt did not arrive as it was given.": "{engine}：提示词没有原样送达。",
    "Install a version that takes its prompt as it is.": "请安装能原样接收提示词的版本。",
    "{engine}: the conversation has not the one id that it can be resumed by.": "{engine}：对话没有可用于继续的唯一编号。",
    "Feedback would begin new conversations; install another version.": "否则反馈只能开始新的对话；请安装别的版本。",
    "{engine}: its transcript is not where it says.": "{engine}：对话记录不在它所说的位置。",
    "Tickets are finished all the same; their tokens are not counted.": "工单照样能完成，但不会统计用量。",
    "{engine} did one turn in {seconds:.1f} s: its hooks report, its prompt arrives, its conversation is pinned.": (
        "{engine} 用 {seconds:.1f} 秒做完一轮：钩子会报告，提示词能送达，对话编号固定。"
    ),
    "{engine} asks {asks}, and waits.": "{engine} 在问{asks}，并且在等待。",
    "Start it yourself in {folder} and answer.": "请自己在 {folder} 里启动它并回答。",
    "{engine} ended at once, with status {code}.": "{engine} 立刻就结束了，状态码 {code}。",
    "Start it yourself, to see why.{tail}": "请自己启动它看看原因。{tail}",
    "{engine} started, but did not report its prompt.": "{engine} 启动了，但没有报告收到提示词。",
    "{engine}: no hook has fired.": "{engine}：没有任何钩子触发。",
    "Tickets are finished all the same, but their progress is not seen. Let its settings allow hooks.{tail}": (
        "工单照样能完成，但看不到进度。请让它的设置允许钩子。{tail}"
    ),
}

HELP: dict[str, str] = {
    "Tell the agent of a ticket something: in its window, or when its conversation goes on.": (
        "对工单的员工说话：在它的窗口里说，或等它的对话继续时转达。"
    ),
    "What it is to be told; `-` reads standard input.": "要说的话；`-` 表示读取标准输入。",
    "Open the conversation of a ticket here; leaving the engine hands it back.": "在这里打开工单的对话；退出引擎即交还。",
    "The engine that --live proves.": "--live 要实测的引擎。",
    "Prove that engine by one real turn; uses your login or key.": "让该引擎真的做一轮来验证；会用到你的登录或密钥。",
    "Take the words from a file; `-` reads standard input.": "从文件里读取要说的话；`-` 表示读取标准输入。",
}
