"""Chinese sentences of terminal."""

SENTENCES: dict[str, str] = {
    # session.py
    "The program `tmux` is not on PATH.": "PATH 里找不到程序 `tmux`。",
    "Agents work in tmux windows, so none could be started.": "员工都在 tmux 窗口里工作，没有它一个也启动不了。",
    "Install it, e.g. `{command}`, and try again.": "请先安装（例如 `{command}`），然后重试。",
    "tmux did not carry out `{verbs}`: {complaint}": "tmux 没有执行 `{verbs}`：{complaint}",
    "It cannot be known what runs in the agents' windows.": "因此无法知道员工窗口里正在运行什么。",
    "Look at the tmux server and its socket; `hc doctor` checks both.": (
        "请检查 tmux 服务器和它的套接字；`hc doctor` 会检查这两项。"
    ),
    "company.yaml: `{key}` is {name}.": "company.yaml：`{key}` 的值是 {name}。",
    "tmux reads other characters as an address or as a command.": "tmux 会把其他字符当成地址或命令。",
    "Use up to 64 letters (A–Z), digits, `_` and `-`, beginning with a letter or digit.": (
        "请使用最多 64 个英文字母、数字、`_` 和 `-`，并以字母或数字开头。"
    ),
    # workers.py
    "The tmux session `{session}` on socket `{socket}` belongs to {owner}.": (
        "套接字 `{socket}` 上的 tmux 会话 `{session}` 属于{owner}。"
    ),
    "another company ({id})": "另一家公司（{id}）",
    "somebody else: it has no company's tag": "别人：它没有任何公司的标记",
    "Two companies in one session would end each other's agents.": "两家公司共用一个会话，会互相结束对方的员工。",
    "Set another `tmux.socket` in company.yaml.": "请在 company.yaml 里换一个 `tmux.socket`。",
    "In window `{window}` something still runs: {what}.": "窗口 `{window}` 里还有东西在运行：{what}。",
    "not one of our attempts": "不是我们启动的",
    "Starting the next attempt there would kill it.": "在那里启动下一次执行会把它杀掉。",
    "End it or close the window; the attempt is started then.": "请结束它或关闭该窗口，之后就会启动。",
    "Window `{window}` was closed while an attempt was about to start in it: {complaint}.": (
        "正要在窗口 `{window}` 里启动时，它被关闭了：{complaint}。"
    ),
    "What {run} needs for its start could not be written: {problem}": "启动 {run} 所需的文件无法写入：{problem}",
    "Look at the disk and at the permissions of `.hc/runs`.": "请检查磁盘空间和 `.hc/runs` 的权限。",
    "Nothing was started.": "什么也没有启动。",
    "The attempt can be started again.": "可以重新启动。",
    # run_folder.py
    "This attempt was started before, nothing was started now: {detail}": "这次执行之前已经启动过，现在没有再启动：{detail}",
    "The working directory cannot be entered, nothing was started: {detail}": "无法进入工作目录，什么也没有启动：{detail}",
    "The engine's program is not there, nothing was started: {detail}": "找不到引擎的程序，什么也没有启动：{detail}",
    "The engine's program cannot be executed, nothing was started: {detail}": "引擎的程序无法执行，什么也没有启动：{detail}",
    "{run} has ended; this window waits for the agent's next ticket": "{run} 已结束，本窗口等待该员工的下一个工单",
    "The engine cannot be started as described: {what}.": "无法按描述启动引擎：{what}。",
    "a word of the command or of its environment holds a NUL byte, or there is no command": (
        "命令或环境变量里含有 NUL 字节，或者没有命令"
    ),
    "{name} cannot name an environment variable": "{name} 不能作为环境变量名",
    "{name} cannot name a launch file": "{name} 不能作为启动文件名",
    "The system would start something else, or nothing.": "系统会启动别的东西，或者什么也启动不了。",
    "Correct the agent's `args` and `env` in its profile.json, or the engine.": (
        "请修正该员工 profile.json 里的 `args` 和 `env`，或修正引擎。"
    ),
}
