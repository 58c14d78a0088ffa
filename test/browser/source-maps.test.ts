import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openBrowser, type TestBrowser } from "../support/console/browser.ts";
import { createProject, type Project } from "../support/core/project.ts";
import { reported } from "../support/run/reported.ts";
import { newEventId, sendEvent } from "../support/sentry/send.ts";
import { until } from "../support/run/until.ts";
import { sharedServer } from "../support/service/flow.ts";
import { rootPassword, rootToken } from "../support/service/server.ts";
import { artifactBundle, builtCheckout } from "../support/source-maps/built.ts";
import { uploadMapping } from "../support/source-maps/upload-mapping.ts";
import { uploadBundle } from "../support/source-maps/upload.ts";

/** Minified JavaScript and obfuscated Java on the page of an error, and the uploads of a project. */

const { server, client: core } = await sharedServer();
const debugId = randomUUID();
const built = await builtCheckout({ debugId });
const address = "https://shop.example.com/assets/app.js";
let browser: TestBrowser;
let project: Project;
let tracking: string;

test.before(
  reported(async () => {
    project = await createProject(server);
    tracking = `/${project.path}/-/error_tracking`;
    const upload = { token: rootToken, organization: "-", projects: [project.path] };
    assert.is((await uploadBundle(server, artifactBundle(built, debugId), upload)).state, "ok");
    assert.is((await uploadBundle(server, Buffer.from("no bundle"), upload)).state, "error");
    const frame = (file: string, place: object) => ({ function: "t", filename: file, abs_path: file, ...place });
    const frames = [
      frame("https://cdn.example.com/widget.js", { lineno: 1, colno: 9 }),
      frame(address, built.thrownAt),
    ];
    const sent = await sendEvent(server, project, {
      event_id: newEventId(),
      platform: "javascript",
      debug_meta: { images: [{ type: "sourcemap", code_file: address, debug_id: debugId }] },
      exception: { values: [{ type: "Error", value: "negative total", stacktrace: { frames } }] },
    });
    assert.is(sent.status, 200, sent.text);
    browser = await openBrowser(server, { asPeople: true });
    const { sessionToken } = await core.accounts.signIn({ username: "root", password: rootPassword });
    await browser.signIn(sessionToken);
  }),
);
test.after(async () => {
  await browser?.close();
});

test("the page of an error shows the source, and with B the frames as they were sent", async () => {
  const { errors } = await core.errors.listErrors({ projectId: project.id }, core.auth);
  const { page } = browser;
  await page.goto(`${tracking}/${errors[0]?.errorId}/details`);
  const trace = page.getByRole("region", { name: "Stack trace" });
  await trace.getByText('if (sum < 0) throw new Error("negative total");').waitFor();
  await page.getByRole("link", { name: "src/checkout.ts:3 in totalOf" }).waitFor();
  await trace.getByText("1 frame shows no source").click();
  await trace.getByText("The newest upload could not be used.").waitFor();
  await browser.photograph("source-map-details");
  const minified = trace.getByRole("button", { name: "Minified" });
  assert.is(await minified.getAttribute("aria-pressed"), "false");
  await page.keyboard.press("b");
  await trace.getByText(address).first().waitFor();
  assert.is(await trace.getByText("src/checkout.ts").count(), 0);
  await minified.click();
  await trace.getByText("src/checkout.ts").waitFor();
});

test("the uploads of a project are listed with what is wrong with them, and deleted", async () => {
  const { page } = browser;
  await page.goto(`${tracking}/source_maps`);
  await page.getByText("Not used: The upload is not an artifact bundle").waitFor();
  await page.getByText("1 file with a map, 2 in all").waitFor();
  await browser.photograph("source-maps");
  await page.getByText("1 of 2 files in the newest error shows its source.").waitFor();
  await page.getByRole("row", { name: /widget\.js 1 of 1 / }).waitFor();
  const rows = page.getByRole("table", { name: /^Uploads/ }).locator("tbody tr");
  assert.is(await rows.count(), 2);
  await rows
    .first()
    .getByRole("button", { name: /^Delete/ })
    .click();
  await page.getByText("The upload was deleted.").waitFor();
  assert.is(await rows.count(), 1);
});

