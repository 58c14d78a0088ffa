/**
 * A program that reports with @sentry/node 7.38.0: an exception, a message and a session. Prints one line of JSON:
 * the ids and the statuses of the answers. Its argument is the DSN.
 */
const http = require("node:http");
const Sentry = require("@sentry/node");

const statuses = [];
const observed = {
  request: (options, callback) =>
    http.request(options, (response) => {
      statuses.push(response.statusCode);
      callback(response);
    }),
};

Sentry.init({
  dsn: process.argv[2],
  release: "shop@1.2.3",
  environment: "staging",
  autoSessionTracking: false,
  transportOptions: { httpModule: observed },
});

class PaymentError extends Error {
  name = "PaymentError";
}

function charge() {
  throw new PaymentError("card amex refused");
}

async function main() {
  let exceptionId;
  try {
    charge();
  } catch (error) {
    exceptionId = Sentry.captureException(error, { user: { id: "4711" }, tags: { region: "eu-west" } });
  }
  const messageId = Sentry.captureMessage("the till is empty", "warning");
  const hub = Sentry.getCurrentHub();
  hub.startSession();
  hub.captureSession(true);
  const flushed = await Sentry.flush(5_000);
  console.log(JSON.stringify({ exceptionId, messageId, statuses, flushed, sdk: Sentry.SDK_VERSION }));
}

void main();
