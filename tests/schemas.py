"""Do real documents fit the schemas that arena prints?"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from arena.cli.documents import documents, schema_of


@cache
def validator(name: str, part: str = "") -> Draft202012Validator:
    """Return the validator of a schema, or of one of its ``$defs``."""
    found = schema_of(name)
    Draft202012Validator.check_schema(found)
    return Draft202012Validator(found["$defs"][part] if part else found)


def check_document(text: str) -> str | None:
    """Raise ValidationError if a document of ``--json`` does not fit; return its name."""
    if not text.startswith("{"):
        return None
    try:
        value: Any = json.loads(text)
    except ValueError:  # several, one on each line
        return None
    name = value.get("schema")
    if name not in documents():
        return None
    validator(name).validate(value)
    return str(name)
