import { test } from "uvu";
import * as assert from "uvu/assert";
import { movableFaultline } from "../../support/service/movable-faultline.ts";
import { createProject } from "../../support/core/project.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { cursorsOf, webApi } from "../../support/external/web-api.ts";

const { client, faultline, clock } = await movableFaultline();
const server = { url: faultline.httpUrl };
const project = await createProject(server);
const other = await createProject(server);

/** How often errors 1 to 7 are seen; two of them in the same millisecond. */
const counts = [1, 5, 3, 1, 6, 2, 7];
const errorCount = counts.length;
for (const [index, count] of counts.entries()) {
  const n = index + 1;
  if (n !== 4) clock.at += 1000;
  for (let times = 0; times < count; times += 1) {
    const event = { event_id: newEventId(), exception: { values: [{ type: `Error${n}`, value: "paged" }] } };
    assert.is((await sendEvent(server, project, event)).status, 200);
  }
}
// The first error is seen once more, so that each sort has a different order.
const lastOfSeventh = clock.at;
clock.at += 1000;
await sendEvent(server, project, {
  event_id: newEventId(),
  exception: { values: [{ type: "Error1", value: "paged" }] },
});
await sendEvent(server, other, { event_id: newEventId(), message: "elsewhere" });
const listed = await client.projects.listProjects({}, client.auth);
const slugs = new Map(listed.projects.map(({ projectId, path }) => [projectId, path]));
const list = `/projects/-/${slugs.get(project.id)}/issues/`;
const otherList = `/projects/-/${slugs.get(other.id)}/issues/`;

type Issues = { id: string; metadata: { type: string }; count: string }[];
const types = (json: unknown) => (json as Issues).map(({ metadata }) => metadata.type);

async function walk(path: string, rel: "next" | "previous", cursor?: string) {
  const pages: string[][] = [];
  const cursors: string[] = [];
  for (let at = cursor; pages.length < 20;) {
    const answer = await webApi(server, `GET ${path}${at === undefined ? "" : `&cursor=${at}`}`);
    assert.is(answer.status, 200, answer.text);
    pages.push(types(answer.json));
    at = cursorsOf(answer)[rel];
    if (at === undefined) return { pages, cursors, last: answer };
    assert.match(at, /^[0-9:]{1,64}$/);
    cursors.push(at);
  }
  throw new Error("the list has no end");
}

for (const [sort, first] of [
  ["date", "Error1"],
  ["new", "Error7"],
  ["freq", "Error7"],
] as const) {
  test(`sorted by ${sort}, the pages forward are the list, and the pages back are the same ones`, async () => {
    const path = `${list}?query=is:unresolved&limit=2&sort=${sort}`;
    const all = types((await webApi(server, `GET ${list}?query=is:unresolved&limit=100&sort=${sort}`)).json);
    assert.is(all.length, errorCount);
    assert.is(all[0], first);
    const forward = await walk(path, "next");
    assert.equal(forward.pages.flat(), all);
    assert.is(forward.pages.length, 4);
    const back = await walk(path, "previous", forward.cursors.at(-1));
    assert.equal(back.pages.toReversed(), forward.pages);
  });
}

test("each sort has its own order", async () => {
  const orders = await Promise.all(
    ["date", "new", "freq"].map(async (sort) =>
      types((await webApi(server, `GET ${list}?sort=${sort}`)).json).join(" "),
    ),
  );
  assert.is(new Set(orders).size, 3);
});

test("the header names both directions on each page, and both addresses lead where their cursors do", async () => {
  const { cursors } = await walk(`${list}?limit=2`, "next");
  const answer = await webApi(server, `GET ${list}?limit=2&query=paged&cursor=${cursors[0]}`);
  assert.is(answer.status, 400, "a cursor holds for its own search alone");
  const middle = await webApi(server, `GET ${list}?limit=2&cursor=${cursors[0]}`);
  const links = String(middle.headers["link"]).split(", ");
  assert.equal(
    links.map((link) => link.replace(/^<[^>]*>; /, "").replace(/cursor="[0-9:]+"/, "cursor")),
    ['rel="previous"; results="true"; cursor', 'rel="next"; results="true"; cursor'],
  );
  for (const [index, rel] of (["previous", "next"] as const).entries()) {
    const url = /^<([^>]*)>/.exec(links[index] ?? "")?.[1] ?? "";
    assert.ok(url.startsWith(`${server.url}/api/0${list}?limit=2&cursor=`), url);
    const followed = await webApi(server, `GET ${url.slice(`${server.url}/api/0`.length)}`);
    const byCursor = await webApi(server, `GET ${list}?limit=2&cursor=${cursorsOf(middle)[rel]}`);
    assert.equal(followed.json, byCursor.json);
  }
});

