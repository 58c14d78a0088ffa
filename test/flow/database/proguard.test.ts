import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ArtifactBundleKind, Role, SourceMapVerdict as Verdict, type Event, type Exception } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { refusedBecause } from "../../support/assert/refused-because.ts";
import { newMember, type Person } from "../../support/core/person.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { until } from "../../support/run/until.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { sharedServer } from "../../support/service/flow.ts";
import { zipOf } from "../../support/source-maps/bundle-zip.ts";
import { postFiles, uploadMapping } from "../../support/source-maps/upload-mapping.ts";
import type { Upload } from "../../support/source-maps/upload.ts";

/** Mappings of ProGuard and R8: uploads as sentry-cli sends them, and events of Java that they make readable. */

const { server, client } = await sharedServer();
const fixtures = join(import.meta.dirname, "../../fixtures/source-maps");
const mapping = readFileSync(join(fixtures, "proguard-7.5.0.txt"));
/** As sentry-cli computes it. */
const ownId = "d3a34968-b87c-55b3-8edd-1d4d42b11bbe";
let project: Project;
let builder: Person;
let upload: Upload;

test.before.each(async () => {
  project = await createProject(server);
  builder = await newMember(client, project.id, Role.DEVELOPER, ["upload"]);
  upload = { token: builder.token, organization: "-", projects: [project.path] };
});

type SentFrame = Readonly<Record<string, unknown>>;

const main = { module: "com.acme.shop.Main", function: "main", filename: "SourceFile", lineno: 6 };
const pay = { module: "com.acme.shop.a", function: "a", filename: "SourceFile", lineno: 1023 };
const list = { module: "java.util.ArrayList", function: "forEach", filename: "ArrayList.java", lineno: 1511 };

/** Sends the event that the obfuscated program of the mapping makes, and reads it as it is shown. */
async function shownEvent(
  ids: readonly string[],
  frames: readonly SentFrame[] = [main, list, pay],
  thrown = { type: "b", module: "com.acme.shop" },
): Promise<Event> {
  const eventId = newEventId();
  const exception = { ...thrown, value: "negative amount -1", stacktrace: { frames } };
  const answer = await sendEvent(server, project, {
    event_id: eventId,
    platform: "java",
    sdk: { name: "sentry.java.android", version: "8.20.0" },
    debug_meta: { images: ids.map((uuid) => ({ type: "proguard", uuid })) },
    exception: { values: [exception] },
  });
  assert.is(answer.status, 200, answer.text);
  const { event } = await client.errors.getEvent({ projectId: project.id, eventId }, client.auth);
  assert.ok(event);
  return event as Event; // asserted above
}

function exceptionOf({ exceptions }: Event): Exception {
  const [exception] = exceptions;
  assert.ok(exception);
  return exception as Exception; // asserted above
}

const placesOf = (event: Event) =>
  exceptionOf(event).frames.map(
    ({ module, function: name, filename, lineno }) => `${module}.${name} ${filename}:${lineno}`,
  );

const sourcePlaces = [
  "com.acme.shop.Main.main Main.java:6",
  "java.util.ArrayList.forEach ArrayList.java:1511",
  "com.acme.shop.Checkout.pay Checkout.java:14",
  "com.acme.shop.Checkout.charge Checkout.java:18",
  "com.acme.shop.Checkout.checked Checkout.java:23",
];

const bundles = async () =>
  (await client.sourceMaps.listArtifactBundles({ projectId: project.id }, client.auth)).artifactBundles;

test("an event of Java has the names, lines and inlined calls of its source, next to what was sent", async () => {
  const id = randomUUID();
  assert.is((await uploadMapping(server, mapping, upload, id)).state, "ok");
  const event = await shownEvent([randomUUID(), id]);
  assert.equal(placesOf(event), sourcePlaces);
  const { type, module, obfuscated, frames } = exceptionOf(event);
  assert.equal(
    [module, type, obfuscated?.module, obfuscated?.type],
    ["com.acme.shop", "PaymentError", "com.acme.shop", "b"],
  );
  assert.equal(
    frames.map(({ sourceMapping }) => sourceMapping?.verdict),
    [Verdict.MAPPED, undefined, Verdict.MAPPED, Verdict.MAPPED, Verdict.MAPPED],
  );
  const [, , sent, ...inlined] = frames.map(({ sourceMapping }) => sourceMapping);
  const { module: sentModule, function: sentName, filename, lineno } = sent?.minified ?? {};
  assert.equal({ module: sentModule, function: sentName, filename, lineno }, pay);
  assert.equal(
    inlined.map((one) => [one?.inlined, one?.minified]),
    [
      [true, undefined],
      [true, undefined],
    ],
  );
});

