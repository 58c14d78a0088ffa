import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { syncBuiltinESMExports } from "node:module";
import { connect, createServer as createTcpServer, type AddressInfo, type Server, type Socket } from "node:net";
import os from "node:os";
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from "node:tls";
import { promisify } from "node:util";
import { OutboundFailure, type OutboundFault, type OutboundRequest } from "@faultline/plugin";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { OutboundClient } from "../../../backend/src/host/outbound/outbound-client.ts";
import { selfSigned } from "../../support/service/certificates.ts";
import { watchConnections } from "../../support/http/connection-attempts.ts";
import { atEndOf } from "../../support/run/end-of-file.ts";
import { nameServer, type NameAnswer, type RecordType } from "../../support/external/name-server.ts";
import { repositoryRoot } from "../../support/service/server.ts";
import { bound, measuringTest, stopwatch } from "../../support/measure/measured.ts";
import { until } from "../../support/run/until.ts";

/** The one way out of the process, on the loopback interface, which its rules allow here. */

const loopback = ["127.0.0.0/8"];
const zone = new Map<string, (type: RecordType) => NameAnswer>();
const names = await nameServer((name, type) => zone.get(name)?.(type));
const open = new Set<Server>();
test.after(async () => {
  names.close();
  for (const server of open) server.close();
});

const portOf = (server: Server) => (server.address() as AddressInfo).port;

async function listening<T extends Server>(server: T, host = "127.0.0.1", port = 0): Promise<T> {
  server.listen(port, host);
  await once(server, "listening");
  open.add(server);
  return server;
}

/** An HTTP server that answers as configured, and keeps the requests. */
async function answering(answer: (response: ServerResponse, request: IncomingMessage) => void) {
  const requests: IncomingMessage[] = [];
  const server = await listening(
    createServer((request, response) => {
      requests.push(request);
      answer(response, request);
    }),
  );
  return { url: `http://127.0.0.1:${portOf(server)}`, port: portOf(server), requests };
}

/** A TCP server, which may say anything. */
async function talking(talk: (socket: Socket) => void): Promise<{ url: string; port: number; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = await listening(
    createTcpServer((socket) => {
      sockets.push(socket.resume());
      socket.on("error", () => undefined); // the other side correctly breaks off
      talk(socket);
    }),
  );
  return { url: `http://127.0.0.1:${portOf(server)}`, port: portOf(server), sockets };
}

function ask(url: string, port: number, more: Partial<OutboundRequest> & { own?: string[] } = {}) {
  const { own = [], ...request } = more;
  const rules = { networks: loopback, ports: [port] };
  const client = new OutboundClient({ rules, own: () => own, nameServers: [names.address] });
  return client.request({ method: "GET", url, maxBytes: 1000, timeoutMs: 10_000, ...request });
}

async function fails(asked: Promise<unknown>, fault: OutboundFault): Promise<OutboundFailure> {
  const failure = await asked.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.instance(failure, OutboundFailure, "there was an answer");
  assert.is((failure as OutboundFailure).fault, fault, String((failure as Error).cause));
  return failure as OutboundFailure;
}

test("a request is sent as it is given, and its answer returned as it is, whatever its status", async () => {
  const bodies: string[] = [];
  const { url, port, requests } = await answering((response, request) => {
    request.on("data", (chunk: Buffer) => bodies.push(chunk.toString()));
    request.on("end", () => response.writeHead(418, ["X-Twice", "a", "X-Twice", "b"]).end("tea"));
  });
  const answer = await ask(`${url}/a/b?c=d`, port, { method: "PUT", headers: { "X-One": "1" }, body: "{}" });
  assert.is(answer.status, 418);
  assert.is(answer.body.toString(), "tea");
  assert.is(answer.headers["x-twice"], "a, b");
  const [request] = requests;
  assert.is(`${request?.method} ${request?.url}`, "PUT /a/b?c=d");
  assert.is(request?.headers["x-one"], "1");
  assert.is(request?.headers.host, `127.0.0.1:${port}`);
  assert.is(request?.headers["accept-encoding"], "identity");
  assert.equal(bodies, ["{}"]);
});

test("the caller's headers for host, encoding and connection are not sent", async () => {
  const { url, port, requests } = await answering((response) => response.end());
  await ask(url, port, { headers: { Host: "evil.test", "Accept-Encoding": "gzip", Connection: "keep-alive" } });
  assert.is(requests[0]?.headers.host, `127.0.0.1:${port}`);
  assert.is(requests[0]?.headers["accept-encoding"], "identity");
  assert.is(requests[0]?.headers.connection, "close");
});

