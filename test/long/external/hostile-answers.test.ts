// process: the pages of the console know one core in a process
import { gzipSync } from "node:zlib";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { fakeExternal, type FakeAnswer } from "../../support/external/fake-external.ts";
import {
  type Door,
  doorNames,
  doors,
  type Ending,
  endings,
  endsIn,
  hostileExternal,
  issueId,
  raw,
  secretText,
} from "../../support/external/hostile-external.ts";
import { http } from "../../support/http/http.ts";
import { hourMs, movableClock, movableFaultline } from "../../support/service/movable-faultline.ts";
import { rootToken } from "../../support/service/server.ts";

/**
 * Answers that do not come from an error-tracking system, or from a hostile one. Each leads to its recorded message.
 */

const clock = movableClock();
const { fake, link } = await hostileExternal({ clock, issues: [{ id: issueId }] });
const elsewhere = await fakeExternal();
const ports = [fake.port, elsewhere.port];
const { client, faultline } = await movableFaultline({ outbound: { networks: ["127.0.0.0/8"], ports } }, clock);
test.after(async () => {
  await fake.close();
  await elsewhere.close();
});
test.before.each(() => fake.answerAsUsual());

const json = { "Content-Type": "application/json" };
const html = { "Content-Type": "text/html; charset=utf-8" };
const page = `<!doctype html><title>Sign in</title><form action="/login">${secretText}<script>alert(1)</script></form>`;
const head = (...lines: string[]) =>
  ["HTTP/1.1 200 OK", "Content-Type: application/json", ...lines, "", ""].join("\r\n");

interface Case {
  readonly answer: FakeAnswer;
  readonly ending: Ending;
  /** Default all of them. */
  readonly at?: readonly Door[];
  readonly retryAfterSeconds?: number;
}

/** Gets the answer through each method, an hour apart, so that nothing is cached. */
function hostile(name: string, { answer, ending, at = doorNames, retryAfterSeconds = 0 }: Case): void {
  test(name, async () => {
    const project = await link(client);
    fake.answerWith(answer);
    for (const door of at) {
      clock.at += hourMs;
      const refusal = await endsIn(doors[door](client, project), ending, `${door}, ${name}`);
      assert.is(refusal.retryAfterSeconds, retryAfterSeconds, door);
    }
    assert.equal(fake.complaints.splice(0), []);
    assert.is(elsewhere.connectionCount(), 0, "nothing was sent elsewhere");
  });
}

// A24. Their text stays theirs: only the status is reported.
for (const code of [400, 401, 402, 403, 405, 409, 410, 418, 451, 500, 501, 502, 503, 504, 599]) {
  hostile(`A24: a ${code} with a page of HTML is reported by its number alone`, {
    answer: { status: code, headers: html, body: page },
    ending: endings.status(code),
  });
}
for (const code of [401, 403, 500]) {
  hostile(`A24: a ${code} with JSON is reported by its number alone`, {
    answer: { status: code, json: { detail: secretText, message: `<b>${secretText}</b>` } },
    ending: endings.status(code),
  });
}
hostile("A24: a 404 to a list or to Connect says that the address is none of an error-tracking system", {
  answer: { status: 404, headers: html, body: page },
  ending: endings.status(404),
  at: ["the list", "Connect"],
});

const limits: [retryAfter: string | undefined, seconds: number][] = [
  [undefined, 5],
  ["30", 30],
  ["soon", 5],
  ["99999999999", 300],
];
for (const [retryAfter, retryAfterSeconds] of limits) {
  hostile(
    `A24: a 429 with ${retryAfter === undefined ? "no Retry-After" : `Retry-After: ${retryAfter}`} says how long to wait`,
    {
      answer: { status: 429, headers: retryAfter === undefined ? {} : { "Retry-After": retryAfter }, body: secretText },
      ending: endings.status(429),
      retryAfterSeconds,
    },
  );
}

