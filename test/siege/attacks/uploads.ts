import { setTimeout as delay } from "node:timers/promises";
import { encode } from "@jridgewell/sourcemap-codec";
import { rest } from "../../support/rest/rest.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { rootToken } from "../../support/service/server.ts";
import { artifactBundle, builtCheckout } from "../../support/source-maps/built.ts";
import { bundleOf } from "../../support/source-maps/bundle-zip.ts";
import { uploadBundle, type Upload } from "../../support/source-maps/upload.ts";
import type { Attack, Field } from "../attack.ts";
import { again, Answers } from "../flood.ts";
import { onlyError } from "../only-error.ts";

const script = "https://attacked.example/app.js";

/** A bundle of scripts that share a text of one source, each with calls at so many places of it. */
function bundleOfText(text: string, scripts: number, places: number): Buffer {
  const entries = Array.from({ length: scripts }, (_, n) => {
    const step = Math.floor(text.split("\n").length / places);
    const segments = Array.from(
      { length: places },
      (_none, place) => [2 * place, 0, step * place, 0] as [number, number, number, number],
    );
    const map = { version: 3, sources: [`${n}.ts`], sourcesContent: [text], names: [], mappings: encode([segments]) };
    return [
      { name: `${n}.js`, content: "function a(){f()}".repeat(Math.ceil(places / 8)) },
      { name: `${n}.js.map`, content: JSON.stringify(map) },
    ];
  });
  const files = Object.fromEntries(
    entries.flatMap((_, n) => [
      [`${n}.js`, { url: `~/${n}.js`, type: "minified_source", headers: { sourcemap: `${n}.js.map` } }],
      [`${n}.js.map`, { url: `~/${n}.js.map`, type: "source_map" }],
    ]),
  );
  return bundleOf(entries.flat(), { files });
}

async function uploadTo(field: Field, project: { readonly id: number }, token: string): Promise<Upload> {
  const found = await rest(field, `GET /projects/${project.id}`, { token });
  const { path_with_namespace: path } = found.json as { path_with_namespace: string }; // the shape is what rest.test.ts asserts
  return { token, organization: "-", projects: [path], version: "shop@1" };
}

/** A build of another project uploads its maps meanwhile; a fault where it takes longer than `goalMs`. */
async function honestUpload(field: Field, answers: Answers, goalMs: number): Promise<void> {
  const upload = await uploadTo(field, field.victim, rootToken);
  const startedAt = performance.now();
  const { state } = await uploadBundle(field, artifactBundle(await builtCheckout()), upload);
  const tookMs = Math.round(performance.now() - startedAt);
  if (state !== "ok") answers.faults.push(`an honest upload ended as ${state}`);
  if (tookMs > goalMs) answers.faults.push(`an honest upload took ${tookMs} ms`);
}

/** An event with frames all over a source of 25 MiB. */
async function farApart(field: Field): Promise<string> {
  const text = `${"x".repeat(1_023)}\n`.repeat(25 * 1_024);
  await uploadBundle(field, bundleOfText(text, 1, 250), await uploadTo(field, field.project, field.token));
  const frames = Array.from({ length: 250 }, (_, n) => ({
    function: "f",
    filename: script.replace("app", "0"),
    abs_path: script.replace("app", "0"),
    lineno: 1,
    colno: 2 * n + 1,
  }));
  await sendEvent(field, field.project, {
    event_id: newEventId(),
    platform: "javascript",
    release: "shop@1",
    exception: { values: [{ type: "Error", value: "far apart", stacktrace: { frames } }] },
  });
  return onlyError(field);
}

/** Uploads that others would wait for, and events that show them. */
export const uploads: readonly Attack[] = [
  {
    name: "reads of an event whose 250 frames lie in a source of 25 MiB, on 3 connections, given up after 1 s",
    async arm(field) {
      const id = await farApart(field);
      const address = `${field.url}/api/0/issues/${id}/events/latest/`;
      const headers = { authorization: `Bearer ${field.token}` };
      return async () =>
        (
          await again(
            field,
            3,
            async () => (await fetch(address, { headers, signal: AbortSignal.timeout(1_000) })).status,
          )
        ).tally();
    },
  },
  {
    name: "12 scripts whose source is one identifier, and an honest upload",
    async arm(field) {
      const upload = await uploadTo(field, field.project, field.token);
      const bundle = bundleOfText("x".repeat(1_000_000), 12, 2_000);
      return async () => {
        const answers = new Answers();
        const attack = uploadBundle(field, bundle, upload).then(
          ({ state }) => answers.add(state),
          () => answers.add("no answer"),
        );
        await delay(200);
        await honestUpload(field, answers, 10_000);
        await attack;
        return answers.tally();
      };
    },
  },
  {
    name: "100 calls that assemble bundles of 20 scripts, again and again, and an honest upload",
    async arm(field) {
      const upload = await uploadTo(field, field.project, field.token);
      const text = "function total() { return 1 }\n".repeat(2_000);
      return async () => {
        const attack = again(field, 100, async (n) => {
          const bundle = bundleOfText(`// ${n}\n${text}`, 20, 20);
          return (await uploadBundle(field, bundle, { ...upload, version: `shop@${n}` })).state;
        });
        await delay(500);
        const honest = new Answers();
        await honestUpload(field, honest, 20_000);
        const answers = await attack;
        answers.faults.push(...honest.faults);
        return answers.tally();
      };
    },
  },
];
