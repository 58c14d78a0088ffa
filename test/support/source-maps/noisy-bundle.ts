import { randomBytes } from "node:crypto";
import { encode } from "@jridgewell/sourcemap-codec";
import { bundleOf } from "./bundle-zip.ts";

/** A bundle of a minified file with a map that has an incompressible source. About `bytes` of it are stored. */
export function noisyBundle(bytes: number): Buffer {
  const lines = Array.from({ length: Math.ceil(bytes / 600) }, () => randomBytes(600).toString("base64"));
  const map = {
    version: 3,
    sources: ["src/app.ts"],
    sourcesContent: [lines.map((line) => `// ${line}`).join("\n")],
    names: [],
    mappings: encode([[[0, 0, 0, 0]]]),
  };
  const entries = [
    { name: "app.js", content: "a()" },
    { name: "app.js.map", content: JSON.stringify(map) },
  ];
  const files = {
    "app.js": { url: "~/app.js", type: "minified_source", headers: { sourcemap: "app.js.map" } },
    "app.js.map": { url: "~/app.js.map", type: "source_map" },
  };
  return bundleOf(entries, { files });
}