// A10. The Location is a test's own server, so that a request to it would be counted.
const places = [
  `http://127.0.0.1:${elsewhere.port}/api/0/projects/`,
  `http://localhost:${elsewhere.port}/`,
  `http://127.0.0.1:${fake.port}/followed/`,
  "/followed/",
  "//evil.example/",
  "http://169.254.169.254/latest/meta-data/",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "\\\\evil.example\\share",
  "",
];
for (const code of [300, 301, 302, 303, 304, 305, 307, 308]) {
  hostile(`A10: a redirection with ${code} is not followed, wherever it leads`, {
    answer: (response) => {
      const place = places[fake.calls.length % places.length];
      response.writeHead(code, { ...html, Location: place });
      response.end(code === 304 ? undefined : page);
    },
    ending: endings.status(code),
  });
}
test("A10: a redirection at Connect is not followed to any of ten places", async () => {
  for (const place of places) {
    clock.at += hourMs;
    const project = await link(client);
    const back = fake.answerWith({ status: 302, headers: { Location: place } });
    await endsIn(doors.Connect(client, project), endings.status(302), `to ${place}`);
    await endsIn(doors["the list"](client, project), endings.status(302), `to ${place}`);
    back();
  }
  assert.equal(fake.complaints.splice(0), []);
  assert.is(elsewhere.connectionCount(), 0);
});

// A20. The sender counts the bytes, including bytes in the buffers of the kernel.
const mebi = 2 ** 20;
test("A20: a body of 300 MB without a length is cut at the limit", async () => {
  for (const door of doorNames) {
    clock.at += hourMs;
    const project = await link(client);
    const before = fake.bytesSent();
    const back = fake.answerWith(endlessBody(300 * mebi));
    await endsIn(doors[door](client, project), endings.tooBig(/\d{7}/), door);
    back();
    const sent = fake.bytesSent() - before;
    assert.ok(sent > mebi && sent < 16 * mebi, `${door}: it could send ${sent} bytes`);
  }
});
hostile("A20: a body that is announced with 300 MB is not read", {
  answer: (response) => {
    response.writeHead(200, { ...json, "Content-Length": 300 * mebi });
    response.write("[");
  },
  ending: endings.tooBig(300 * mebi),
});
hostile("A20: a body that is announced with ten bytes ends there", {
  answer: raw(head("Content-Length: 10") + `[{"id":"1","name":"${secretText}"}]`),
  ending: endings.notJson,
});
hostile("A20: a body that is shorter than announced is none", {
  answer: raw(head("Content-Length: 1000") + `[{"id":"1"}]`),
  ending: endings.broken,
});
hostile("A20: a body in 50,000 chunks of a byte is not read to its end", {
  answer: raw(`${head("Transfer-Encoding: chunked")}${"1\r\n \r\n".repeat(50_000)}0\r\n\r\n`),
  ending: endings.notHttp,
  at: ["the list"],
});

// A21. Nothing compressed is asked for, and none is read.
const bomb = gzipSync(Buffer.alloc(64 * mebi));
const encodings = ["gzip", "br", "deflate", "zstd", "identity, gzip", Array(1000).fill("gzip").join(", "), "x-unknown"];
for (const encoding of encodings) {
  const shown = encoding.length > 40 ? `${encoding.slice(0, 16)}... of ${encoding.split(",").length} layers` : encoding;
  hostile(`A21: an answer with Content-Encoding: ${shown} is refused before anything is unpacked`, {
    answer: { headers: { ...json, "Content-Encoding": encoding }, body: bomb },
    ending: endings.notHttp,
    at: ["the list", "Connect"],
  });
}
hostile("A21: a bomb that does not say that it is compressed is no JSON", {
  answer: { headers: json, body: bomb },
  ending: endings.notJson,
  at: ["the list", "Connect"],
});

// A22.
hostile("A22: headers of more than 16 KiB end the call", {
  answer: { headers: { ...json, "X-Filler": "x".repeat(17_000) }, body: "[]" },
  ending: endings.notHttp,
});
hostile("A22: headers without end are not read", {
  answer: (response) => {
    const { socket } = response;
    socket?.write("HTTP/1.1 200 OK\r\n");
    const more = () => socket?.writable && socket.write("X-Filler: x\r\n".repeat(1_000), more);
    more();
  },
  ending: endings.notHttp,
  at: ["the list", "Connect"],
});

