import { groupParts, type JsonObject } from "@faultline/sentry-event";
import * as fc from "fast-check";
import * as assert from "uvu/assert";
import { head } from "../support/sentry/sentry-event.ts";
import type { Claim } from "./claim.ts";

const word = fc.constantFrom(..."cart order price stock refund shelf parcel coupon ledger tariff".split(" "));
const hash = fc
  .uint8Array({ minLength: 8, maxLength: 8 })
  .map((bytes) => Buffer.from(bytes).toString("hex").replace(/^../, "a1"));
const line = fc.integer({ min: 1, max: 9_999 });

/** How a platform writes a frame of a file and a function; `build` is what each build and run generates anew. */
interface Writing {
  readonly platform: string;
  readonly own: (file: string, name: string, build: string) => JsonObject;
  readonly library: (file: string, name: string) => JsonObject;
}

const writings: readonly Writing[] = [
  {
    platform: "javascript",
    own: (file, name, build) => ({
      filename: `https://shop.example/assets/${file}.${build}.js?v=${build}`,
      function: name,
    }),
    library: (file, name) => ({ filename: `/node_modules/${file}/index.js`, function: name, in_app: false }),
  },
  {
    platform: "java",
    own: (file, name, build) => ({ module: `com.acme.${file}$$EnhancerBySpringCGLIB$$${build}`, function: name }),
    library: (file, name) => ({ module: `org.springframework.${file}`, function: name, in_app: false }),
  },
  {
    platform: "python",
    own: (file, name) => ({ module: `shop.${file}`, filename: `shop/${file}.py`, function: name }),
    library: (file, name) => ({ module: `django.${file}`, function: name, in_app: false }),
  },
  {
    platform: "ruby",
    own: (file, name, build) => ({
      filename: `app/views/${file}.erb`,
      function: `_app_views_${file}_${name}_erb__${Number.parseInt(build, 16)}_${Number.parseInt(build.slice(0, 6), 16)}`,
    }),
    library: (file, name) => ({ abs_path: `/gems/${file}-1.0/${file}.rb`, function: name, in_app: false }),
  },
  {
    platform: "native",
    own: (file, name, build) => ({ filename: `${file}.rs`, function: `${file}::${name}::h${build.slice(0, 16)}` }),
    library: (file, name) => ({ abs_path: `/rustc/1/${file}.rs`, function: `core::${file}::${name}`, in_app: false }),
  },
];

interface Variation {
  readonly build: string;
  readonly lineno: number;
  readonly libraries: readonly (readonly [string, string])[];
}

const variation: fc.Arbitrary<Variation> = fc.record({
  build: hash,
  lineno: line,
  libraries: fc.array(fc.tuple(word, word), { maxLength: 5 }),
});

const fault = fc.record({
  writing: fc.constantFrom(...writings),
  frames: fc.array(fc.tuple(word, word), { minLength: 1, maxLength: 5 }),
  type: word,
});
type Fault = typeof fault extends fc.Arbitrary<infer F> ? F : never;

/** The parts of an event of a fault, for a build, a place and the libraries around it. */
function partsOf({ writing, frames, type }: Fault, { build, lineno, libraries }: Variation): string {
  const own = frames.map(([file, name], n) => ({
    in_app: true,
    lineno: lineno + n,
    ...writing.own(file, name, build),
  }));
  const around = libraries.map(([file, name]) => writing.library(file, name));
  const stacktrace = { frames: [...around, ...own, ...around.toReversed()] };
  const exception = { values: [{ type, value: `at ${lineno}`, stacktrace }] };
  return groupParts(head({ platform: writing.platform, exception })).join(" | ");
}

/** The claims on grouping by version 2. */
export const groupingClaims: readonly Claim[] = [
  {
    claim: "libraries, hashes of builds and lines that move never change the group",
    property: fc.property(fault, variation, variation, (one, before, after) => {
      assert.is(partsOf(one, before), partsOf(one, after));
    }),
  },
  {
    claim: "another function, file or kind of the application always changes it",
    property: fc.property(fault, variation, fc.nat(), fc.constantFrom(0, 1, 2), (one, around, at, what) => {
      const n = at % one.frames.length;
      const changed =
        what === 2 ? { ...one, type: `${one.type}Other` } : { ...one, frames: replaced(one.frames, n, what) };
      assert.is.not(partsOf(one, around), partsOf(changed, around));
    }),
  },
];

function replaced(frames: Fault["frames"], at: number, what: number): Fault["frames"] {
  return frames.map(([file, name], n) =>
    n !== at ? [file, name] : what === 0 ? [`${file}Other`, name] : [file, `${name}Other`],
  );
}
