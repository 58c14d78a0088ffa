import { createHash, randomBytes } from "node:crypto";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readChunks, type ChunkLimits, UploadError } from "../../../plugins/source-maps/src/sentry/multipart.ts";

const test = suite("chunks in multipart/form-data");

const limits: ChunkLimits = { maxChunks: 2, maxChunkBytes: 1024 };
const type = "multipart/form-data; boundary=AaB03x";
const sha1 = (content: string | Buffer) => createHash("sha1").update(content).digest("hex");

const text = "the first chunk";
const binary = Buffer.concat([Buffer.from("\r\n--\r\n--AaB03"), randomBytes(200), Buffer.from("\r\n")]);

interface Part {
  readonly content: string | Buffer;
  readonly name?: string;
  readonly filename?: string;
  readonly headers?: readonly string[];
  /** All headers. */
  readonly head?: string;
}

function part({ content, name = "file", filename = sha1(content), headers = [], head }: Part): Buffer {
  const usual = [`Content-Disposition: form-data; name="${name}"; filename="${filename}"`, ...headers].join("\r\n");
  return Buffer.concat([Buffer.from(`${head ?? usual}\r\n\r\n`), Buffer.from(content)]);
}

const gzipped = (content: string | Buffer, sent: Buffer = gzipSync(content)): Buffer =>
  part({ content: sent, name: "file_gzip", filename: sha1(content) });

/** The parts as a body. */
function form(...parts: readonly Buffer[]): Buffer {
  const delimited = parts.flatMap((one) => [Buffer.from("--AaB03x\r\n"), one, Buffer.from("\r\n")]);
  return Buffer.concat([...delimited, Buffer.from("--AaB03x--\r\n")]);
}

const plain = form(part({ content: text }));
const withHead = (head: string) => form(part({ content: text, head }));
const disposition = (rest: string) => withHead(`Content-Disposition: form-data; ${rest}`);
const is = sha1(text);

type Read = [claim: string, body: Buffer, contents: readonly (string | Buffer)[], contentType?: string];

const read: Read[] = [
  ["a plain chunk is read", plain, [text]],
  ["a chunk with gzip is inflated", form(gzipped(text)), [text]],
  ["a chunk of bytes that look like a boundary is read", form(part({ content: binary })), [binary]],
  ["several chunks are read in their order", form(gzipped(binary), part({ content: text })), [binary, text]],
  ["an empty chunk is read", form(part({ content: "" }), gzipped("")), ["", ""]],
  ["a chunk as large as allowed is read", form(gzipped(Buffer.alloc(1024))), [Buffer.alloc(1024)]],
  ["gzip of two members is read", form(gzipped("ab", Buffer.concat([gzipSync("a"), gzipSync("b")]))), ["ab"]],
  ["the boundary may be quoted", plain, [text], 'multipart/form-data; boundary="AaB03x"'],
  ["the type may have other parameters", plain, [text], 'Multipart/Form-Data ; charset=utf-8; Boundary="AaB03x";'],
  ["a preamble is skipped", Buffer.concat([Buffer.from("to be ignored\r\n"), plain]), [text]],
  ["an empty line before the first boundary is skipped", Buffer.concat([Buffer.from("\r\n"), plain]), [text]],
  ["an epilogue is skipped", Buffer.concat([plain, Buffer.from("to be ignored")]), [text]],
  ["the last line may lack its end", plain.subarray(0, -2), [text]],
  ["what follows the last boundary is skipped", Buffer.concat([plain.subarray(0, -2), Buffer.from("more")]), [text]],
  ["a header may go on in the next line", disposition(`name="file";\r\n filename="${is}"`), [text]],
  [
    "of headers above 4 KiB the first are read",
    form(part({ content: text, headers: [`X: ${"x".repeat(5000)}`] })),
    [text],
  ],
  [
    "a Content-Encoding of the part is not looked at",
    form(part({ content: text, headers: ["Content-Encoding: br"] })),
    [text],
  ],
  ["headers are read in any case", withHead(`CONTENT-disposition:FORM-DATA;NAME=file;FileName=${is}`), [text]],
  ["a filename may lack its quotes", disposition(`name=file; filename=${is}`), [text]],
  [
    "other headers are ignored",
    form(part({ content: text, headers: ["Content-Type: application/octet-stream"] })),
    [text],
  ],
  ["other parameters are ignored", disposition(`name="file"; filename="${is}"; filename*=UTF-8''x`), [text]],
  ["an encoding of identity is none", form(part({ content: text, headers: ["content-encoding: Identity"] })), [text]],
  [
    "a transfer encoding of binary is none",
    form(part({ content: text, headers: ["Content-Transfer-Encoding: BINARY"] })),
    [text],
  ],
];

for (const [claim, body, contents, contentType = type] of read) {
  test(claim, async () => {
    const expected = contents.map((content) => ({ sha1: sha1(content), content: Buffer.from(content) }));
    assert.equal(await readChunks(body, contentType, limits), expected);
  });
}

