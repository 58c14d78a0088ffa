import { test } from "uvu";
import * as assert from "uvu/assert";
import { answered } from "../../support/assert/assert-answer.ts";
import { runningServer } from "../../support/service/flow.ts";
import { linkedPage } from "../../support/console/linked-page.ts";
import { newPerson } from "../../support/core/person.ts";
import { rest } from "../../support/rest/rest.ts";

const { server, client } = await runningServer({ env: { FAULTLINE_PLATFORM_RELEASE: "16.10" } });
for (let count = 0; count < 4; count += 1) await newPerson(client);

const idsIn = ({ json }: { json: unknown }) => (json as { id: number }[]).map(({ id }) => id);

test("before release 17.0 users come in offset pages with their headers", async () => {
  const all = await answered(rest(server, "GET /users"), 200);
  assert.is(all.headers["x-total"], "5");
  const second = await answered(rest(server, "GET /users?page=2&per_page=2"), 200);
  assert.equal(idsIn(second), idsIn(all).slice(2, 4));
  const wanted = { total: "5", "total-pages": "3", page: "2", "per-page": "2", "next-page": "3", "prev-page": "1" };
  for (const [name, value] of Object.entries(wanted)) assert.is(second.headers[`x-${name}`], value, name);
  const last = await answered(rest(server, `GET ${linkedPage(second, "last")}`), 200);
  assert.equal(idsIn(last), idsIn(all).slice(4));
});

test("before release 17.0 keyset pages can be asked for", async () => {
  const first = await answered(rest(server, "GET /users?pagination=keyset&per_page=3"), 200);
  assert.is(first.headers["x-total"], undefined);
  const second = await answered(rest(server, `GET ${linkedPage(first, "next")}`), 200);
  assert.is(idsIn(second).length, 2);
  assert.is(new Set([...idsIn(first), ...idsIn(second)]).size, 5);
});

test.run();
