"""Prints each change that the client reads from the start on, as a line of JSON, until it is ended."""

from __future__ import annotations

import json
import sys

from tidewire_client import Tidewire

for change in Tidewire(sys.argv[1]).changes(after="start"):
    print(json.dumps(change), flush=True)
