import { randomBytes, randomUUID } from "node:crypto";
import { bundleOf, zipOf, type TestEntry } from "./bundle-zip.ts";

/** A harmful bundle and its expected result: why it is refused, or how many of its files are mapped. */
export interface HostileBundle {
  readonly claim: string;
  readonly make: () => Buffer;
  readonly becomes: RegExp | number;
  /** Whether it takes so much memory that its remains would count for the next bundle. */
  readonly isLarge?: true;
}

const mebibyte = 2 ** 20;
const code = "throw new Error(1)";
const mapOf = (fields: object) =>
  JSON.stringify({ version: 3, sources: ["a.ts"], names: [], mappings: "AAAA", ...fields });

/** Bundles that are small and try to use much, or are broken in some way. */
export const hostileBundles: readonly HostileBundle[] = [
  {
    claim: "a file that says it has 60 MiB in one",
    make: () => bundleOf([{ name: "a.js", content: "", data: Buffer.alloc(mebibyte), bytes: 60 * mebibyte }]),
    becomes: /"a\.js" expands to more than 50 times/,
  },
  {
    claim: "a file of 64 MiB that says it has 1,000 bytes",
    make: () => bundleOf([{ name: "a.js", content: Buffer.alloc(64 * mebibyte), bytes: 1000 }]),
    becomes: /"a\.js" is damaged: it does not have the 1000 bytes/,
  },
  {
    claim: "a script of 60 MiB that expands nearly as far as it may",
    make: () => pairBundle(Buffer.concat([Buffer.from("/*"), expanding(60, "x"), Buffer.from("*/")]), mapOf({})),
    becomes: 1,
    isLarge: true,
  },
  {
    claim: "a map of 60 MiB that expands nearly as far as it may",
    make: () => {
      const [start = "", end = ""] = mapOf({ mappings: "|" }).split("|");
      return pairBundle(code, Buffer.concat([Buffer.from(start), expanding(60, ";"), Buffer.from(end)]));
    },
    becomes: /app\.js: The source map is damaged/,
    isLarge: true,
  },
  {
    claim: "300 files of 1 MiB of blanks",
    make: () =>
      bundleOf(Array.from({ length: 300 }, (_, n) => ({ name: `${n}.js`, content: Buffer.alloc(mebibyte, " ") }))),
    becomes: /neither debug ids nor a release/,
    isLarge: true,
  },
  {
    claim: "20 files of 10 MiB",
    make: () => bundleOf(Array.from({ length: 20 }, (_, n) => ({ name: `${n}.js`, content: expanding(10, " ") }))),
    becomes: /neither debug ids nor a release/,
    isLarge: true,
  },
  {
    claim: "a map of 2 million segments in random order",
    make: () => {
      const segments = randomBytes(2 * mebibyte).reduce((text, byte) => `${text}${"ACEG"[byte % 4]}AAC,`, "");
      return pairBundle(code, mapOf({ mappings: segments }));
    },
    becomes: 1,
    isLarge: true,
  },
  {
    claim: "a script of 10 MiB of numbers in one list",
    make: () => {
      const numbers = randomBytes(2.5 * mebibyte).reduce((text, byte) => `${text}${100 + byte},`, "");
      return pairBundle(`x=[${numbers}]`, mapOf({}));
    },
    becomes: 1,
    isLarge: true,
  },
  {
    claim: "a script of a million functions",
    make: () => pairBundle(`${randomBytes(mebibyte).reduce((text, byte) => `${text}(()=>${byte}),`, "")}1`, mapOf({})),
    becomes: 1,
    isLarge: true,
  },
  { claim: "a script of 1 MiB of brackets", make: () => pairBundle("[".repeat(mebibyte), mapOf({})), becomes: 1 },
  {
    claim: "a map of 1 MiB of brackets",
    make: () => pairBundle(code, "[".repeat(mebibyte)),
    becomes: /app\.js: The source map is damaged: the list or object that begins at byte 0 has no end/,
  },
  {
    claim: "a map with 100,001 sources",
    make: () => pairBundle(code, mapOf({ sources: Array.from({ length: 100_001 }, (_, n) => `${n}.ts`) })),
    becomes: /app\.js: .*100,?000/,
  },
  {
    claim: "a map of broken VLQ",
    make: () => pairBundle(code, mapOf({ mappings: "AAAA,!!!!" })),
    becomes: /app\.js: The source map is damaged: its mappings cannot be read at character 5/,
  },
  {
    claim: "a map with a VLQ number of more than 32 bits",
    make: () => pairBundle(code, mapOf({ mappings: "ggggggggggggB" })),
    becomes: /app\.js: The source map is damaged: its mappings hold a number without end/,
  },
  {
    claim: "a manifest of 1 MiB of brackets",
    make: () => zipOf([{ name: "manifest.json", content: "[".repeat(mebibyte) }]),
    becomes: /manifest\.json cannot be read\. It has more than 400000 brackets/,
  },
  {
    claim: "a manifest of more than 8 MiB",
    make: () => zipOf([{ name: "manifest.json", content: randomBytes(6 * mebibyte + 1).toString("base64") }]),
    becomes: /"manifest\.json" has 8 MiB; the limit of the manifest is 8 MiB/,
  },
  {
    claim: "20,001 entries",
    make: () => bundleOf(Array.from({ length: 20_000 }, (_, n) => ({ name: `${n}.js`, content: "1" }))),
    becomes: /has 20001 entries; the limit is 20000/,
  },
  {
    claim: "an entry with a wrong checksum",
    make: () => bundleOf([{ name: "a.js", content: code, crc: 7 }]),
    becomes: /"a\.js" is damaged: its checksum differs/,
  },
  {
    claim: "paths that lead out of the folder",
    make: () => pairBundle(code, mapOf({ sources: ["../../../../etc/passwd"] }), `${"../".repeat(9)}tmp/faultline.js`),
    becomes: 1,
  },
];

/** A bundle of many small pairs. */
export function manyPairs(count: number): Buffer {
  const pairs = Array.from({ length: count }, (_, n) => pairOf(`${code}//${n}`, mapOf({ file: `${n}` }), `${n}.js`));
  return bundleOf(
    pairs.flatMap(({ entries }) => entries),
    { files: Object.fromEntries(pairs.flatMap(({ files }) => Object.entries(files))) },
  );
}

function pairBundle(script: string | Buffer, map: string | Buffer, name = "app.js"): Buffer {
  const { entries, files } = pairOf(script, map, name);
  return bundleOf(entries, { files });
}

/** A script and its map, with their entries in the manifest. */
function pairOf(script: string | Buffer, map: string | Buffer, name: string) {
  const headers = { "debug-id": randomUUID() };
  const entries: readonly TestEntry[] = [
    { name, content: script },
    { name: `${name}.map`, content: map },
  ];
  const files = {
    [name]: { url: `~/${name}`, type: "minified_source", headers: { ...headers, sourcemap: `${name}.map` } },
    [`${name}.map`]: { url: `~/${name}.map`, type: "source_map", headers },
  };
  return { entries, files };
}

/** Mebibytes that compress to a 43rd of their size. */
function expanding(mebibytes: number, filler: string): Buffer {
  const block = Buffer.alloc(mebibyte, filler);
  block.write(randomBytes(24_000).toString("base64"));
  return Buffer.concat(Array.from({ length: mebibytes }, () => block));
}
