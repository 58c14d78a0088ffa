import { randomUUID } from "node:crypto";
import { encode } from "@jridgewell/sourcemap-codec";
import { bundleOf } from "../support/source-maps/bundle-zip.ts";
import { randomFrom } from "./node-event.ts";

/** How large the files of a build are; a line of a source makes one statement of 5 bytes and one segment. */
export interface BuildSize {
  readonly pairs: number;
  readonly sources: number;
  readonly lines: number;
}

/** An uploaded build of minified files of one line with their maps. */
export interface LargeBuild {
  readonly bundle: Buffer;
  readonly fileCount: number;
  /** The bytes of the files before compression. */
  readonly bytes: number;
  /** The bytes of a map. */
  readonly mapBytes: number;
  /** An event with frames anywhere in the files. */
  event(eventId: string, frameCount: number): Readonly<Record<string, unknown>>;
}

/** The text that each line of a source has. */
export const thrown = "throw new Failure(";

const statementBytes = "f(1);".length;

export function makeBuild({ pairs, sources, lines }: BuildSize): LargeBuild {
  const random = randomFrom(7);
  const files = Array.from({ length: pairs }, (_, n) => ({
    url: `https://shop.example.com/${n}.js`,
    id: randomUUID(),
  }));
  const code = Array.from({ length: sources * lines }, () => `f(${Math.floor(random() * 10)});`).join("");
  const segments = Array.from({ length: sources * lines }, (_, n): [number, number, number, number] => [
    n * statementBytes,
    Math.floor(n / lines),
    n % lines,
    0,
  ]);
  const mappings = encode([segments]);
  const names = Array.from({ length: sources }, (_, n) => `src/${n}.ts`);
  const line = () => `${thrown}${Math.floor(random() * 1e9).toString(36)})\n`;
  const contents = Array.from({ length: sources }, () => Array.from({ length: lines }, line).join(""));
  const entries = files.flatMap(({ id }, n) => {
    // Each file has different texts.
    const sourcesContent = contents.map((content) => `// ${n}${content}`);
    const map = JSON.stringify({ version: 3, debug_id: id, sources: names, sourcesContent, names: [], mappings });
    return [
      { name: `${n}.js`, content: `${code}\n//# debugId=${id}` },
      { name: `${n}.js.map`, content: map },
    ];
  });
  const listed = files.flatMap(({ url, id }, n) => [
    [`${n}.js`, { url, type: "minified_source", headers: { "debug-id": id, sourcemap: `${n}.js.map` } }],
    [`${n}.js.map`, { url: `${url}.map`, type: "source_map", headers: { "debug-id": id } }],
  ]);
  return {
    bundle: bundleOf(entries, { files: Object.fromEntries(listed) }),
    fileCount: entries.length,
    bytes: entries.reduce((sum, { content }) => sum + content.length, 0),
    mapBytes: entries[1]?.content.length ?? 0,
    event(eventId, frameCount) {
      const frames = Array.from({ length: frameCount }, (_, n) => {
        const url = files[n % pairs]?.url;
        const colno = 1 + statementBytes * Math.floor(random() * sources * lines);
        return { function: "f", filename: url, abs_path: url, lineno: 1, colno, in_app: true };
      });
      const images = files.map(({ url, id }) => ({ type: "sourcemap", code_file: url, debug_id: id }));
      const exception = { values: [{ type: "Failure", value: "thrown", stacktrace: { frames } }] };
      return { event_id: eventId, platform: "javascript", debug_meta: { images }, exception };
    },
  };
}
