import { suite } from "uvu";
import * as assert from "uvu/assert";
import { normalDebugId } from "../../../plugins/source-maps/src/bundle/debug-id.ts";
import {
  identifiersOf,
  type IdentifiedFile,
  type Identifiers,
  inlineMapOf,
} from "../../../plugins/source-maps/src/bundle/debug-ids.ts";

const test = suite("identifiers of files");

const [a, b, c, d] = [
  "aaaaaaaa-1111-4222-8333-944445555666",
  "bbbbbbbb-1111-4222-8333-944445555666",
  "cccccccc-1111-4222-8333-944445555666",
  "dddddddd-1111-4222-8333-944445555666",
] as const;

const normal: [text: string | undefined, id: string | undefined][] = [
  [a, a],
  [` ${a.toUpperCase()} `, a],
  [a.replaceAll("-", ""), a],
  [a.replace("-", ""), undefined],
  [`${a}-0`, undefined],
  ["undefined", undefined],
  ["", undefined],
  [undefined, undefined],
];
for (const [text, id] of normal) {
  test(`${JSON.stringify(text)} is ${id ?? "no debug id"}`, () => assert.is(normalDebugId(text), id));
}

const script = (content: string, headers: IdentifiedFile["headers"] = {}): IdentifiedFile => ({
  type: "minified_source",
  headers,
  content: Buffer.from(content),
});
const map = (content: string, headers: IdentifiedFile["headers"] = {}): IdentifiedFile => ({
  ...script(content, headers),
  type: "source_map",
});

const ofCli = (id: string) =>
  `!function(){try{var e=self,n=(new e.Error).stack;n&&(e._sentryDebugIds=e._sentryDebugIds||{},e._sentryDebugIds[n]="${id}")}catch(e){}}();`;
const ofPlugin = (id: string) =>
  `t&&(e._sentryDebugIds=e._sentryDebugIds||{},e._sentryDebugIds[t]=\`${id}\`,e._sentryDebugIdIdentifier=\`sentry-dbid-${id}\`)`;

type Case = [claim: string, file: IdentifiedFile, debugIds: Identifiers["debugIds"], rest?: Partial<Identifiers>];

const cases: Case[] = [
  ["a plain script has none", script("let x = 1"), []],
  ["an empty script has none", script(""), []],
  ["the header of a file is one", script("", { debugId: a.toUpperCase() }), [a]],
  ["an invalid header is ignored", script(`//# debugId=${a}`, { debugId: "1" }), [a]],
  ["the comment of a script is one", script(`x\n//# debugId=${a}\n`), [a]],
  ["the last comment counts", script(`//# debugId=${b}\nx\r\n  //# debugId=${a} \r\ny`), [a]],
  ["a comment behind code on its line is a text", script(`x("//# debugId=${b}")`), []],
  ["an old comment (//@) is none", script(`//@ debugId=${a}`), []],
  ["the snippet of sentry-cli is one", script(`"use strict";\n${ofCli(a)}\nx`), [a]],
  ["the snippet of a plugin is one", script(`/*! licence */(()=>{${ofPlugin(a)}})()`), [a]],
  ["the identifier of a plugin alone is one", script(`e._sentryDebugIdIdentifier='sentry-dbid-${a}'`), [a]],
  ["a snippet for the newer store is one", script(`e._debugIds[t] = '${a}'`), [a]],
  ["a snippet deep in a script counts, as the SDK sends the last", script(`${"x".repeat(70_000)}${ofCli(a)}`), [a]],
  [
    "a script of two tools has those of header, comment and snippets in this order",
    script(`${ofCli(c)}${ofPlugin(d)}\n//# debugId=${b}`, { debugId: a }),
    [a, b, c, d],
  ],
  ["the same id everywhere is one", script(`${ofPlugin(a)}\n//# debugId=${a.toUpperCase()}`, { debugId: a }), [a]],
  [
    "of snippets of libraries the first 32 are read",
    script(Array.from({ length: 40 }, (_, i) => ofPlugin(a.replace("aaaaaa", String(100_000 + i)))).join("\n")),
    Array.from({ length: 32 }, (_, i) => a.replace("aaaaaa", String(100_000 + i))),
  ],
  ["a snippet of another form of id is ignored", script(`e._sentryDebugIds[n]="${"0".repeat(33)}"`), []],
  ["a map without any has none", map('{"version":3,"sources":["debug_id"]}'), []],
  ["debug_id of a map comes before debugId", map(`{"debugId":"${b}","debug_id":"${a}"}`), [a, b]],
  ["the header of a map comes first", map(`{"debug_id":"${b}"}`, { debugId: a }), [a, b]],
  ["ids of a map are found behind white space and a guard", map(`)]}'\n{ "debug_id" :\r\n\t"${a}" }`), [a]],
  ["ids of sections are not the map's", map(`{"sections":[{"map":{"debug_id":"${b}"}}],"debug_id":"${a}"}`), [a]],
  [
    "an id in the text of a source is not the map's",
    map(JSON.stringify({ sourcesContent: [`"debug_id":"${b}"`] })),
    [],
  ],
  ["an id that is a value of a list is not the map's", map(`{"names":["debug_id","${b}"]}`), []],
  ["a key without a text is ignored", map(`{"debug_id":null,"x":"${b}","debugId":"${a}"}`), [a]],
  ["backslashes before a quote are counted", map(`{"a":"\\\\","b":"\\\\\\"","debug_id":"${a}"}`), [a]],
  ["what stands behind the root does not count", map(`{"a":"debug_id"}{"debug_id":"${a}"}`), []],
  ["a map that is cut off has those before", map(`{"debug_id":"${a}","x":"`), [a]],
  ["a map that is no JSON has none", map(`"debug_id":"${a}"`), []],
  ["a source has those of a script", { ...script(`//# debugId=${b}`, { debugId: a }), type: "source" }, [a, b]],
  [
    "a source that is a script names its map",
    { ...script("//# sourceMappingURL=app.js.map"), type: "source" },
    [],
    { sourceMapUrl: "app.js.map" },
  ],
  ["the comment names the map", script("x\n//# sourceMappingURL=app.js.map"), [], { sourceMapUrl: "app.js.map" }],
  ["the old comment does too", script("x\n//@ sourceMappingURL=app.js.map\n"), [], { sourceMapUrl: "app.js.map" }],
  [
    "the last comment of either form names it",
    script("//# sourceMappingURL=1\n//@ sourceMappingURL=2\n"),
    [],
    { sourceMapUrl: "2" },
  ],
  [
    "the header names it before the comment",
    script("//# sourceMappingURL=1", { sourceMap: "~/2.map" }),
    [],
    { sourceMapUrl: "~/2.map" },
  ],
  ["an empty comment names none", script("//# sourceMappingURL=\nx"), []],
  ["a comment within a line names none", script('x("//# sourceMappingURL=a.map")'), []],
  ["a data: URL is a map in the script", script("//# sourceMappingURL=data:;base64,e30="), [], { hasInlineMap: true }],
  ["a map names no map", map('{"x":"\\n//# sourceMappingURL=a"}'), []],
];