type Refused = [claim: string, body: Buffer, sentence: RegExp, contentType?: string];

const refused: Refused[] = [
  ["another type", plain, /must be multipart\/form-data/, "application/octet-stream"],
  ["no type", plain, /must be multipart\/form-data/, ""],
  ["no boundary", plain, /must be multipart\/form-data with a boundary/, "multipart/form-data"],
  ["an empty boundary", plain, /not a complete form/, 'multipart/form-data; boundary=""'],
  ["a boundary with a line end", plain, /not a complete form/, 'multipart/form-data; boundary="a\\\r\\\nb"'],
  ["two boundaries", plain, /not a complete form/, "multipart/form-data; boundary=a; boundary=AaB03x"],
  ["another boundary", plain, /not a complete form with the boundary/, "multipart/form-data; boundary=other"],
  ["an endless boundary", plain, /with a boundary/, `multipart/form-data; boundary=${"x".repeat(16_000)}`],
  ["an empty body", Buffer.alloc(0), /not a complete form/],
  ["no part", form(), /no chunk/],
  ["a boundary that goes on", Buffer.from(plain.toString().replace("AaB03x", "AaB03xyz")), /no chunk/],
  ["line ends of LF", Buffer.from(plain.toString().replaceAll("\r\n", "\n")), /not a complete form/],
  ["a body that ends in a part", plain.subarray(0, 130), /cut off/],
  ["a body that ends behind a boundary", Buffer.from("--AaB03x"), /cut off/],
  ["a body that ends behind the first line", Buffer.from("--AaB03x\r\n"), /cut off/],
  ["a part without headers", withHead(""), /no chunk/],
  ["a part that is none of a form", withHead(`Content-Disposition: attachment; filename=${is}`), /no chunk/],
  ["a header without a colon", withHead("Content-Disposition"), /no chunk/],
  ["a header with a blank before its colon", withHead("Content-Disposition : form-data"), /no chunk/],
  ["a part without an end of its headers", form(Buffer.from("Content-Type: x/y")), /no chunk/],
  ["a part of another name", form(part({ content: text, name: "file_br" })), /named "file_br"; chunks are/],
  ["a part without a name", disposition(`filename="${is}"`), /named ""/],
  ["a part without a filename", disposition("name=file"), /filename is "".*40 lower-case/],
  ["a filename in upper case", disposition(`name=file; filename=${is.toUpperCase()}`), /40 lower-case/],
  ["a filename that is a path", disposition('name=file; filename="../x"'), /filename is "x"/],
  ["a long filename", disposition(`name=file; filename=${"x".repeat(500)}`), /x{100}\.\.\."/],
  ["a chunk with zstd", form(part({ content: zstdCompressSync(text), filename: is })), /with zstd.*do not offer.*gzip/],
  [
    "a chunk in base64",
    form(part({ content: text, headers: ["Content-Transfer-Encoding: base64"] })),
    /Content-Transfer-Encoding "base64"/,
  ],
  ["a chunk of another SHA-1", form(part({ content: text, filename: sha1("") })), /da39a3ee.*damaged.*Send it again/],
  ["a chunk with gzip of another SHA-1", form(gzipped("other", gzipSync(text))), /damaged in transit/],
  ["a chunk that is not gzip", form(part({ content: text, name: "file_gzip" })), /not complete and valid gzip/],
  ["gzip that is cut off", form(gzipped(text, gzipSync(text).subarray(0, -9))), /not complete and valid gzip/],
  [
    "gzip with bytes behind it",
    form(gzipped(text, Buffer.concat([gzipSync(text), Buffer.from("more")]))),
    /valid gzip/,
  ],
  [
    "gzip with zeros behind it",
    form(gzipped(text, Buffer.concat([gzipSync(text), Buffer.alloc(9)]))),
    /after its gzip/,
  ],
  ["a plain chunk that is too large", form(part({ content: Buffer.alloc(1025) })), /larger than the 1024 bytes/],
  ["a bomb", form(gzipped(Buffer.alloc(1_000_000))), /larger than the 1024 bytes/],
  ["too many chunks", form(gzipped("a"), gzipped("b"), gzipped("c")), /more than 2 parts/],
];

for (const [claim, body, sentence, contentType = type] of refused) {
  test(`${claim}: refused`, async () => {
    const thrown = await readChunks(body, contentType, limits).catch((error: unknown) => error);
    if (!(thrown instanceof UploadError)) throw new Error(`It was not refused: ${String(thrown)}`);
    assert.is(thrown.status, 400);
    assert.match(thrown.message, sentence);
  });
}

test("a body that is cut off anywhere is refused or read whole", async () => {
  const whole = form(part({ content: text }), gzipped(binary));
  for (let end = 0; end < whole.length; end++) {
    const outcome = await readChunks(whole.subarray(0, end), type, limits).catch((error: unknown) => error);
    assert.ok(
      outcome instanceof UploadError || (Array.isArray(outcome) && outcome.length === 2),
      `${end}: ${String(outcome)}`,
    );
  }
});

test.run();