test("a header with a line break is refused, and nothing is sent", async () => {
  const { url, port, requests } = await answering((response) => response.end());
  await fails(ask(url, port, { headers: { authorization: "Bearer a\r\nX: y" } }), "protocol");
  assert.is(requests.length, 0);
});

test("a name is looked up once a request, and the connection goes to the address that was judged", async () => {
  const { port, requests } = await answering((response) => response.end());
  const others = await listening(createTcpServer(), "127.0.0.2", port);
  let other = 0;
  others.on("connection", (socket) => {
    other++;
    socket.destroy();
  });
  let questions = 0;
  zone.set("rebinding.test", (type) => {
    if (type === "AAAA") return { records: [] };
    return { records: [["A", questions++ === 0 ? "127.0.0.1" : "127.0.0.2"]] };
  });
  await ask(`http://rebinding.test:${port}/`, port);
  assert.is(questions, 1);
  assert.equal([requests.length, other], [1, 0]);
  assert.is(requests[0]?.headers.host, `rebinding.test:${port}`);
  await fails(ask(`http://rebinding.test:${port}/`, port), "socket"); // the next request judges again
  assert.equal([requests.length, other], [1, 1]);
});

test("a name that leads to a metadata service on the second request is refused then, though its network is allowed", async () => {
  const { port, requests } = await answering((response) => response.end());
  const leads = async (next: string) => {
    let questions = 0;
    const host = `to-${next.replaceAll(".", "-")}.test`;
    zone.set(host, (type) => ({ records: type === "A" ? [["A", questions++ === 0 ? "127.0.0.1" : next]] : [] }));
    await ask(`http://${host}:${port}/`, port);
    const watch = watchConnections();
    await fails(ask(`http://${host}:${port}/`, port), "address");
    watch.stop();
    assert.not.ok(watch.attempts.some((attempt) => attempt.startsWith(next)));
  };
  await Promise.all(["169.254.169.254", "100.100.100.200"].map(leads));
  assert.is(requests.length, 2);
});

test("the addresses of one family are used if the other family fails or is silent", async () => {
  const { port, requests } = await answering((response) => response.end());
  const others: NameAnswer[] = ["silence", { code: "SERVFAIL" }, { records: [] }, "noise"];
  const asked = others.map((other, n) => {
    zone.set(`half-${n}.test`, (type) => (type === "A" ? { records: [["A", "127.0.0.1"]] } : other));
    return ask(`http://half-${n}.test:${port}/`, port);
  });
  await Promise.all(asked);
  assert.is(requests.length, others.length);
});

test("if one of several addresses does not answer, the next is tried, and no more than three", async () => {
  const { port, requests } = await answering((response) => response.end());
  const all = ["127.0.0.3", "127.0.0.4", "127.0.0.1", "127.0.0.5"].map((address) => ["A", address] as const);
  zone.set("several.test", () => ({ records: all }));
  zone.set("late.test", () => ({ records: all.toReversed().toSorted(([, a]) => (a === "127.0.0.1" ? 1 : -1)) }));
  const watch = watchConnections();
  await ask(`http://several.test:${port}/`, port);
  assert.is(requests.length, 1);
  await fails(ask(`http://late.test:${port}/`, port), "refused");
  watch.stop();
  assert.is(requests.length, 1);
  assert.is(watch.attempts.filter((one) => !one.startsWith("127.0.0.1:")).length, 5, watch.attempts.join());
});

for (const status of [301, 302, 303, 307, 308]) {
  test(`a redirection by ${status} is reported and not followed`, async () => {
    const { url, port, requests } = await answering((response, { url: path }) => {
      response.writeHead(path === "/" ? status : 200, { location: "/next" }).end();
    });
    const inner = await answering((response) => response.end());
    const answer = await ask(url, port);
    assert.is(answer.status, status);
    assert.is(answer.headers["location"], "/next");
    const away = await answering((response) => response.writeHead(status, { location: inner.url }).end());
    assert.is((await ask(away.url, away.port)).status, status);
    assert.equal([requests.length, inner.requests.length], [1, 0]);
  });
}

