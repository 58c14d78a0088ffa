/**
 * A program that reports with @sentry/node 7.38.0 while its key is limited. It reads a line for each message to capture
 * and prints a line for each: the status of the answer, or "silent" if nothing was sent. Its argument is the DSN.
 */
const http = require("node:http");
const readline = require("node:readline");
const Sentry = require("@sentry/node");

let status = "silent";
const observed = {
  request: (options, callback) =>
    http.request(options, (response) => {
      status = String(response.statusCode);
      callback(response);
    }),
};

Sentry.init({ dsn: process.argv[2], autoSessionTracking: false, transportOptions: { httpModule: observed } });

async function main() {
  for await (const message of readline.createInterface({ input: process.stdin })) {
    status = "silent";
    Sentry.captureMessage(message);
    await Sentry.flush(5_000);
    console.log(status);
  }
}

void main();
