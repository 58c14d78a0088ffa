import { CommentBlock_Kind as Kind } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { readMarkdown } from "../../../plugins/comments/src/markdown.ts";
import { namesIn } from "../../../plugins/comments/src/mentions.ts";

const names: Readonly<Record<Kind, string>> = {
  [Kind.UNSPECIFIED]: "?",
  [Kind.PARAGRAPH]: "p",
  [Kind.CODE]: "pre",
  [Kind.BULLET]: "li",
  [Kind.NUMBERED]: "li",
};

/** A text as it would be shown, with a tag for each style and for each block but a paragraph. */
const shown = (text: string) =>
  readMarkdown(text)
    .map(({ kind, quoted, number, spans }) => {
      const words = spans
        .map(({ text: plain, bold, italic, code, url }) => {
          const styles = [bold && "b", italic && "i", code && "code", url && `a ${url}`].filter(Boolean);
          return styles.length === 0 ? plain : `<${styles.join(" ")}|${plain}>`;
        })
        .join("");
      const block = names[kind] === "p" ? words : `${names[kind]}${number ?? ""}(${words})`;
      return quoted ? `quote(${block})` : block;
    })
    .join(" / ");

const cases: readonly (readonly [text: string, expected: string])[] = [
  ["plain", "plain"],
  ["**bold** and __bold__", "<b|bold> and <b|bold>"],
  ["*italic* and _italic_", "<i|italic> and <i|italic>"],
  ["***both*** and **a *b* c**", "<b i|both> and <b|a ><b i|b><b| c>"],
  ["snake_case_name, 2 * 3 * 4", "snake_case_name, 2 * 3 * 4"],
  ["**open, *open, _open, `open", "**open, *open, _open, `open"],
  ["*a **b* c**", "*a <b|b* c>"],
  ["****four****", "****four****"],
  ["a `**code**` b", "a <code|**code**> b"],
  ["`` a ` b ``", "<code|a ` b>"],
  [
    String.raw`\*not\* \[it\](https://example.com/) \a`,
    String.raw`*not* [it](<a https://example.com/|https://example.com/>) \a`,
  ],
  ["[the page](https://example.com/a?b=1)", "<a https://example.com/a?b=1|the page>"],
  ["**see [the page](http://example.com)**", "<b|see ><b a http://example.com|the page>"],
  ["see https://example.com/a_b_c.", "see <a https://example.com/a_b_c|https://example.com/a_b_c>."],
  ["(https://example.com/)", "(<a https://example.com/|https://example.com/>)"],
  ["one\ntwo\n\nthree", "one\ntwo / three"],
  ["- a\n* b\n+ c", "li(a) / li(b) / li(c)"],
  ["- a\n  more\nafter", "li(a\nmore) / after"],
  ["1. a\n2) **b**", "li1(a) / li2(<b|b>)"],
  ["-5 degrees\n1.5 times", "-5 degrees\n1.5 times"],
  ["> quoted **words**\n> more\nreply", "quote(quoted <b|words>\nmore) / reply"],
  ["> - a\n> - b", "quote(li(a)) / quote(li(b))"],
  [">> deep", "quote(deep)"],
  ["```ts\nconst a = **1**;\n\n- b\n```\nafter", "pre(const a = **1**;\n\n- b) / after"],
  ["```\nnever closed", "pre(never closed)"],
  ["> ```\n> a\nb", "quote(pre(a)) / b"],
  ["```\n```", "pre()"],
  ["", ""],
  ["\n \n", ""],
];

for (const [text, expected] of cases) {
  test(`Markdown ${JSON.stringify(text)} is shown as ${JSON.stringify(expected)}`, () => {
    assert.is(shown(text), expected);
  });
}

const hostile: readonly string[] = [
  "<script>alert(1)</script>",
  '<img src=x onerror="alert(1)">',
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](data:text/html,<script>)",
  "[x](//example.com)",
  "[x](ftp://example.com)",
  "[x]( https://example.com)",
  '[x](https://example.com/" onclick="alert(1))',
  "[x](https://example.com/<script>)",
  "![x](y)",
  "[x]: https:",
  "&lt;b&gt;",
];

for (const text of hostile) {
  test(`${text} leads nowhere but to an address in the text, and stays as it is`, () => {
    const spans = readMarkdown(text).flatMap((block) => block.spans);
    assert.is(spans.map((span) => span.text).join(""), text);
    for (const { url = "" } of spans) assert.match(url, /^$|^https?:\/\/[^\s<>"]+$/);
    assert.not.ok(spans.some(({ url, text: label }) => url && label !== url));
  });
}

const long = (text: string) => text.repeat(Math.ceil(10_000 / text.length)).slice(0, 10_000);
const expensive = [
  "*",
  "_",
  "**a",
  "*a_b",
  "a*b*",
  "`",
  "`a",
  "``a`",
  "[",
  "[a](",
  "[a](http://",
  "http://",
  "xhttp://",
  "\n",
  "> ",
  ">\n",
  "- a\n",
  "\\",
  "```\n",
  "1. a\n",
  "**a** ",
  "@a ",
];

test("10,000 characters of any mark are read into at most 2,001 blocks and spans, and no character is added", () => {
  for (const text of expensive.map(long)) {
    const blocks = readMarkdown(text);
    const parts = blocks.reduce((sum, { spans }) => sum + 1 + spans.length, 0);
    assert.ok(parts <= 2_001, `${parts} of ${text.slice(0, 10)}`);
    const characters = blocks.flatMap(({ spans }) => spans.map((span) => span.text)).join("").length;
    assert.ok(characters <= text.length, text.slice(0, 10));
  }
});

test("names behind an @ are mentions, but not in code, in addresses or in e-mail addresses", () => {
  const mentions: readonly (readonly [text: string, expected: readonly string[]])[] = [
    ["@anna and @Ben_2.", ["anna", "ben_2.", "ben_2"]],
    ["**@anna**, (@ben)", ["anna", "ben"]],
    ["`@anna`\n```\n@anna\n```", []],
    ["anna@example.com, https://example.com/@anna", []],
    ["@@anna, @ anna, @", []],
    ["> @anna", ["anna"]],
  ];
  for (const [text, expected] of mentions) assert.equal([...namesIn(text)], expected, text);
});

test.run();