test("a minified frame of a project without uploads says so with the command of its release, and marks the column of its line", async () => {
  const bare = await createProject(server);
  const line = `${"a".repeat(2_000)}$charge(card)${"z".repeat(2_000)}`;
  const frame = { function: "t", filename: address, abs_path: address, lineno: 1, colno: 2_001, context_line: line };
  await sendEvent(server, bare, {
    event_id: newEventId(),
    platform: "javascript",
    release: "shop's@1.2.0",
    exception: { values: [{ type: "Error", value: "refused", stacktrace: { frames: [{ ...frame, in_app: true }] } }] },
  });
  const { errors } = await core.errors.listErrors({ projectId: bare.id }, core.auth);
  const { page } = browser;
  await page.goto(`/${bare.path}/-/error_tracking/${errors[0]?.errorId}/details`);
  const trace = page.getByRole("region", { name: "Stack trace" });
  await trace.getByText("Minified: this project has no source maps.").waitFor();
  const command = (await trace.locator("code.command").textContent()) ?? "";
  assert.ok(command.includes(`export SENTRY_URL=${new URL(page.url()).origin} SENTRY_ORG=`), command);
  assert.ok(
    command.endsWith(String.raw`npx @sentry/cli sourcemaps upload --release 'shop'\''s@1.2.0' ./dist`),
    command,
  );
  const source = trace.getByRole("group", { name: /^Source around/ });
  assert.is(await source.locator("mark").textContent(), "$");
  assert.is(((await source.locator("code").textContent()) ?? "").length, 202, "cut around the column");
  await browser.photograph("minified-without-upload");
  await trace.getByRole("button", { name: "All", exact: true }).click();
  await until("the column to be visible", async () =>
    source.evaluate((box) => {
      const [outer, inner] = [box, box.querySelector("mark")].map((one) => one?.getBoundingClientRect());
      return outer !== undefined && inner !== undefined && inner.left > outer.left && inner.right < outer.right;
    }),
  );
  assert.ok(((await source.locator("code").textContent()) ?? "").length > 1_000);
});

test("the page of an error of Java shows the inlined calls, and with B the frames and the type as they were sent", async () => {
  const java = await createProject(server);
  const id = randomUUID();
  const mapping = readFileSync(join(import.meta.dirname, "../fixtures/source-maps/proguard-7.5.0.txt"));
  const upload = { token: rootToken, organization: "-", projects: [java.path] };
  assert.is((await uploadMapping(server, mapping, upload, id)).state, "ok");
  const frame = { filename: "SourceFile", in_app: true };
  const frames = [
    { ...frame, module: "com.acme.shop.Main", function: "main", lineno: 6 },
    { ...frame, module: "com.acme.shop.c", function: "a", lineno: 500 },
    { ...frame, module: "com.acme.shop.a", function: "a", lineno: 1023 },
  ];
  const exception = { type: "b", module: "com.acme.shop", value: "negative amount -1", stacktrace: { frames } };
  await sendEvent(server, java, {
    event_id: newEventId(),
    platform: "java",
    debug_meta: { images: [{ type: "proguard", uuid: id }] },
    exception: { values: [exception] },
  });
  const { errors } = await core.errors.listErrors({ projectId: java.id }, core.auth);
  const { page } = browser;
  await page.goto(`/${java.path}/-/error_tracking/${errors[0]?.errorId}/details`);
  const trace = page.getByRole("region", { name: "Stack trace" });
  await trace.getByRole("heading", { name: "PaymentError" }).waitFor();
  const rows = trace.getByRole("listitem").filter({ hasText: ".java" });
  assert.is(await rows.count(), 5);
  await trace.getByText("1 frame is partly or fully obfuscated").click();
  await trace.getByText("The mapping has nothing for line 500 of this method").waitFor();
  await browser.photograph("obfuscated-details");
  await page.keyboard.press("b");
  await trace.getByRole("heading", { name: "b", exact: true }).waitFor();
  assert.is(await trace.getByRole("button", { name: "Obfuscated" }).getAttribute("aria-pressed"), "true");
  assert.is(await trace.getByText("SourceFile").count(), 3);
  await page.goto(`/${java.path}/-/error_tracking/source_maps`);
  await page.getByText(`ProGuard or R8 ${id}`).first().waitFor();
  await page.getByText("1 mapping").waitFor();
  await browser.photograph("obfuscated-uploads");
});

test.run();