test("X-Hits counts the issues of the status that is asked for", async () => {
  const hits = async (query: string) => {
    const { headers } = await webApi(server, `GET ${list}?limit=1${query}`);
    return [headers["x-hits"], headers["x-max-hits"]];
  };
  assert.equal(await hits(""), ["7", "1000"]);
  assert.equal(await hits("&query=is:resolved"), ["0", "1000"]);
  assert.equal(await hits("&query="), ["7", "1000"]);
  assert.equal(await hits("&query=is:unresolved+Error3"), ["1", "1000"]);
});

test("cursors of another project, sort, status or search, and damaged ones, are refused", async () => {
  const [cursor = ""] = (await walk(`${list}?query=is:unresolved&limit=2&sort=freq`, "next")).cursors;
  const refused = [
    `${otherList}?query=is:unresolved&sort=freq&cursor=${cursor}`,
    `${list}?query=is:unresolved&sort=date&cursor=${cursor}`,
    `${list}?query=is:resolved&sort=freq&cursor=${cursor}`,
    `${list}?query=is:unresolved+x&sort=freq&cursor=${cursor}`,
    `${list}?query=is:unresolved&sort=freq&cursor=${cursor.slice(1)}`,
    `${list}?query=is:unresolved&sort=freq&cursor=${cursor}7`,
    `${list}?query=is:unresolved&sort=freq&cursor=${cursor}:1`,
    ...["0:100:0", "1", ":::", "1:2:3:9", "-1:2:3:0", "1e9:1:1:0", "9".repeat(64), "x", "%00", "[]"].map(
      (bad) => `${list}?query=is:unresolved&sort=freq&cursor=${bad}`,
    ),
    `/projects/?cursor=${cursor}`,
  ];
  for (const path of refused) {
    const { status, json } = await webApi(server, `GET ${path}`);
    assert.equal([path, status, json], [path, 400, { detail: "Invalid cursor parameter." }]);
  }
});

test("events of an issue are paged, the newest first, within a window where one is given", async () => {
  const [issue] = (await webApi(server, `GET ${list}?sort=freq&limit=1`)).json as Issues;
  const events = `/issues/${issue?.id}/events/`;
  const ids: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < 10; page += 1) {
    const answer = await webApi(server, `GET ${events}?per_page=3${cursor === undefined ? "" : `&cursor=${cursor}`}`);
    ids.push(...(answer.json as { eventID: string }[]).map(({ eventID }) => eventID));
    cursor = cursorsOf(answer).next;
    if (cursor === undefined) break;
  }
  assert.is(ids.length, 7);
  assert.is(new Set(ids).size, 7);
  const count = async (query: string) => {
    const { status, json } = await webApi(server, `GET ${events}?${query}`);
    return status === 200 ? (json as unknown[]).length : status;
  };
  const iso = (ms: number) => new Date(ms).toISOString();
  assert.is(await count("statsPeriod=1h"), 7);
  assert.is(await count(`start=${iso(lastOfSeventh)}&end=${iso(clock.at)}`), 7);
  assert.is(await count(`start=${iso(lastOfSeventh - 5000)}&end=${iso(lastOfSeventh)}`), 0);
  assert.is(await count(`start=${iso(clock.at)}`), 400);
  assert.is(await count("start=yesterday&end=today"), 400);
  assert.is(await count("statsPeriod=soon"), 400);
});

test("projects are paged by a number, and each comes once", async () => {
  const paths: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < 10; page += 1) {
    const answer = await webApi(server, `GET /projects/?per_page=1${cursor === undefined ? "" : `&cursor=${cursor}`}`);
    paths.push(...(answer.json as { slug: string }[]).map(({ slug }) => slug));
    cursor = cursorsOf(answer).next;
    if (cursor === undefined) break;
  }
  assert.equal(paths, [...slugs.values()].toSorted());
});

test.run();
