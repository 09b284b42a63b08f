"""Chinese sentences of engine `custom` and its profiles."""

SENTENCES: dict[str, str] = {
    # profile.json
    "`custom` is given, but the engine is {engine}.": "写了 `custom`，但引擎是 {engine}。",
    "`args` adds nothing to a custom command: put these words into `custom.command`.": "`args` 对自定义命令不起作用：请把这些词写进 `custom.command`。",
    "`custom.command` tells it nothing: neither {{prompt}} nor {{prompt_file}}.": "`custom.command` 里既没有 {{prompt}} 也没有 {{prompt_file}}，程序不知道要做什么。",
    "`custom.resume` names {{session_id}}, which `custom.command` never told the program.": "`custom.resume` 用到了 {{session_id}}，但 `custom.command` 从未把它告诉程序。",
    "`model` and {{model}} in `custom.command` need each other.": "`model` 与 `custom.command` 里的 {{model}} 必须同时出现。",
    "`{key}` has {word}, which stands for nothing.": "`{key}` 里的 {word} 不代表任何内容。",
    "`{key}` begins with {word}, not with a program.": "`{key}` 以 {word} 开头，而不是程序名。",
    "an object: {{ … }}": "对象：{{ … }}",
    "a list of words, the program first": "单词列表，第一个是程序",
    "variables with their values as text: no secrets, and none that begins with HC_": "变量及其文本值：不能是密钥，名字不能以 HC_ 开头",
    "DONE or exit": "DONE 或 exit",
    # hc agent add
    "`--command` holds no command line: `{command}`.": "`--command` 里没有命令行：`{command}`。",
    "An agent with engine custom needs a program.": "使用 custom 引擎的员工需要一个程序。",
    "Give it, e.g. --command 'tool --auto {{prompt}}'; quotes must be closed.": "请写明，例如 --command 'tool --auto {{prompt}}'；引号要成对。",
    # The engine
    "The profile of {agent} has no `custom.command`.": "{agent} 的 profile.json 里没有 `custom.command`。",
    "There is no program to start.": "没有可以启动的程序。",
    "Say it in agents/{agent}/profile.json; docs/how-to/use-any-cli.md shows how.": "请写进 agents/{agent}/profile.json；写法见 docs/how-to/use-any-cli.md。",
    "The profile of {agent} has no `custom.resume`.": "{agent} 的 profile.json 里没有 `custom.resume`。",
    "Its program can't go on in a conversation; the prompt says only what is new.": "它的程序无法接着原来的会话；这次的提示词只说了新的内容。",
    "Move the ticket to todo: it begins anew there. Or add `custom.resume`.": "把工单移到 todo，它会从头开始；或补上 `custom.resume`。",
    "The program `{program}` of agent {agent} was not found.": "找不到员工 {agent} 的程序 `{program}`。",
    "The agent can't work.": "这名员工无法工作。",
    "Install it, or correct `custom.command` in agents/{agent}/profile.json.": "请安装它，或改正 agents/{agent}/profile.json 里的 `custom.command`。",
}
