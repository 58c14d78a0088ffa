"""Sends with sentry-sdk what test/sdk/feedback-features.ts asserts. The SDK has no call of its own for feedback."""

import os

import sentry_sdk

sentry_sdk.init(os.environ["FAULTLINE_TEST_DSN"], release="shop@1.2.3", environment="staging")


def feedback(**fields):
    sentry_sdk.capture_event({"type": "feedback", "level": "info", "contexts": {"feedback": fields}})


feedback(name="Ann", contact_email="ann@shop.example", message="The till is empty.")
event_id = sentry_sdk.capture_exception(RuntimeError("the till fell down"))
feedback(name="Bo", contact_email="bo@shop.example", message="It fell.", associated_event_id=event_id)
sentry_sdk.flush()
