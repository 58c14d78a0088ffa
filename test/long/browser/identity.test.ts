// limit: 240 s
import { ErrorStatus } from "@faultline/proto";
import { test } from "uvu";
import { eventId, startedAt } from "../../support/console/two-systems/events.ts";
import { hourMs, sameTree } from "../../support/console/two-systems/same-tree.ts";
import { live, opened, twoSystems } from "../../support/console/two-systems/two-systems.ts";

/** The pages of both backends that browser/identity.test.ts leaves out, which has one of each kind. */

const { external, list, errors, errorNamed, ...both } = await twoSystems();

for (const query of ["", "?status=all", "?status=all&sort=events", "?status=all&sort=first_seen", "?status=resolved"]) {
  test(`the list ${query} is the same`, () => both.sameTree(list + query, live));
}
for (const q of ["Payment", "level:warning", "region:eu-west", "environment:staging", "nothing"]) {
  const query = new URLSearchParams({ status: "all", q });
  test(`the search for ${q} is the same`, () => both.sameTree(`${list}?${query}`, live));
}

test("the next page of a list is the same", () =>
  both.sameTree(list, async (page) => {
    await page.getByRole("link", { name: "Next ›" }).click();
    await page.getByRole("link", { name: "‹ Previous" }).waitFor();
    await live(page);
  }));

test("the details of an error's oldest event and of one between are the same", async () => {
  await both.sameTree(`${errorNamed("PaymentError")}/details?event=oldest`, opened);
  await both.sameTree(`${errorNamed("PaymentError")}/details?event=${eventId(1)}&period=7d`, opened);
});

test("the details of a message without a stack are the same", () =>
  both.sameTree(`${errorNamed("Stock is low")}/details?period=90d`, opened));

test("the search for an error that came back is the same", () =>
  both.sameTree(`${list}?${new URLSearchParams({ q: "TimeoutError" })}`, live));

test("the details of events of which more was sent than is shown, of a bounded time, and of threads, are the same", async () => {
  await both.sameTree(`${errorNamed("RangeError")}/details`, opened);
  await both.sameTree(`${errorNamed("stopped")}/details`, opened);
});

test("a Reporter, who may change nothing, sees the same list", async () =>
  sameTree(await both.reporterPages(), list, live));

test("the details of an event that nobody has are the same", () =>
  both.sameTree(`${errorNamed("PaymentError")}/details?event=${"f".repeat(32)}`, live));

test("the events of an error within an hour are the same", () => {
  const from = new Date(Math.floor(startedAt / hourMs - 2) * hourMs).toISOString();
  return both.sameTree(`${errorNamed("PaymentError")}/events?from=${from}`, live);
});

test("an error that was resolved here looks the same on both sides", async () => {
  const changes = [
    { errorId: errors.find(({ title }) => title.startsWith("Stock"))?.errorId ?? "", status: ErrorStatus.RESOLVED },
  ];
  await external.client.errors.updateErrors({ projectId: 1, changes }, external.client.auth);
  await both.sameTree(`${errorNamed("Stock is low")}/details`, opened);
  await both.sameTree(`${list}?status=all`, live);
});

test.run();
