"""Meets the limits of Faultline with sentry-sdk; test/sdk/limits.ts asserts how it goes on."""

import os
import time

import sentry_sdk


def enlarge(event, hint):
    """Adds texts where the SDK has cut all others already."""
    if event["tags"]["case"] == "too-large":
        event["extra"] = {f"part-{part}": "x" * 4000 for part in range(300)}
    return event


sentry_sdk.init(os.environ["FAULTLINE_TEST_DSN"], before_send=enlarge)


def send(case):
    with sentry_sdk.push_scope() as scope:
        scope.set_tag("case", case)
        sentry_sdk.capture_message(case)
    sentry_sdk.flush(5)


send("too-large")
send("after-413")
for case in ["limited-1", "limited-2", "limited-3"]:
    send(case)
time.sleep(2.5)
send("after-429")