// A23, of what is not the shape at all. What is said of items in the list is in hostile-fields.test.ts.
const notJson: [what: string, body: string | Buffer][] = [
  ["nothing at all", ""],
  ["blanks", " \n "],
  ["a page of HTML", page],
  ["a text", secretText],
  ["a JSON that does not end", `[{"id":"${secretText}"`],
  ["two JSON documents", "[]\n[]"],
  ["two JSON documents in one line", `{"id":"1"}{"id":"2"}`],
  ["single quotes", "[{'id':'1'}]"],
  ["a comma too many", "[1,]"],
  ["NaN", "[NaN]"],
  ["invalid UTF-8 in front", Buffer.from([0xff, 0xfe, 0x5b, 0x5d])],
  ["UTF-16", Buffer.from('[{"id":"1"}]', "utf16le")],
];
for (const [what, body] of notJson) {
  for (const headers of [json, html]) {
    hostile(`A23: a 200 of ${headers["Content-Type"]} with ${what} is no JSON`, {
      answer: { headers, body },
      ending: endings.notJson,
    });
  }
}
const misshapen: [what: string, body: string][] = [
  ["null", "null"],
  ["true", "true"],
  ["a number", "42"],
  ["a huge number", "1e999"],
  ["a string", `"${secretText}"`],
  ["a list of nulls", "[null,null]"],
  ["a list of numbers", "[1,2,3]"],
  ["a list of 100,000 numbers", `[${"0,".repeat(99_999)}0]`],
  ["a list of lists", `[[["${secretText}"]]]`],
  ["an object that hides a prototype", `[{"__proto__":{"id":"1","slug":"x","name":"${secretText}"}}]`],
];
for (const [what, body] of misshapen) {
  hostile(`A23: a 200 with ${what} lacks what belongs there`, { answer: { body }, ending: endings.missingKeys });
}
const deep: [what: string, body: string][] = [
  ["a nest of 100,000 lists", "[".repeat(100_000) + "]".repeat(100_000)],
  ["a nest of 100,000 objects", `[${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}]`],
  ["a nest of 5,000 lists", "[".repeat(5_000) + "]".repeat(5_000)],
  ["100,000 brackets that are never closed", "[".repeat(100_000)],
  ["300,000 empty objects", `[${"{},".repeat(299_999)}{}]`],
];
for (const [what, body] of deep) {
  hostile(`A23: a 200 with ${what} would take too much memory`, { answer: { body }, ending: endings.footprint });
}
hostile("A23: an object where a list belongs is refused", {
  answer: { json: { detail: secretText, id: "1" } },
  ending: endings.missingKeys,
  at: ["the list", "Connect"],
});
hostile("A23: an empty list where an object belongs is refused", {
  answer: { json: [] },
  ending: endings.missingKeys,
  at: ["an error", "an event", "an update"],
});
hostile("A23: a 204 to a question is no answer", {
  answer: (response) => response.writeHead(204).end(),
  ending: endings.notJson,
  at: ["the list", "an error", "an event", "Connect"],
});

// Resets, and what is no HTTP.
const broken: [what: string, answer: FakeAnswer][] = [
  ["a reset instead of an answer", raw("", "reset")],
  ["a connection that closes without a word", raw("")],
  ["a reset in the middle of a header", raw("HTTP/1.1 200 OK\r\nContent-Ty", "reset")],
  ["a close in the middle of a header", raw("HTTP/1.1 200 OK\r\nContent-Ty")],
  ["a reset in the middle of a body", raw(`${head("Content-Length: 1000")}[{"id":"1"`, "reset")],
  ["a reset in the middle of a chunk", raw(`${head("Transfer-Encoding: chunked")}ff\r\n[`, "reset")],
  ["a close before the last chunk", raw(`${head("Transfer-Encoding: chunked")}2\r\n[]\r\n`)],
];
for (const [what, answer] of broken) hostile(`${what} is a broken connection`, { answer, ending: endings.broken });

const notHttp: [what: string, bytes: string | Buffer][] = [
  ["the greeting of a mail server", `220 ${secretText} ESMTP\r\n`],
  ["the greeting of an SSH server", "SSH-2.0-OpenSSH_9.6\r\n"],
  ["random bytes", Buffer.from("160303004a020000460303", "hex")],
  ["a header with a NUL", "HTTP/1.1 200 OK\r\nX-A: a\0b\r\n\r\n[]"],
  ["a header without a name", "HTTP/1.1 200 OK\r\n: x\r\n\r\n[]"],
  ["two lengths", `${head("Content-Length: 2", "Content-Length: 3")}[] `],
  ["a length beside chunks", `${head("Content-Length: 2", "Transfer-Encoding: chunked")}2\r\n[]\r\n0\r\n\r\n`],
  ["a negative length", `${head("Content-Length: -1")}[]`],
  ["a chunk of 2^64 bytes", `${head("Transfer-Encoding: chunked")}ffffffffffffffff0\r\n[]`],
  [
    "a change to another protocol",
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
  ],
  ["a status of 20", "HTTP/1.1 20 OK\r\n\r\n[]"],
];
for (const [what, bytes] of notHttp) {
  hostile(`${what} is no HTTP`, { answer: raw(bytes), ending: endings.notHttp, at: ["the list", "Connect"] });
}

