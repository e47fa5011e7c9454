"""The page of speed from release to release, drawn from `benchmarks/history.jsonl`."""

from __future__ import annotations

import importlib
import io
import math

benchmark = importlib.import_module("benchmarks.history")  # a script, for mypy no part of a package


def pages() -> dict[str, str | bytes]:
    """Return the page, and its picture once there are two releases to compare, by their files."""
    from ldp_auditor.figures.drawing import draw

    if len(benchmark.releases()) <= 1:
        return {"reference/benchmarks.md": _page()}
    drawn = io.BytesIO()
    draw(benchmark.figure_data(benchmark.releases())).savefig(drawn, dpi=110, format="png")
    return {"reference/benchmarks.md": _page(), "reference/benchmarks.png": drawn.getvalue()}


def _page() -> str:
    history = benchmark.releases()
    parts = [
        "# Speed from release to release",
        "",
        "The cost of a report, made and attacked on one thread, in raw words of NumPy's PCG64 that"
        " take as long in the same run; less is faster. Before a release"
        " `python benchmarks/history.py --check` fails if a kernel has lost 20% beside the code of"
        " the last one on the same machine, and `--add` writes the line from which this page is"
        " made. Times in seconds: [speed](../speed.md).",
    ]
    if len(history) > 1:
        parts += ["", "![Cost of a report of every protocol, release by release](benchmarks.png)"]
    for size in benchmark.SIZES:
        heading = " | ".join(f"{entry['version']} ({entry['date']})" for entry in history)
        parts += ["", f"## k = {size}", "", f"| protocol | {heading} |"]
        parts.append("| --- |" + " ---: |" * len(history))
        ending = f" k={size}"
        names = sorted({n for entry in history for n in entry["ratios"] if n.endswith(ending)})
        for name in names:
            ratios = (entry["ratios"].get(name, math.nan) for entry in history)
            cells = " | ".join("" if math.isnan(ratio) else f"{ratio:.1f}" for ratio in ratios)
            parts.append(f"| {name.removesuffix(ending)} | {cells} |")
    return "\n".join(parts) + "\n"
