import json
import os
from pathlib import Path

from run_schema import run_schema

WRITTEN = Path(__file__).parents[2] / "nnue-cli/tools/src/loops/schema/trainer.json"


def test_the_command_has_the_keys_of_run_files() -> None:
    text = json.dumps(run_schema(), indent=2, ensure_ascii=False) + "\n"
    if os.environ.get("UPDATE_GOLDEN"):
        WRITTEN.write_text(text)
    assert WRITTEN.read_text() == text, "UPDATE_GOLDEN=1 accepts what was found"
