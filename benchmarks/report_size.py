"""Reports of 1,000 and 10,000 videos: time, memory and page weight; and how fluid the gallery is in a browser.

Scorers wrote the strips beside the scores, so the report copies them and makes thumbnails only. Each report is built in
a process of its own, whose highest memory is what counts.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.made_experiment import MadeExperiment, write_experiment
from benchmarks.measure import Claim, report, scratch

MODELS = (*(f"model-{number}" for number in range(7)), "static")
FEW, MANY = 1_000, 10_000
_BUILD = """
import json, resource, sys, time
from pathlib import Path
from vmevalkit.report.build import build_report
root = Path(sys.argv[1])
build_report("made", root / "outputs", root / "evaluations", root / "report")
used = resource.getrusage(resource.RUSAGE_SELF)
unit = 1e6 if sys.platform == "darwin" else 1e3
print(json.dumps({"seconds": time.process_time(), "megabytes": used.ru_maxrss / unit}))
"""


@dataclass(frozen=True, slots=True)
class Built:
    """What one report took."""

    seconds: float
    """CPU seconds, imports included."""
    megabytes: float
    """Highest resident memory."""
    first_page: float
    """Megabytes that the first page loads: itself, its style and its figures."""
    gallery: float
    """Megabytes of page, scripts and data that the gallery loads before its images."""


def build(root: Path, videos: int) -> Built:
    """Write an experiment, build its report in a process of its own and return what it took."""
    write_experiment(root, MadeExperiment(questions=videos // len(MODELS), models=MODELS))
    done = subprocess.run([sys.executable, "-c", _BUILD, str(root)], capture_output=True, text=True, check=True)
    took = json.loads(done.stdout.splitlines()[-1])
    folder = root / "report"
    style = [folder / "assets" / "report.css"]
    figures = [path for path in (folder / "figures").rglob("*.svg") if not path.stem.endswith("-dark")]
    scripts = [folder / "assets" / name for name in ("common.js", "gallery.js")]
    data = [folder / "data" / "index.js", *(folder / "data").glob("videos-*.js")]
    return Built(
        took["seconds"],
        took["megabytes"],
        _sum_megabytes([folder / "index.html", *style, *figures]),
        _sum_megabytes([folder / "gallery.html", *style, *scripts, *data]),
    )


def _sum_megabytes(paths: list[Path]) -> float:
    return sum(path.stat().st_size for path in paths) / 1e6


def measure_longest_tasks(folder: Path) -> dict[str, float] | None:
    """Return the longest tasks of the browser in milliseconds: while the gallery opens, and while it is used.

    None where there is no Chromium."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if path is None:
        return None
    from playwright.sync_api import sync_playwright

    watch = (
        "window.longest = 0; new PerformanceObserver(list => { for (const task of list.getEntries())"
        " window.longest = Math.max(window.longest, task.duration); }).observe({ type: 'longtask', buffered: true });"
    )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.add_init_script(watch)
        page.goto((folder / "gallery.html").absolute().as_uri())
        page.wait_for_selector("body[data-ready]")
        page.wait_for_timeout(300)
        opening = page.evaluate("() => { const longest = window.longest; window.longest = 0; return longest; }")
        page.keyboard.press("/")
        page.keyboard.type("model-3 maze wall", delay=30)
        page.locator("button[type=reset]").click()
        for name, value in (
            ("model", "model-5"), ("verdict", "fail"), ("mode", "partial"), ("low", "2"), ("tag", "tag3"),
            ("level", "hard"), ("sort", "best"), ("sort", "worst"),
        ):  # fmt: skip
            page.select_option(f"[name={name}]", value)
            page.wait_for_timeout(60)
        page.locator("button[type=reset]").click()
        for _ in range(12):
            page.locator(".pager [data-go='1']").first.click()
            page.mouse.wheel(0, 1500)
            page.wait_for_timeout(60)
        using = page.evaluate("() => window.longest")
        page.evaluate(
            "() => setTimeout(() => { const end = performance.now() + 120; while (performance.now() < end); })"
        )
        page.wait_for_function("() => window.longest >= 100")  # the browser does report long tasks
        browser.close()
    # Tasks below 50 ms are not long ones, and the browser does not report them.
    return {"opening": float(opening), "using": float(using)}


def main() -> bool:
    with scratch() as root:
        few = build(root / "few", FEW)
        many = build(root / "many", MANY)
        tasks = measure_longest_tasks(root / "many" / "report")
    claims = [
        Claim("10,000 videos: report, without making strips", many.seconds, 60, "s", at_least=False),
        Claim("10,000 videos: memory beyond that of 1,000", many.megabytes - few.megabytes, 50, "MB", at_least=False),
        Claim("10,000 videos: weight of the first page with its figures", many.first_page, 2, "MB", at_least=False),
        Claim("10,000 videos: weight of the gallery before its images", many.gallery, 5, "MB", at_least=False),
    ]
    if tasks is None:
        print("\nno Chromium: the gallery is not measured")
    else:
        claims += [
            Claim("10,000 videos: longest browser task while the gallery opens", tasks["opening"], 200, "ms", False),
            Claim(
                "10,000 videos: longest task of filters, sorting, pages, scrolling", tasks["using"], 100, "ms", False
            ),
        ]
    return report("Report", claims)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