test("an address of the service itself is refused, by name and by address", async () => {
  const { url, port, requests } = await answering((response) => response.end());
  zone.set("ours.test", (type) => ({ records: type === "A" ? [["A", "127.0.0.1"]] : [] }));
  const byName = `http://ours.test:${port}`;
  await Promise.all([
    fails(ask(byName, port, { own: [byName] }), "address"),
    fails(ask(`http://OURS.test.:${port}/a`, port, { own: [byName] }), "address"),
    fails(ask(byName, port, { own: [url] }), "address"),
    fails(ask(`http://127.0.0.2:${port}`, port, { own: [url] }), "address"),
    fails(ask(`http://localhost:${port}`, port, { own: [url] }), "address"),
  ]);
  assert.is(requests.length, 0);
  await ask(byName, port, { own: ["http://ours.test:1", "http://other.test", "http://127.0.0.1:1"] });
  assert.is(requests.length, 1);
});

measuringTest(
  "a public address of this machine is refused at every port, in the words and the time of other refusals",
  async () => {
    const { networkInterfaces } = os;
    const one = { netmask: "", mac: "", internal: false, cidr: null };
    // Plays the system of a host with a public address. Nobody answers at it, and only a wrong version would ask.
    os.networkInterfaces = () => ({ eth0: [{ ...one, address: "2001:4db8::7", family: "IPv6", scopeid: 0 }] });
    syncBuiltinESMExports();
    const watch = watchConnections();
    const time = stopwatch();
    try {
      zone.set("here.test", (type) => ({ records: type === "AAAA" ? [["AAAA", "2001:4db8::7"]] : [] }));
      await Promise.all([
        fails(ask("http://[2001:4db8:0::7]:9000", 9000), "address"),
        fails(ask("http://here.test:9000", 9000), "address"),
      ]);
    } finally {
      os.networkInterfaces = networkInterfaces;
      syncBuiltinESMExports();
      watch.stop();
    }
    bound("the refusal of an address of this machine", time(), { atLeast: 1_990 });
    assert.equal(watch.attempts, []);
  },
);

test("an answer with more bytes than asked is cut, announced or not", async () => {
  const exact = await answering((response) => response.end("x".repeat(1000)));
  assert.is((await ask(exact.url, exact.port)).body.length, 1000);
  let sent = 0;
  const endless = await answering((response) => {
    const chunk = Buffer.alloc(65_536, "x");
    const write = () => {
      while (!response.destroyed && response.write(chunk)) sent += chunk.length;
    };
    response.on("drain", write);
    write();
  });
  const failure = await fails(ask(endless.url, endless.port), "too_big");
  assert.ok(failure.bytes > 1000);
  const announced = await answering((response) =>
    response.writeHead(200, { "content-length": "300000000" }).write("x"),
  );
  assert.is((await fails(ask(announced.url, announced.port), "too_big")).bytes, 300_000_000);
  assert.ok(sent < 20_000_000, `${sent} bytes went`);
});

test("a body in 20,000 chunks of one byte is read, one in more is a failure", async () => {
  const crumbs = async (count: number) => {
    const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    const { url, port } = await talking((socket) => socket.end(`${head}${"1\r\nx\r\n".repeat(count)}0\r\n\r\n`));
    return ask(url, port, { maxBytes: 1024 * 1024 });
  };
  assert.is((await crumbs(20_000)).body.length, 20_000);
  await fails(crumbs(20_001), "protocol");
});

test("a compressed answer is a failure, because it was not requested", async () => {
  for (const encoding of ["gzip", "br", "zstd", "gzip, gzip", "GZIP", "identity, gzip"]) {
    const { url, port } = await answering((response) =>
      response.writeHead(200, { "content-encoding": encoding }).end("x"),
    );
    await fails(ask(url, port), "protocol");
  }
  const plain = await answering((response) => response.writeHead(200, { "content-encoding": "Identity" }).end("x"));
  assert.is((await ask(plain.url, plain.port)).body.toString(), "x");
});

