"""The three tickets of `hc demo`: what they ask for in words, and the script that does it where no model is at work."""

from __future__ import annotations

from dataclasses import dataclass

from hermes_company.wording import Lang


@dataclass(frozen=True, kw_only=True, slots=True)
class DemoTicket:
    """One ticket."""

    title: str
    words: str
    script: str

    def body(self, *, scripted: bool) -> str:
        """The ticket's Markdown; the shell engine runs the script, a model reads the words."""
        return f"{self.words}\n\n```sh\n{self.script}```\n" if scripted else f"{self.words}\n"


@dataclass(frozen=True, kw_only=True, slots=True)
class DemoTickets:
    """What is learned in `first` helps with `third`; `second` is sent back once with `feedback`."""

    first: DemoTicket
    second: DemoTicket
    third: DemoTicket
    feedback: str


# Rows sorted by price; `tr` takes the carriage returns out that the summary warns of.
_TABLE = (
    "{{ echo '<table>'; tail -n +2 {file}.csv | tr -d '\\r' | sort -t, -k2 -n |\n"
    "  sed 's|\\(.*\\),\\(.*\\)|<tr><td>\\1</td><td>\\2</td></tr>|'; echo '</table>'; }} > {file}.html\n"
    "cat {file}.html\n"
)
_GREETING = (
    'if [ -z "$HC_FEEDBACK" ]; then\n'
    "  echo {plain} > greeting.txt\n"
    "else\n"
    '  echo "{heard} $HC_FEEDBACK"\n'
    "  echo {named} > greeting.txt\n"
    "fi\n"
    "cat greeting.txt\n"
)

_ENGLISH = DemoTickets(
    first=DemoTicket(
        title="Price list page from prices.csv",
        words=(
            "Make `prices.html` from `prices.csv`: a table with one row a product, the cheapest first.\n\n"
            "The export, to be saved as `prices.csv` (with Windows line ends): name,price / lamp,40 / chair,25 / table,90"
        ),
        script=(
            "printf 'name,price\\r\\nlamp,40\\r\\nchair,25\\r\\ntable,90\\r\\n' > prices.csv\n"
            + _TABLE.format(file="prices")
            + """cat > "$HC_OUTBOX/summary.md" <<'END'
## Steps

- Built the price list page prices.html from the export prices.csv, the cheapest product first.

## Pitfalls

- The export prices.csv has Windows line ends: remove the carriage returns first, or every price on the page ends in one.
END
"""
        ),
    ),
    second=DemoTicket(
        title="Greeting for new customers",
        words="Write a greeting for new customers into `greeting.txt`: one line.",
        script=_GREETING.format(plain="'Welcome.'", heard="The reviewer says:", named="'Welcome, {name}! Good to see you.'"),
    ),
    third=DemoTicket(
        title="Price list page for the winter sale",
        words=(
            "Make the price list page `winter.html` from the export `winter.csv`, the cheapest product first.\n\n"
            "The export, to be saved as `winter.csv` (with Windows line ends): name,price / sledge,60 / scarf,15"
        ),
        script=("printf 'name,price\\r\\nsledge,60\\r\\nscarf,15\\r\\n' > winter.csv\n" + _TABLE.format(file="winter")),
    ),
    feedback="Call the customer by name, and be a little warmer.",
)

_CHINESE = DemoTickets(
    first=DemoTicket(
        title="用 prices.csv 制作商品价目表页面",
        words=(
            "用 `prices.csv` 制作价目表页面 `prices.html`：一张表，每个商品一行，便宜的在前。\n\n"
            "商店的导出内容，请存为 `prices.csv`（Windows 换行）：名称,价格 / 台灯,40 / 椅子,25 / 桌子,90"
        ),
        script=(
            "printf '名称,价格\\r\\n台灯,40\\r\\n椅子,25\\r\\n桌子,90\\r\\n' > prices.csv\n"
            + _TABLE.format(file="prices")
            + """cat > "$HC_OUTBOX/summary.md" <<'END'
## 步骤

- 用导出文件 prices.csv 生成了价目表页面 prices.html，便宜的商品在前。

## 踩坑

- 导出的 prices.csv 是 Windows 换行：要先去掉回车符，否则页面上每个价格后面都带一个。
END
"""
        ),
    ),
    second=DemoTicket(
        title="给新客户的欢迎语",
        words="给新客户写一句欢迎语，放在 `greeting.txt` 里，一行。",
        script=_GREETING.format(plain="'欢迎。'", heard="审核人说：", named="'{name}，欢迎你！很高兴认识你。'"),
    ),
    third=DemoTicket(
        title="制作冬季促销商品价目表页面",
        words=(
            "用导出文件 `winter.csv` 制作价目表页面 `winter.html`，便宜的商品在前。\n\n"
            "导出内容，请存为 `winter.csv`（Windows 换行）：名称,价格 / 雪橇,60 / 围巾,15"
        ),
        script=("printf '名称,价格\\r\\n雪橇,60\\r\\n围巾,15\\r\\n' > winter.csv\n" + _TABLE.format(file="winter")),
    ),
    feedback="请称呼客户的名字，再热情一点。",
)

TICKETS: dict[Lang, DemoTickets] = {"en": _ENGLISH, "zh": _CHINESE}
