"""What the load is made of: payloads that GitHub publishes, of the size that they have in life."""

import json
from pathlib import Path

from pydantic import SecretStr

from bot.bench.api.packages import published
from bot.bench.load.generator import Payload
from bot.web.signature import signature_of

SMALLEST, LARGEST = 10_000, 30_000


def write_payloads(file: Path, secret: SecretStr) -> int:
    """Write the published examples of 10 to 30 kB, signed, and return how many there are. Raise
    RepowrightError where npm does not get them."""
    key = secret.get_secret_value().encode()
    examples = json.loads((published("examples") / "api.github.com/index.json").read_text("utf-8"))
    found = []
    for event in examples:
        for example in event["examples"]:
            body = json.dumps(example)
            if SMALLEST <= len(body) <= LARGEST:
                signature = signature_of(key, body.encode())
                payload = Payload(event=event["name"], signature=signature, body=body)
                found.append(payload.model_dump())
    file.write_text(json.dumps(found), "utf-8")
    return len(found)
