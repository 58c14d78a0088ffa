import { sysb, zipOf } from "./bundle-zip.ts";
import { bundle } from "./bundle.ts";

/** A minified file with its map, and the place of an error in it. */
export interface Built {
  readonly code: string;
  readonly map: string;
  /** Line and column of `new Error`, both from 1, like browsers report them. */
  readonly thrownAt: { readonly lineno: number; readonly colno: number };
}

/** Line 3 throws, in `totalOf`. */
export const checkoutSource = `export function totalOf(prices: readonly number[]): number {
  const sum = prices.reduce((all, price) => all + price, 0);
  if (sum < 0) throw new Error("negative total");
  return sum;
}
export function checkout(prices: readonly number[]): string {
  return totalOf(prices).toFixed(2);
}
`;

/** Minifies `checkout.ts` like a build. Both files carry `debugId` in the form of the tools that inject it. */
export async function builtCheckout({ debugId }: { readonly debugId?: string } = {}): Promise<Built> {
  const built = await bundle({ "checkout.ts": checkoutSource }, { minify: true });
  const code = built.code.replace(/\/\/# sourceMappingURL=.*\n?/, "").trimEnd();
  const lines = code.slice(0, code.search(/(?:new )?Error\(/) + 1).split("\n");
  const map = JSON.parse(built.map) as Record<string, unknown>;
  return {
    code: `${code}\n${debugId === undefined ? "" : `//# debugId=${debugId}\n`}//# sourceMappingURL=app.js.map\n`,
    map: JSON.stringify({ ...map, ...(debugId !== undefined && { debug_id: debugId }) }),
    thrownAt: { lineno: lines.length, colno: lines.at(-1)?.length ?? 0 },
  };
}

/** An artifact bundle with a minified file and its map under `~/assets`. Either may be missing. */
export function artifactBundle({ code, map }: Partial<Built>, debugId?: string): Buffer {
  const headers = debugId === undefined ? {} : { "debug-id": debugId };
  const files = {
    ...(code !== undefined && {
      "files/_/_/assets/app.js": {
        url: "~/assets/app.js",
        type: "minified_source",
        headers: { ...headers, sourcemap: "app.js.map" },
      },
    }),
    ...(map !== undefined && {
      "files/_/_/assets/app.js.map": { url: "~/assets/app.js.map", type: "source_map", headers },
    }),
  };
  return zipOf(
    [
      ...(code === undefined ? [] : [{ name: "files/_/_/assets/app.js", content: code }]),
      ...(map === undefined ? [] : [{ name: "files/_/_/assets/app.js.map", content: map }]),
      { name: "manifest.json", content: JSON.stringify({ files }) },
    ],
    { start: sysb() },
  );
}
