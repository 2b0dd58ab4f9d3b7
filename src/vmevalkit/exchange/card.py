"""The dataset card: what a set contains, its licence, its fingerprint, and the code that loads it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from vmevalkit import __version__
from vmevalkit.exchange.row import Row
from vmevalkit.store.atomic import write_file

LOADING = {
    "hf": "from datasets import load_dataset\n\nrows = load_dataset(FOLDER, split='train')",
    "hf-disk": "from datasets import load_from_disk\n\nrows = load_from_disk(FOLDER)",
    "webdataset": "import webdataset\n\n"
    "rows = webdataset.WebDataset(FOLDER + '/shard-{000000..LAST}.tar', shardshuffle=False)",
    "parquet": "import pandas\n\nrows = pandas.read_parquet(FOLDER)",
    "videofolder": "from datasets import load_dataset\n\n"
    "rows = load_dataset('videofolder', data_dir=FOLDER, split='train')",
    "wandb": "import subprocess\nfrom pathlib import Path\n\n"
    "for run in Path(FOLDER).glob('wandb/offline-run-*'):\n    subprocess.run(['wandb', 'sync', run], check=True)",
    "trackio": "import os\n\nos.environ['TRACKIO_DIR'] = FOLDER\n\nimport trackio\n\ntrackio.show(project='vmevalkit')",
}
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


@dataclass(slots=True)
class CardCounts:
    """Counts of the rows that were written, and their fingerprint."""

    rows: int = 0
    videos: int = 0
    domains: Counter[str] = field(default_factory=Counter)
    models: Counter[str] = field(default_factory=Counter)
    _digest: object = field(default_factory=sha256)

    def add(self, row: Row) -> None:
        self.rows += 1
        self.videos += row.video is not None
        self.domains[row.domain] += 1
        if row.model is not None:
            self.models[row.model] += 1
        digest = sha256()
        for part in (row.key.encode(), row.prompt.encode(), row.first_frame, row.final_frame, row.solution, row.video):
            digest.update(sha256(part or b"").digest())
        self._digest.update(digest.digest())  # type: ignore[attr-defined]

    @property
    def fingerprint(self) -> str:
        """A digest of keys, prompts, images and videos in order."""
        return str(self._digest.hexdigest())  # type: ignore[attr-defined]


def write_card(folder: Path, to: str, name: str, licence: str, counts: CardCounts) -> None:
    """Write README.md, which the Hugging Face hub shows as the card of the set."""
    size = next((label for limit, label in _SIZES if counts.rows < limit), "n>1M")
    configs = "configs:\n- config_name: default\n  data_files: data/*.parquet\n" if to == "hf" else ""
    domains = "\n".join(f"| {domain} | {count} |" for domain, count in sorted(counts.domains.items()))
    models = "\n".join(f"| {model} | {count} |" for model, count in sorted(counts.models.items()))
    loading = LOADING[to].replace("LAST", f"{max(0, (counts.rows - 1) // 1000):06d}")
    text = f"""---
license: {licence}
pretty_name: {name}
size_categories:
- {size}
tags:
- video-generation
- reasoning
- vmevalkit
{configs}---

# {name}

{counts.rows} rows, {counts.videos} videos, written by vmevalkit {__version__}. Licence: {licence}.
Fingerprint of keys, prompts, images and videos: `{counts.fingerprint}`.

| domain | rows |
|---|---|
{domains}
"""
    if models:
        text += f"\n| model | videos |\n|---|---|\n{models}\n"
    text += f"""
`metadata` is the record of the question as JSON: its `puzzle` is the whole truth, so that
[vmevalkit](https://pypi.org/project/vmevalkit/) can score a video of it by rules: `vmevalkit import FOLDER`.

```python
{loading}
```
"""
    write_file(folder / "README.md", text)
