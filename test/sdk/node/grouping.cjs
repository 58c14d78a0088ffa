/** Fails in handlers of Express and callbacks that have no names; test/sdk/node/language.ts asserts which are one error. */
/* oxlint-disable oxc/no-async-endpoint-handlers -- it is about Express 4; 5 handles what they reject with */
const Sentry = require("@sentry/node");

Sentry.init({ dsn: process.env.FAULTLINE_TEST_DSN, release: "shop@1.2.3" });
Sentry.setTag("case", "handlers");

const express = require("express"); // after init, which wraps it
const app = express();
app.use(express.json());

app.get("/stock", async () => {
  throw new Error("the shelf is empty");
});

app.get("/customers/:id", async (request) => {
  throw new Error(`customer ${request.params.id} is barred`);
});

app.put("/prices", async (request, response) => {
  const lowest = Math.min(...request.body.prices);
  if (lowest < 0) throw new Error("a price is below zero");
  response.end();
});

app.get("/vouchers", (request, response) => {
  response.send(request.query.voucher.code);
});

app.get("/opening-hours", (request, response) => {
  const hours = undefined;
  response.send(hours.monday);
});

Sentry.setupExpressErrorHandler(app);
app.use((error, request, response, _next) => response.status(500).end()); // Express would print it

/** Two visits each: the second is of the same error. */
async function visit({ port }) {
  const headers = { "content-type": "application/json" };
  for (const path of ["stock", "customers/4711", "customers/5", "vouchers", "opening-hours", "stock"])
    await fetch(`http://127.0.0.1:${port}/${path}`);
  await fetch(`http://127.0.0.1:${port}/prices`, { method: "PUT", headers, body: '{"prices":[3,-1]}' });
}

function note(value) {
  Sentry.captureException(value);
}

const server = app.listen(0, "127.0.0.1", async () => {
  await visit(server.address());
  Sentry.setTag("case", "values");
  note("the printer has no paper");
  note("the drawer does not open");
  Sentry.setTag("case", "callbacks");
  const refused = new Promise((resolve) => process.once("unhandledRejection", resolve));
  setImmediate(() => {
    void Promise.reject(new Error("the receipt was refused"));
  });
  await refused;
  await Sentry.flush(10_000);
  setTimeout(() => {
    throw new Error("the till did not answer"); // the handler of the SDK flushes and ends the process
  }, 1);
});
