import { countValues } from "../../plugins/http-bridge/src/ingest/body/json-shape.ts";
import { maxEventBytes, maxEventValues } from "../../plugins/http-bridge/src/ingest/limits.ts";

const room = maxEventBytes - 1_000;
const roomForValues = maxEventValues - 1_000;

/** As many of them as fit into an event, or into a part of it. */
export function fill(part: (index: number) => string, separator = ",", size = room): string {
  const parts: string[] = [];
  for (let index = 0, length = 0, values = 0; ; index++) {
    const next = part(index);
    length += next.length + separator.length;
    values += countValues(Buffer.from(next), Infinity);
    if (length > size || values > roomForValues) return parts.join(separator);
    parts.push(next);
  }
}

const all = (part: string, separator?: string) => fill(() => part, separator);
const times = (count: number, part: string) => Array.from({ length: count }, () => part).join();

/** An object of as many keys as fit. */
export const wide = `{${fill((index) => `"k${index}":1`)}}`;
const halfWide = `{${fill((index) => `"k${index}":1`, ",", room / 2)}}`;
const frame = '{"function":"f","filename":"a.js","in_app":true,"lineno":5}';
const stack = (frames: string) => `{"type":"E","stacktrace":{"frames":[${frames}]}}`;
const template = (placeholder: string, params: string) =>
  `{"message":{"message":"${placeholder.repeat(8_000 / placeholder.length)}","params":${params}}}`;

/** Texts on which patterns for names and messages could take long. */
const repeated = [
  "1.",
  "a@",
  "a@a.",
  "::",
  "a-",
  "0x",
  "f",
  "12:",
  "Mon, 1 Jan ",
  "http://",
  "1 ",
  "A0",
  "<",
  "$",
  "/",
];
const named = (part: string) => {
  const frames = `{"function":"${part.repeat(100)}","filename":"${part.repeat(100)}","module":"${part.repeat(100)}"}`;
  const exception = `{"type":"${part.repeat(9_000)}","value":"${part.repeat(9_000)}",${stack(times(250, frames)).slice(1)}`;
  return `{"platform":"ruby","message":"${part.repeat(9_000)}","exception":[${exception}]}`;
};

/** Bodies of at most a mebibyte that make as much work as that allows: to parse, repair, read, group and store. */
export const worstEvents: Readonly<Record<string, string | Uint8Array>> = {
  "keys of extra": `{"extra":${wide}}`,
  "keys at the top": wide,
  "keys of a context": `{"contexts":{"a":${wide}}}`,
  "keys of tags": `{"tags":${wide}}`,
  "keys of modules": `{"modules":${wide}}`,
  "keys that are numbers": `{"extra":{${fill((index) => `"${index * 7919}":1`)}}}`,
  "one key again and again": `{"extra":{${all('"k":1')}}}`,
  "__proto__ again and again": `{"extra":{${all('"__proto__":{}')}}}`,
  "pairs of tags": `{"tags":[${fill((index) => `["k${index}","v"]`)}]}`,
  "empty objects": `{"extra":{"a":[${all("{}")}]}}`,
  "small numbers": `{"extra":{"a":[${all("1")}]}}`,
  "a number of a million digits": `{"extra":{"a":${"1".repeat(room)}}}`,
  "levels, as deep as allowed": `{"x":[${all(`${'{"a":['.repeat(31)}1${"]}".repeat(31)}`)}]}`,
  "one text": `{"message":"${"x".repeat(room)}"}`,
  "escaped NUL": `{"message":"${"\\u0000".repeat(room / 6)}"}`,
  "lone surrogates": `{"message":"a","x":"${"\\ud800".repeat(room / 6)}"}`,
  exceptions: `{"exception":[${all('{"type":"E","value":"v"}')}]}`,
  "frames of one exception": `{"exception":[${stack(all(frame))}]}`,
  "frames of 50 exceptions": `{"exception":[${times(50, stack(times(330, frame)))}]}`,
  "variables of frames": `{"exception":[${stack(all(`{"function":"f","vars":{${fill((i) => `"v${i}":${i}`, ",", 4_000)}}}`))}]}`,
  threads: `{"threads":[${all(`{"id":1,"stacktrace":{"frames":[${frame}]}}`)}]}`,
  breadcrumbs: `{"breadcrumbs":[${all('{"message":"a","data":{"a":1}}')}]}`,
  "parts of a fingerprint": `{"fingerprint":[${all('"{{ default }}"')}]}`,
  headers: `{"request":{"headers":{${fill((index) => `"h-${index}":"v"`)}}}}`,
  cookies: `{"request":{"cookies":"${all("a=b", "; ")}"}}`,
  "parts of a query": `{"request":{"query_string":"${all("a=b", "&")}"}}`,
  "a wide parameter, 1,600 times by name": template("%(a)s", `{"a":${halfWide}}`),
  "a wide parameter, 2,700 times in braces": template("{a}", `{"a":${halfWide}}`),
  "a wide parameter, 2,700 times by number": template("{0}", `[${halfWide}]`),
  "parameters in a list": template("%s", `[${fill((index) => `"${index}"`, ",", room - 9_000)}]`),
  ...Object.fromEntries(repeated.map((part) => [`names and texts of ${part}`, named(part)])),
  "NaN behind texts": `{"a":[${all('"a"')},NaN]}`,
  "NaN behind quotes": `{"a":"${'\\"'.repeat(room / 2)}","b":NaN}`,
  "NaN behind backslashes": `{"a":[${all(`"${"\\\\".repeat(500)}"`)},NaN]}`,
  "nothing but NaN": `{"a":[${all("NaN")}]}`,
  "Infinity in what is no JSON": `{"a":[${all("-Infinity")}`,
  "bytes that are not UTF-8": Buffer.concat([Buffer.from('{"a":"'), Buffer.alloc(room, 0xff), Buffer.from('"}')]),
  brackets: "[".repeat(room),
  spaces: " ".repeat(room),
  "base64 of brackets": Buffer.from(`{"a":${"[".repeat(700_000)}`).toString("base64"),
  "base64 line by line": all("e30K", "\n"),
};
