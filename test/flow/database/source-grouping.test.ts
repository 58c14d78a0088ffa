import { randomUUID } from "node:crypto";
import { encode, type SourceMapSegment } from "@jridgewell/sourcemap-codec";
import { GroupingPartKind, Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { newMember } from "../../support/core/person.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { sharedServer } from "../../support/service/flow.ts";
import { artifactBundle, builtCheckout, type Built } from "../../support/source-maps/built.ts";
import { uploadBundle, type Upload } from "../../support/source-maps/upload.ts";
import { until } from "../../support/run/until.ts";

const { server, client } = await sharedServer();
let project: Project;
let upload: Upload;

/** Two builds of one source with different names, like different minifications. */
const builds = await Promise.all(
  ["t", "r"].map(async (name) => {
    const debugId = randomUUID();
    return { name, debugId, built: await builtCheckout({ debugId }) };
  }),
);
type Build = (typeof builds)[number];
const [first, second] = builds as [Build, Build];

test.before.each(async () => {
  project = await createProject(server);
  const { token } = await newMember(client, project.id, Role.DEVELOPER, ["upload"]);
  upload = { token, organization: "-", projects: [project.path] };
});

/** Throws in a build: an event with its minified frame, and with one of a file that has no map. */
async function report({ name, debugId, built }: Build): Promise<string> {
  const file = `https://shop.example.com/assets/app-${name}.js`;
  const frames = [
    { function: `${name}2`, filename: `https://cdn.example.com/vendor-${name}.js`, lineno: 1, colno: 7, in_app: true },
    { function: name, filename: file, in_app: true, ...built.thrownAt },
  ];
  const eventId = newEventId();
  const { status, text } = await sendEvent(server, project, {
    event_id: eventId,
    platform: "javascript",
    debug_meta: { images: [{ type: "sourcemap", code_file: file, debug_id: debugId }] },
    exception: { values: [{ type: "Error", value: "negative total", stacktrace: { frames } }] },
  });
  assert.is(status, 200, text);
  return eventId;
}

async function errorOf(eventId: string): Promise<string> {
  const { event } = await client.errors.getEvent({ projectId: project.id, eventId }, client.auth);
  return event?.errorId ?? "";
}

/** Uploads a build and waits until events are grouped by it. */
async function uploadMap({ debugId, built }: { debugId: string; built: Built }): Promise<void> {
  const { state } = await uploadBundle(server, artifactBundle(built, debugId), upload);
  assert.is(state, "ok");
  await until("its grouping", async () => {
    const { artifactBundles } = await client.sourceMaps.listArtifactBundles({ projectId: project.id }, client.auth);
    return artifactBundles.every(({ groupingSinceTime }) => groupingSinceTime);
  });
}

const listed = async () => (await client.errors.listErrors({ projectId: project.id }, client.auth)).errors;

test("the same error of two builds is one error, named by its source", async () => {
  await uploadMap(first);
  await uploadMap(second);
  const errors = [await errorOf(await report(first)), await errorOf(await report(second))];
  assert.is(errors[0], errors[1]);
  const [error, ...others] = await listed();
  assert.equal(others, []);
  assert.is(error?.culprit, "totalOf(src/checkout)");
  assert.is(error?.eventCount, 2);
});

test("without maps they are two errors", async () => {
  assert.is.not(await errorOf(await report(first)), await errorOf(await report(second)));
});

test("maps that come after an event keep its error, which then takes the events of other builds", async () => {
  const error = await errorOf(await report(first));
  await uploadMap(first);
  await uploadMap(second);
  assert.is((await listed())[0]?.culprit, "totalOf(src/checkout)");
  assert.is(await errorOf(await report(second)), error);
  assert.is(await errorOf(await report(first)), error);
  assert.is((await listed()).length, 1);
});

test("the explanation has the names and the line of the source by which events are grouped, also of an event before its map", async () => {
  const eventId = await report(first);
  const errorId = await errorOf(eventId);
  const explained = async (request: object) =>
    (await client.errors.explainGrouping({ projectId: project.id, ...request }, client.auth)).explanation;
  const framesOf = async (request: object) =>
    (await explained(request))?.parts.filter(({ kind }) => kind === GroupingPartKind.FRAME).map(({ text }) => text);
  const minified = await framesOf({ errorId });
  await uploadMap(first);
  const before = await explained({ eventId });
  assert.equal(before?.parts.filter(({ kind, counted }) => counted && kind === GroupingPartKind.FRAME).length, 1);
  assert.is.not((await framesOf({ eventId }))?.join(), minified?.join());
  assert.match((await framesOf({ eventId }))?.join() ?? "", /src\/checkout in totalOf/);
  assert.ok(before?.parts.some(({ kind, text }) => kind === GroupingPartKind.LINE && text !== ""));
  assert.equal([before?.note, before?.hashErrorId], ["", ""]);
  assert.ok(before?.errorHashes.includes(before.hash));
  const after = await explained({ eventId: await report(first) });
  assert.equal([after?.errorId, after?.hash], [errorId, before?.hash]);
});

test("callbacks without names are distinguished by their source if a map has no lines, whatever their caller calls them", async () => {
  const debugId = randomUUID();
  const code = `function w(f){f()}const p=()=>w(()=>{throw Error("no")}),s=()=>w(()=>{throw Error("gone")});`;
  const call = code.indexOf("f()}");
  const thrown = [code.indexOf("Error"), code.lastIndexOf("Error")];
  const segments = [[0, 0, 0, 0], [9, 0, 0, 9, 0], [call, 0, 1, 2, 1], ...thrown.map((at, n) => [at, 0, n + 3, 8])];
  const names = ["wrapped", "callback"]; // the second belongs to the token of the call
  const map = {
    version: 3,
    debug_id: debugId,
    sources: ["handlers.ts"],
    names,
    mappings: encode([segments as SourceMapSegment[]]),
  };
  await uploadMap({ debugId, built: { code, map: JSON.stringify(map), thrownAt: first.built.thrownAt } });
  const file = "https://shop.example.com/assets/app.js";
  const frame = (name: string, at: number) => ({
    function: name,
    filename: file,
    in_app: true,
    lineno: 1,
    colno: at + 1,
  });
  for (const [n, value] of ["card 17 was declined", "the address is missing", "card 4 was declined"].entries()) {
    const { status, text } = await sendEvent(server, project, {
      event_id: newEventId(),
      platform: "javascript",
      debug_meta: { images: [{ type: "sourcemap", code_file: file, debug_id: debugId }] },
      exception: {
        values: [{ type: "Error", value, stacktrace: { frames: [frame("w", call), frame("?", thrown[n % 2] ?? 0)] } }],
      },
    });
    assert.is(status, 200, text);
  }
  assert.equal((await listed()).map(({ title, eventCount }) => [title, eventCount]).toSorted(), [
    ["Error: card 4 was declined", 2],
    ["Error: the address is missing", 1],
  ]);
});

test("discarding an error also discards the errors that a map joined to it", async () => {
  const errorId = await errorOf(await report(first));
  await uploadMap(first);
  await uploadMap(second);
  await client.deletions.createDeletion(
    { projectId: project.id, target: { case: "errors", value: { errorIds: [errorId] } }, discard: {} },
    client.auth,
  );
  await report(second);
  assert.equal(await listed(), []);
});

test.run();
