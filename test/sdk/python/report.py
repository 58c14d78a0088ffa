"""Reports with sentry-sdk what test/sdk/features.ts asserts."""

import os

import sentry_sdk

# send_default_pii: without it this SDK replaces addresses of users by "[Filtered]".
sentry_sdk.init(
    os.environ["FAULTLINE_TEST_DSN"],
    release="shop@1.2.3",
    environment="staging",
    send_default_pii=True,
)


class PaymentError(Exception):
    pass


def charge():
    try:
        raise LookupError("unknown card")
    except LookupError as error:
        raise PaymentError("payment refused") from error


def message(case, text, level="info", **scope_fields):
    with sentry_sdk.push_scope() as scope:
        scope.set_tag("case", case)
        for name, value in scope_fields.items():
            setattr(scope, name, value)
        sentry_sdk.capture_message(text, level)


for _ in range(2):  # as a web framework does for each request
    sentry_sdk.Hub.current.start_session(session_mode="request")
    sentry_sdk.Hub.current.end_session()
sentry_sdk.Hub.current.start_session(session_mode="application")

with sentry_sdk.push_scope() as scope:
    scope.set_tag("case", "handled")
    scope.set_tag("region", "eu-west")
    try:
        charge()
    except PaymentError as error:
        sentry_sdk.capture_exception(error)

for level in ["debug", "info", "warning", "error", "fatal"]:
    message(f"level-{level}", f"level {level}", level)

message("user-id", "user by id", user={"id": "4711"})
message("user-username", "user by username", user={"username": "ann"})
message("user-email", "user by email", user={"email": "ann@shop.example"})
message("user-ip", "user by ip", user={"ip_address": "203.0.113.7"})
message("fingerprint-1", "the till is empty", fingerprint=["till"])
message("fingerprint-2", "its drawer is stuck", fingerprint=["till"])

with sentry_sdk.push_scope() as scope:
    scope.set_tag("case", "large")
    for part in range(50):
        scope.set_extra(f"part-{part:02}", "x" * 4000)
    sentry_sdk.capture_message("a large event")

message("unicode", "before\0after naïve 漢字 🙂")

sentry_sdk.Hub.current.end_session()
sentry_sdk.set_tag("case", "unhandled")
raise RuntimeError("the till fell down")  # the exit hook of the SDK flushes