test("a mapping is found by the id that sentry-cli computes, and by each it was uploaded with, but is one upload", async () => {
  const [first, second] = [randomUUID(), randomUUID()];
  await uploadMapping(server, mapping, upload, first);
  assert.is((await uploadMapping(server, mapping, upload, second)).state, "ok");
  for (const id of [ownId, first, second]) assert.equal(placesOf(await shownEvent([id])), sourcePlaces);
  const [bundle, ...others] = await bundles();
  assert.equal(others, []);
  assert.equal(bundle?.debugIds.toSorted(), [first, second, ownId].toSorted());
});

test("the upload of sentry-cli 2.58.6, a ZIP file in a form, is read and answered", async () => {
  const body = readFileSync(join(fixtures, "sentry-cli-2.58.6-proguard.body"));
  const boundary = body.toString("latin1", 2, body.indexOf("\r\n"));
  const answer = await postFiles(server, upload, "dsyms", {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body,
  });
  assert.is(answer.status, 200, answer.text);
  assert.equal(
    (answer.json as { uuid: string }[]).map(({ uuid }) => uuid),
    [ownId],
  );
  assert.equal(placesOf(await shownEvent([ownId])), sourcePlaces);
  const damaged = await postFiles(server, upload, "dsyms", {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: body.subarray(0, 300),
  });
  assert.is(damaged.status, 400);
});

test("a ZIP file has several mappings, each found by its own ids", async () => {
  const [shop, other] = [randomUUID(), randomUUID()];
  const text = "com.acme.Other -> com.acme.shop.a:\n    1:2000:void found():1:2000 -> a\n";
  const zip = zipOf(
    [
      { name: `proguard/${shop}.txt`, content: mapping },
      { name: `proguard/${other}.txt`, content: text },
      { name: "readme.txt", content: "no mapping" },
    ],
    { start: Buffer.alloc(0) },
  );
  const body = Buffer.concat([
    Buffer.from(`--x\r\nContent-Disposition: form-data; name="file"; filename="m"\r\n\r\n`),
    zip,
    Buffer.from("\r\n--x--\r\n"),
  ]);
  const answer = await postFiles(server, upload, "dsyms", { contentType: "multipart/form-data; boundary=x", body });
  assert.is(answer.status, 200, answer.text);
  assert.equal(placesOf(await shownEvent([shop])), sourcePlaces);
  assert.is(placesOf(await shownEvent([other])).at(-1), "com.acme.Other.found Other.java:1023");
  const [bundle] = await bundles();
  assert.equal([bundle?.mappedFileCount, bundle?.debugIds.length], [2, 4]);
});

test("a frame that the mapping does not help says why", async () => {
  const id = randomUUID();
  const looking = { ...pay, module: "a.a.c" };
  assert.is(exceptionOf(await shownEvent([], [looking])).frames[0]?.sourceMapping, undefined);
  await uploadMapping(server, mapping, upload, id);
  const rows: [ids: string[], frame: SentFrame, verdict: Verdict | undefined, place: string][] = [
    [[randomUUID()], pay, Verdict.ID_UNKNOWN, "com.acme.shop.a.a SourceFile:1023"],
    [[randomUUID()], list, undefined, "java.util.ArrayList.forEach ArrayList.java:1511"],
    [[], looking, Verdict.NOT_INJECTED, "a.a.c.a SourceFile:1023"],
    [[], { ...pay, module: "com.acme.Own" }, undefined, "com.acme.Own.a SourceFile:1023"],
    [[id], { ...pay, lineno: 0 }, Verdict.INVALID_LOCATION, "com.acme.shop.Checkout.pay Checkout.java:0"],
    [[id], { ...pay, lineno: 500 }, Verdict.POSITION_OUTSIDE, "com.acme.shop.Checkout.pay Checkout.java:0"],
  ];
  for (const [ids, frame, verdict, place] of rows) {
    const event = await shownEvent(ids, [frame]);
    const { sourceMapping } = exceptionOf(event).frames[0] ?? {};
    assert.is(sourceMapping?.verdict, verdict, place);
    if (verdict !== undefined) assert.match(sourceMapping?.cause ?? "", /^.*\.$/);
    assert.equal(placesOf(event), [place]);
  }
});