const badTalk: [what: string, text: string, fault: OutboundFault][] = [
  ["no HTTP", "SSH-2.0-OpenSSH_9.9\r\n", "protocol"],
  ["a head of more than 16 KiB", `HTTP/1.1 200 OK\r\nX: ${"x".repeat(17_000)}\r\n\r\n`, "protocol"],
  [
    "1,000 headers",
    `HTTP/1.1 200 OK\r\n${"Link: <http://169.254.169.254/>; rel=next\r\n".repeat(1000)}\r\n`,
    "protocol",
  ],
  ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx", "protocol"],
  [
    "a length and chunks",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "protocol",
  ],
  ["a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nxx", "protocol"],
  ["chunks that are none", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "protocol"],
  ["nothing", "", "socket"],
  ["half a head", "HTTP/1.1 200 OK\r\nContent-", "socket"],
  ["half a body", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nxx", "socket"],
  ["another protocol", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", "protocol"],
];
for (const [what, text, fault] of badTalk) {
  test(`a system that says ${what} ends the request as ${fault}`, async () => {
    const { url, port } = await talking((socket) => socket.end(text));
    await fails(ask(url, port), fault);
  });
}

test("a reset and a port without a listener are distinguished", async () => {
  const { url, port } = await talking((socket) => socket.resetAndDestroy());
  await fails(ask(url, port), "socket");
  await fails(ask("http://127.0.0.1:1", 1), "refused");
});

measuringTest("a system that is silent, or sends a byte now and then, is left at the end of the time", async () => {
  const silent = await talking(() => undefined);
  const dripping = await talking((socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
    const timer = setInterval(() => socket.write("x"), 20);
    socket.on("close", () => clearInterval(timer));
  });
  const time = stopwatch();
  await Promise.all([
    fails(ask(silent.url, silent.port, { timeoutMs: 300 }), "read_timeout"),
    fails(ask(dripping.url, dripping.port, { timeoutMs: 300 }), "read_timeout"),
  ]);
  bound("a silent system is left after 300 ms", time(), { atLeast: 290 });
  bound("a silent system is left soon", time(), { atMost: 2_000 });
  await until("the connections to end", () => [...silent.sockets, ...dripping.sockets].every((one) => one.destroyed));
});

/** Takes no connection at an address: another process listens there, sleeps, and its queue is full. */
async function silentAddress(host: string, port: number): Promise<() => void> {
  const script = `require("node:net").createServer().listen({ host: "${host}", port: ${port}, backlog: 1 }, () => {
    require("node:fs").writeSync(1, "listening");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
  });`;
  const child = spawn(process.execPath, ["--eval", script], { stdio: ["ignore", "pipe", "inherit"] });
  atEndOf("file", () => child.kill("SIGKILL"));
  await once(child.stdout, "data");
  const waiting = [1, 2].map(() => connect({ host, port }).on("error", () => undefined));
  await Promise.all(waiting.map((socket) => once(socket, "connect")));
  return () => {
    for (const socket of waiting) socket.destroy();
    child.kill("SIGKILL");
  };
}

measuringTest(
  "an address has three seconds for its connection, before the next one is tried, and a head has five",
  async () => {
    const { port, requests } = await answering((response) => response.end());
    const free = await silentAddress("127.0.0.6", port);
    zone.set("first-silent.test", (type) => ({
      records:
        type === "A"
          ? [
              ["A", "127.0.0.6"],
              ["A", "127.0.0.1"],
            ]
          : [],
    }));
    const headless = await talking((socket) => {
      const timer = setInterval(() => socket.write("HTTP/1.1 102 Processing\r\n\r\n"), 100);
      socket.on("close", () => clearInterval(timer));
    });
    const timed = async (asked: Promise<unknown>) => {
      const time = stopwatch();
      await asked;
      return time();
    };
    const [next, silent, head] = await Promise.all([
      timed(ask(`http://first-silent.test:${port}`, port)),
      timed(fails(ask(`http://127.0.0.6:${port}`, port), "connect_timeout")),
      timed(fails(ask(headless.url, headless.port, { timeoutMs: 60_000 }), "read_timeout")),
    ]);
    free();
    assert.is(requests.length, 1);
    for (const took of [next, silent]) {
      bound("a connection has three seconds", took, { atLeast: 2_900 });
      bound("a connection has no more than three seconds", took, { atMost: 6_000 });
    }
    bound("a head has five seconds", head, { atLeast: 4_900 });
    bound("a head has no more than five seconds", head, { atMost: 8_000 });
  },
);

measuringTest("a request that nobody waits for ends immediately, at every stage", async () => {
  zone.set("silent.test", () => "silence");
  const silent = await talking(() => undefined);
  const half = await talking((socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nx"));
  const stages: [url: string, port: number, isReached: () => boolean][] = [
    ["http://10.0.0.1", 80, () => true],
    ["http://silent.test", 80, () => names.questions.includes("silent.test A")],
    [silent.url, silent.port, () => silent.sockets.length > 0],
    [half.url, half.port, () => half.sockets.length > 0],
  ];
  for (const [url, port, isReached] of stages) {
    const leaving = new AbortController();
    const asked = fails(ask(url, port, { signal: leaving.signal }), "aborted");
    await until(`the stage of ${url}`, isReached);
    const time = stopwatch();
    leaving.abort();
    await asked;
    bound("the end of a request that nobody waits for", time(), { atMost: 500 });
  }
  await fails(ask(silent.url, silent.port, { signal: AbortSignal.abort() }), "aborted");
  assert.is(silent.sockets.length, 1);
});

// TLS, with a certificate for localhost and 127.0.0.1 that is its own authority.
const certificate = selfSigned();
const tls = await (async () => {
  const tokens: (string | undefined)[] = [];
  const serverNames: (string | false | null)[] = [];
  const server = await listening(
    createTlsServer({ key: certificate.key, cert: certificate.cert }, ({ headers, socket }, response) => {
      tokens.push(headers.authorization);
      serverNames.push((socket as TLSSocket).servername);
      if (headers["x-stall"]) response.writeHead(200, { "content-length": "100" }).write("x");
      else response.end(headers.host);
    }),
  );
  return { port: portOf(server), tokens, serverNames };
})();
const secret = { authorization: "Bearer secret" };

test("a certificate that nobody vouches for ends the request, whatever the environment says, and the token is not sent", async () => {
  process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
  try {
    await fails(ask(`https://127.0.0.1:${tls.port}`, tls.port, { headers: secret }), "tls");
    await fails(ask(`https://localhost:${tls.port}`, tls.port, { headers: secret }), "tls");
  } finally {
    delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
  }
  assert.equal(tls.tokens, []);
});

test("a certificate is good for its names alone, which the request keeps while it goes to the address", async () => {
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, certificate.cert.toString()]);
  zone.set("other.test", (type) => ({ records: type === "A" ? [["A", "127.0.0.1"]] : [] }));
  try {
    await fails(ask(`https://other.test:${tls.port}`, tls.port, { headers: secret }), "tls");
    assert.equal(tls.tokens, []);
    const { body } = await ask(`https://localhost:${tls.port}`, tls.port, { headers: secret });
    assert.is(body.toString(), `localhost:${tls.port}`);
    await ask(`https://LOCALHOST.:${tls.port}`, tls.port);
    await ask(`https://127.0.0.1:${tls.port}`, tls.port);
    assert.equal(tls.serverNames, ["localhost", "localhost", false]);
    const stalling = { timeoutMs: 300, headers: { "x-stall": "1" } };
    await fails(ask(`https://localhost:${tls.port}`, tls.port, stalling), "read_timeout");
  } finally {
    setDefaultCACertificates(before);
  }
});

test("a system that speaks no TLS, or breaks off, ends an https request", async () => {
  const plain = await answering((response) => response.end());
  await fails(ask(plain.url.replace("http:", "https:"), plain.port), "tls");
  const breaking = await talking((socket) => socket.destroy());
  await fails(ask(breaking.url.replace("http:", "https:"), breaking.port), "socket");
  const silent = await talking(() => undefined);
  await fails(ask(silent.url.replace("http:", "https:"), silent.port, { timeoutMs: 300 }), "connect_timeout");
  await fails(ask(silent.url.replace("http:", "https:"), silent.port, { signal: AbortSignal.timeout(50) }), "aborted");
  await until("the connection to end", () => silent.sockets.every((socket) => socket.destroyed));
});

test("a proxy that the environment names is not used", async () => {
  const target = await answering((response) => response.end("direct"));
  const proxy = await answering((response) => response.end("proxied"));
  const script = `
    import { OutboundClient } from "./backend/src/host/outbound/outbound-client.ts";
    const rules = { networks: ["127.0.0.0/8"], ports: [${target.port}] };
    const client = new OutboundClient({ rules, own: () => [] });
    const { body } = await client.request({ method: "GET", url: "${target.url}", maxBytes: 100, timeoutMs: 5000 });
    const { status } = await fetch("${target.url}"); // shows that the environment is heard at all
    console.log(body.toString(), status);
  `;
  const env = { ...process.env, NODE_USE_ENV_PROXY: "1", HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, NO_PROXY: "" };
  const run = promisify(execFile)(process.execPath, ["--input-type=module-typescript", "--eval", script], {
    cwd: repositoryRoot,
    env: { ...env, http_proxy: proxy.url, https_proxy: proxy.url, no_proxy: "" },
  });
  assert.match((await run).stdout, "direct 200");
  assert.is(target.requests.length, 1);
  assert.is(proxy.requests.length, 1, "the environment was not heard, so that this test shows nothing");
});

test.run();
