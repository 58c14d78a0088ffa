"""Fails in groups, functions without names and messages; test/sdk/python/language.ts asserts which are one error."""

import asyncio
import logging
import os

import sentry_sdk

sentry_sdk.init(os.environ["FAULTLINE_TEST_DSN"], release="shop@1.2.3", attach_stacktrace=True)


async def ask_till(number):
    raise TimeoutError(f"till {number} is silent")


async def ask_scales(number):
    raise ConnectionError(f"scales {number} are unplugged")


async def ask_all(questions):
    async with asyncio.TaskGroup() as group:
        for question in questions:
            group.create_task(question)


sentry_sdk.set_tag("case", "tasks")
for count in (1, 2, 3, 4):
    try:
        asyncio.run(ask_all([ask_till(number) for number in range(count)]))
    except* TimeoutError as group:
        sentry_sdk.capture_exception(group)

sentry_sdk.set_tag("case", "kinds")
for tills, scales in ((1, 1), (3, 1), (1, 2)):
    try:
        asyncio.run(ask_all([*map(ask_till, range(tills)), *map(ask_scales, range(scales))]))
    except* OSError as group:  # both are kinds of it
        sentry_sdk.capture_exception(group)

sentry_sdk.set_tag("case", "kept")
for scales in (0, 2):
    try:
        asyncio.run(ask_all([ask_till(0), *map(ask_scales, range(scales))]))
    except* ConnectionError:
        pass
    except* TimeoutError as group:
        sentry_sdk.capture_exception(group)

sentry_sdk.set_tag("case", "lambdas")
prices = {}
for discount in (
    lambda: prices["bread"] * 2,
    lambda: prices["cheese"] / 2,
):
    try:
        discount()
    except KeyError as error:
        sentry_sdk.capture_exception(error)


def close_shop():
    sentry_sdk.capture_message("the light is on")
    sentry_sdk.capture_message("the door is open")
    logging.error("the safe is open since %s", "noon")
    logging.error("the safe is open since %s", "dusk")


sentry_sdk.set_tag("case", "messages")
close_shop()
sentry_sdk.flush(10)