test("a mapping is listed by its kind, is noted as used, and deleted as any upload", async () => {
  const id = randomUUID();
  const { state } = await uploadMapping(server, mapping, upload, id);
  assert.is(state, "ok");
  const [bundle] = await bundles();
  assert.equal(
    [bundle?.kind, bundle?.mappedFileCount, bundle?.createdBy, bundle?.warnings],
    [ArtifactBundleKind.PROGUARD, 1, builder.username, []],
  );
  assert.ok((bundle?.storedBytes ?? 0n) > 0n);
  await client.sourceMaps.deleteArtifactBundle({ projectId: project.id, bundleId: bundle?.bundleId ?? 0 }, client.auth);
  const { sourceMapping } = exceptionOf(await shownEvent([id])).frames.at(-1) ?? {};
  assert.is(
    sourceMapping?.verdict,
    Verdict.ID_UNKNOWN,
    "an event that names a mapping says so where nothing is uploaded",
  );
});

test("other debug files, a text that is not a mapping, and a file for a stranger's project are refused in words", async () => {
  const other = await uploadMapping(server, Buffer.from("\x7fELF"), upload, undefined);
  assert.equal([other.state, other.missingChunks], ["error", []]);
  assert.match(other.detail ?? "", /Only ProGuard and R8 mappings are supported/);
  const broken = await uploadMapping(server, Buffer.from("no mapping"), upload, randomUUID());
  assert.is(broken.state, "error");
  assert.match(broken.detail ?? "", /names no class/);
  const artifacts = { projectId: project.id, checksum: "0".repeat(40), chunks: ["0".repeat(40)] };
  const { assembleArtifactBundle } = client.sourceMaps;
  await refusedBecause("INVALID_FIELD", assembleArtifactBundle({ ...artifacts, debugId: ownId }, client.auth));
  const wrongId = { ...artifacts, kind: ArtifactBundleKind.PROGUARD, debugId: "no uuid" };
  await refusedBecause("INVALID_FIELD", assembleArtifactBundle(wrongId, client.auth));
  const elsewhere = await createProject(server);
  const answer = await postFiles(server, { ...upload, projects: [elsewhere.path] }, "difs/assemble", {
    contentType: "application/json",
    body: Buffer.from(
      JSON.stringify({ ["0".repeat(40)]: { name: `/proguard/${randomUUID()}.txt`, chunks: ["0".repeat(40)] } }),
    ),
  });
  assert.is(answer.status, 404, answer.text);
});

test("an event of Java is grouped and named by its source, also where the mapping comes later", async () => {
  const errorOf = async (event: Event) => {
    const { error } = await client.errors.getError({ projectId: project.id, errorId: event.errorId }, client.auth);
    return error;
  };
  const before = await shownEvent([ownId]);
  assert.is((await errorOf(before))?.title, "b: negative amount -1");
  assert.is((await uploadMapping(server, mapping, upload, ownId)).state, "ok");
  await until("its grouping", async () => (await bundles()).every(({ groupingSinceTime }) => groupingSinceTime));
  const { type, module, frames } = exceptionOf(await shownEvent([ownId]));
  // The same from a build that is not obfuscated.
  const plain = await shownEvent(
    [],
    frames.map((frame) => ({ module: frame.module, function: frame.function, filename: frame.filename })),
    { type, module },
  );
  assert.is(plain.errorId, before.errorId);
  const error = await errorOf(plain);
  assert.is(error?.eventCount, 3);
  assert.is(error?.title, `${type}: negative amount -1`);
});

test.run();
