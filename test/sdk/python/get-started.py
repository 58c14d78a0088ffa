"""Does what the get-started page shows; test/unit/console/snippets.test.ts keeps the two equal."""

import os

# snippet: start
import sentry_sdk

sentry_sdk.init(
    dsn=os.environ["FAULTLINE_TEST_DSN"],
    debug=True,
)
# snippet: identify
sentry_sdk.set_user({"id": "42"})
# snippet: test
sentry_sdk.capture_exception(Exception("Test from Faultline"))
# snippet: end
