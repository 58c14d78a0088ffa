"""Does what the get-started page shows; test/unit/console/snippets.test.ts keeps the two equal."""

import os

# snippet: start
import sentry_sdk
from flask import Flask

sentry_sdk.init(
    dsn=os.environ["FAULTLINE_TEST_DSN"],
    debug=True,
)
app = Flask(__name__)
# snippet: identify
# in a view, or before each request
sentry_sdk.set_user({"id": "42"})


# snippet: test
@app.route("/faultline-test")
def trigger():
    raise Exception("Test from Faultline")


# snippet: end
app.test_client().get("/faultline-test")
sentry_sdk.flush()
