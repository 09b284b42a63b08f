"""Chinese sentences of engines."""

SENTENCES: dict[str, str] = {
    "The program `{program}` of the engine {engine} was not found.": "找不到引擎 {engine} 的程序 `{program}`。",
    "Its agents can't work.": "使用它的智能体无法工作。",
    "Install it with `{install}`, or name its path in company.yaml as `engines.{engine}.command`.": (
        "请用 `{install}` 安装，或在 company.yaml 中用 `engines.{engine}.command` 写明它的路径。"
    ),
    "There is no engine named `{name}`.": "没有名为 `{name}` 的引擎。",
    "Nothing could be started with it.": "用它什么也启动不了。",
    "Known engines: {known}.": "已知的引擎：{known}。",
    "Did you mean `{close}`? {listed}": "您是不是想写 `{close}`？{listed}",
    "The engine {name} could not be loaded from {where}: {problem}": "无法从 {where} 加载引擎 {name}：{problem}",
    "Repair or remove the package that brings it.": "请修复或卸载提供它的软件包。",
    "{engine} would stop and ask: {question}": "{engine} 会停下来询问：{question}",
    "Nobody is there to answer, so the run would hang.": "没有人在场回答，这次运行会一直卡住。",
    "Answer it with `hc agent prepare {agent}`, or add `{kind}` to `engines.{engine}.accept` in company.yaml.": (
        "请用 `hc agent prepare {agent}` 回答，或在 company.yaml 的 `engines.{engine}.accept` 中加上 `{kind}`。"
    ),
    "{path} could not be changed: {problem}": "无法修改 {path}：{problem}",
    "Your yes can't be recorded where the engine looks for it.": "您的同意无法记录到引擎会查看的地方。",
    "Make the file writable, or answer the engine's question yourself by starting it once.": (
        "请让该文件可写，或自己启动一次引擎并回答它的问题。"
    ),
    "Another program has held {lock} for {seconds} seconds.": "另一个程序已占用 {lock} 达 {seconds} 秒。",
    "Writing at the same time would damage the file.": "同时写入会损坏文件。",
    "Try again; if no engine is running, remove {lock}.": "请重试；如果没有引擎在运行，请删除 {lock}。",
    "Claude Code was never set up here: which colours, which login?": "Claude Code 从未在这里设置过：用哪种配色，如何登录？",
    "Start `claude` once in a terminal and log in.": "请在终端中启动一次 `claude` 并登录。",
    "Is {folder} trusted? Settings and hooks that lie in it may run commands.": (
        "是否信任 {folder}？其中的设置和钩子可以执行命令。"
    ),
    "May the API key from the environment that ends in {end} be used and billed?": (
        "是否允许使用环境变量中以 {end} 结尾的 API 密钥并由它计费？"
    ),
    "May Claude Code run every command and change every file without asking (bypass permissions mode)?": (
        "是否允许 Claude Code 不经询问就执行任何命令、修改任何文件（绕过权限模式）？"
    ),
    "{file} is not readable JSON: {problem}.": "{file} 不是可读的 JSON：{problem}。",
    "Claude Code would stop and ask whether to reset it.": "Claude Code 会停下来询问是否重置它。",
    "Repair the file, or put it aside and start `claude` once.": "请修复该文件，或把它移开后启动一次 `claude`。",
    "Claude Code refuses its bypass permissions mode for the user root.": "Claude Code 不允许 root 用户使用绕过权限模式。",
    "It would end at once, because unattended work needs that mode.": "无人值守的工作需要该模式，因此它会立即退出。",
    "Run the company as another user. If this machine is a sandbox that may be lost, say so: "
    "`IS_SANDBOX=1` in the environment, or `engines.claude-code.sandboxed: true` in company.yaml.": (
        "请用其他用户运行公司。如果这台机器是可以丢弃的沙箱，请说明这一点：在环境变量中设 `IS_SANDBOX=1`，"
        "或在 company.yaml 中写 `engines.claude-code.sandboxed: true`。"
    ),
    "Codex is not logged in: with ChatGPT, or with an API key?": "Codex 尚未登录：用 ChatGPT 还是 API 密钥？",
    "Run `codex login`, or `printenv OPENAI_API_KEY | codex login --with-api-key`.": (
        "请运行 `codex login`，或 `printenv OPENAI_API_KEY | codex login --with-api-key`。"
    ),
    "Set trust_level for {folder} in {file}.": "请在 {file} 中为 {folder} 设置 trust_level。",
    "{file} is not readable TOML: {problem}.": "{file} 不是可读的 TOML：{problem}。",
    "Codex would not start.": "Codex 将无法启动。",
    "Repair the file, or put it aside.": "请修复该文件，或把它移开。",
    "Codex takes its model provider's key from the variable {name}, which is not set here.": (
        "Codex 从环境变量 {name} 读取模型服务的密钥，而这里没有设置它。"
    ),
    "It would show an error and wait.": "它会显示错误并一直等待。",
    "Set {name} where the company is started.": "请在启动公司的环境中设置 {name}。",
    "Ticket {ticket} has no fenced `sh` or `bash` block.": "工单 {ticket} 中没有 `sh` 或 `bash` 代码块。",
    "The shell engine runs nothing else.": "shell 引擎只执行这种代码块。",
    "Put the commands between ```sh and ```, or give the ticket to an agent with another engine.": (
        "请把命令写在 ```sh 和 ``` 之间，或把工单交给使用其他引擎的智能体。"
    ),
    "The block in line {line} of ticket {ticket} has no end.": "工单 {ticket} 第 {line} 行开始的代码块没有结尾。",
    "What was meant to run can't be told from what was not.": "无法区分哪些内容要执行，哪些不要执行。",
    "Close the block with ``` on a line of its own.": "请用单独一行的 ``` 结束代码块。",
    "The program `{shell}` for the block in line {line} was not found.": "找不到执行第 {line} 行代码块所需的程序 `{shell}`。",
    "The block can't be run.": "该代码块无法执行。",
    "Install it, or write the block for `sh`.": "请安装它，或用 `sh` 改写该代码块。",
}
