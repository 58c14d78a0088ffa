import { create } from "@bufbuild/protobuf";
import { FrameSchema } from "@faultline/proto";
import { parsedEvent } from "@faultline/sentry-event";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { fileKindOf, type FileKind, readSentEvent } from "../../../plugins/source-maps/src/events/frames.ts";
import { urlsOf } from "../../../plugins/source-maps/src/events/artifacts.ts";

const addresses: [address: string, urls: string[]][] = [
  [
    "https://shop.example.com/assets/app.js?v=2#top",
    [
      "https://shop.example.com/assets/app.js?v=2",
      "https://shop.example.com/assets/app.js",
      "~/assets/app.js?v=2",
      "~/assets/app.js",
    ],
  ],
  ["https://shop.example.com/app.js", ["https://shop.example.com/app.js", "~/app.js"]],
  ["app:///main.jsbundle", ["app:///main.jsbundle", "~/main.jsbundle"]],
  ["/srv/dist/server.js", ["/srv/dist/server.js", "~/srv/dist/server.js"]],
  ["app.js", ["app.js", "~/app.js"]],
];

for (const [address, urls] of addresses) {
  test(`the addresses of ${address} go from the whole one to its path alone`, () =>
    assert.equal(urlsOf(address), urls));
}

const kinds: [absPath: string, kind: FileKind][] = [
  ["https://shop.example.com/app.js", "built"],
  ["https://shop.example.com/checkout", "built"],
  ["app:///main.jsbundle", "built"],
  ["/srv/dist/server.mjs", "built"],
  ["async https://shop.example.com/app.js", "built"],
  ["no-ending-but-a-debug-id", "built"],
  ["/srv/src/checkout.ts", "source"],
  ["webpack:///./src/App.vue", "source"],
  ["webpack-internal:///./src/a.js", "source"],
  ["<eval>", "evaluated"],
  ["blob:https://shop.example.com/1", "evaluated"],
  ["data:text/javascript,throw", "evaluated"],
  ["<anonymous>", "other"],
  ["[native code]", "other"],
  ["node:internal/process", "other"],
  ["internal/timers", "other"],
  ["", "other"],
  ["somewhere", "other"],
];

for (const [absPath, kind] of kinds) {
  test(`a frame of ${JSON.stringify(absPath)} is ${kind}`, () => {
    const ids = new Map([["no-ending-but-a-debug-id", "id"]]);
    assert.is(fileKindOf(create(FrameSchema, { absPath }), ids), kind);
  });
}

const id = "c2cf5d58-9a3b-4d2e-8f5e-5e8f1e3f9d10";
const images = (list: unknown) => JSON.stringify({ dist: "web", debug_meta: { images: list } });

const events: [what: string, payload: string, debugIds: Record<string, string>][] = [
  ["an image of a file", images([{ type: "sourcemap", code_file: "a.js", debug_id: id }]), { "a.js": id }],
  [
    "32 digits in capitals",
    images([{ type: "sourcemap", code_file: "a.js", debug_id: id.replaceAll("-", "").toUpperCase() }]),
    { "a.js": id },
  ],
  ["`async` before the file", images([{ type: "sourcemap", code_file: "async a.js", debug_id: id }]), { "a.js": id }],
  ["an image of another kind", images([{ type: "elf", code_file: "a.so", debug_id: id }]), {}],
  ["no debug id", images([{ type: "sourcemap", code_file: "a.js", debug_id: "x" }, 7, null]), {}],
  ["images that are no list", images("x"), {}],
  ["no JSON", "{", {}],
  ["a list", "[]", {}],
];

for (const [what, payload, debugIds] of events) {
  test(`the debug ids of an event with ${what} are read`, () =>
    assert.equal(Object.fromEntries(readSentEvent(parsedEvent(payload)).debugIds), debugIds));
}

test.run();
