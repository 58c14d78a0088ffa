"""Does what the get-started page shows; test/unit/console/snippets.test.ts keeps the two equal."""

import os

import django
from django.conf import settings
from django.test import Client
from django.urls import path

# snippet: start
# settings.py
import sentry_sdk

sentry_sdk.init(
    dsn=os.environ["FAULTLINE_TEST_DSN"],
    debug=True,
)
# snippet: identify
# in a view or a middleware; with data_collection={"user_info": True} the SDK does it for signed-in users
sentry_sdk.set_user({"id": "42"})


# snippet: test
# urls.py: path("faultline-test/", trigger)
def trigger(request):
    raise Exception("Test from Faultline")


# snippet: end
settings.configure(
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    SECRET_KEY="of this program alone",
)
urlpatterns = [path("faultline-test/", trigger)]
django.setup()
Client(raise_request_exception=False).get("/faultline-test/")
sentry_sdk.flush()