// The change itself, after what was read before it was fine.
const changes: [what: string, answer: FakeAnswer, ending: Ending][] = [
  ["a 403", { status: 403, body: page }, endings.status(403)],
  ["a 500", { status: 500, body: page }, endings.status(500)],
  ["a redirection", { status: 307, headers: { Location: `${elsewhere.url}/followed/` } }, endings.status(307)],
  ["a reset", raw("", "reset"), endings.broken],
  ["300 MB", endlessBody(300 * mebi), endings.tooBig(/\d{7}/)],
];
for (const [what, answer, ending] of changes) {
  test(`a change that is answered with ${what} is said not to be made`, async () => {
    const project = await link(client);
    const [issue] = fake.data.issues;
    assert.ok(issue);
    const { settings } = await client.settings.getSettings({ projectId: project.projectId }, client.auth);
    fake.data.issues.splice(0, 1, { ...issue, project: settings?.externalProject?.id ?? "" });
    fake.answerWith(answer, { method: "PUT" });
    await endsIn(doors["an update"](client, project), ending, what);
    assert.is(fake.calls.at(-1)?.method, "PUT");
    assert.equal(fake.complaints.splice(0), []);
    assert.is(elsewhere.connectionCount(), 0);
  });
}

const byPage: [what: string, answer: FakeAnswer, ending: Ending][] = [
  ["a 401", { status: 401, json: { detail: secretText } }, endings.status(401)],
  ["a 404", { status: 404, body: page }, endings.status(404)],
  ["a 429", { status: 429, headers: { "Retry-After": "30" } }, endings.status(429)],
  ["a 500", { status: 500, body: page }, endings.status(500)],
  ["a redirection", { status: 302, headers: { Location: `${elsewhere.url}/followed/` } }, endings.status(302)],
  ["HTML", { headers: html, body: page }, endings.notJson],
  ["a wrong shape", { json: { projects: secretText } }, endings.missingKeys],
  ["too much", { body: " ".repeat(2 * mebi) }, endings.tooBig(/\d{7}/)],
  ["a reset", raw("", "reset"), endings.broken],
  ["no HTTP", raw(`220 ${secretText}\r\n`), endings.notHttp],
];
test("projects.json answers every failure with 400 and its recorded message, and nothing else", async () => {
  const { path, token } = await link(client);
  const query = new URLSearchParams({ api_host: fake.url, token });
  for (const [what, answer, { message }] of byPage) {
    clock.at += hourMs;
    const back = fake.answerWith(answer);
    const response = await http(`${faultline.httpUrl}/${path}/-/error_tracking/projects.json?${query}`, {
      headers: { "PRIVATE-TOKEN": rootToken },
    });
    back();
    assert.is(response.status, 400, what);
    const { message: said, ...more } = response.json as { message: string };
    assert.equal(more, {}, what);
    if (typeof message === "string") assert.is(said, message, what);
    else assert.match(said, message, what);
    assert.not.match(response.text, secretText);
  }
  assert.equal(fake.complaints.splice(0), []);
  assert.is(elsewhere.connectionCount(), 0);
});

test("a port where nobody listens refuses the connection", async () => {
  const gone = await hostileExternal();
  await gone.fake.close();
  const apiUrl = `http://127.0.0.1:${fake.port}`;
  await fake.close();
  for (const door of doorNames) {
    clock.at += hourMs;
    await endsIn(doors[door](client, await link(client, { apiUrl })), endings.refused, door);
  }
  await fake.comeBack();
});

test.run();

/** A JSON text of so many bytes, in chunks, no faster than it is read. */
function endlessBody(bytes: number): FakeAnswer {
  return (response) => {
    response.writeHead(200, json);
    const chunk = Buffer.alloc(65_536, " ");
    let left = bytes;
    const more = () => {
      while (left > 0 && !response.destroyed) {
        left -= chunk.length;
        if (!response.write(chunk)) return response.once("drain", more);
      }
      return response.end();
    };
    more();
  };
}
