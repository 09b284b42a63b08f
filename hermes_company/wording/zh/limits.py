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
    "attempt {number}: {receipt}": "第 {number} 次尝试：{receipt}",
}