for (const [claim, file, debugIds, rest = {}] of cases) {
  test(claim, () => assert.equal(identifiersOf(file), { debugIds, ...rest }));
}

const inline: [claim: string, file: IdentifiedFile, text: string | undefined][] = [
  ["in base64", script(`x\n//# sourceMappingURL=data:application/json;charset=utf-8;base64,${btoa("{1}")}\ny`), "{1}"],
  ["percent-encoded", script("//# sourceMappingURL=data:application/json,%7B%22%C3%BC%22}"), '{"ü"}'],
  ["in the header", script("", { sourceMap: "DATA:;base64,e30" }), "{}"],
  ["not where it is malformed", script("//# sourceMappingURL=data:,%7"), undefined],
  ["not where there is no comma", script("//# sourceMappingURL=data:application/json"), undefined],
  ["not where it lies in a file", script("//# sourceMappingURL=a.map"), undefined],
  ["not where nothing names it", script("x"), undefined],
];
for (const [claim, file, text] of inline) {
  test(`the map in a script is read ${claim}`, () => assert.is(inlineMapOf(file)?.toString(), text));
}

const hostile: [what: string, file: IdentifiedFile][] = [
  ["comments within one line", script("//# sourceMappingURL=".repeat(200_000))],
  ["blanks before comments", script(`${" ".repeat(50)}//# debugId=x`.repeat(50_000))],
  ["blanks behind a comment", script(`//# debugId=${" ".repeat(2_000_000)}`)],
  ["halves of snippets", script("_sentryDebugIds[".repeat(200_000))],
  ["snippets", script(ofCli(a).repeat(10_000))],
  ["brackets", map(`{"debug_id":${"[".repeat(2_000_000)}`)],
  ["quotes", map(`{"debug_id":${'"" '.repeat(700_000)}`)],
  ["escapes", map(`{"debug_id":"${'\\"'.repeat(1_000_000)}`)],
  ["backslashes", map(`{"debug_id":"${"\\".repeat(2_000_000)}`)],
];
for (const [what, file] of hostile) {
  test(`2 MB or so of ${what} are read`, () => assert.ok(identifiersOf(file).debugIds.length <= 1));
}

test.run();
