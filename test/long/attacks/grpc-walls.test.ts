import { existsSync, writeFileSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { AccountService, InstanceService, ProjectService, SourceMapService } from "@faultline/proto";
import { connect } from "@faultline/proto/grpc";
import { Client, credentials, Metadata, status, type ChannelCredentials, type ServiceError } from "@grpc/grpc-js";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { selfSigned } from "../../support/service/certificates.ts";
import { runningServer } from "../../support/service/flow.ts";
import { http } from "../../support/http/http.ts";
import { rejects } from "../../support/assert/rejects.ts";
import {
  launch,
  repositoryRoot,
  rootPassword,
  rootToken,
  startServer,
  type Server,
} from "../../support/service/server.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { stretched } from "../../support/run/deadlines.ts";
import { bound, measuringTest, memoryOf } from "../../support/measure/measured.ts";

const own = selfSigned();
const stranger = selfSigned("stranger");
const tlsEnv = { FAULTLINE_GRPC_TLS_CERT: own.certFile, FAULTLINE_GRPC_TLS_KEY: own.keyFile };

/** Asks who it is at an address, over a channel with these credentials. */
async function currentUser(address: string, channel: ChannelCredentials): Promise<string | undefined> {
  const connection = connect(address, channel);
  try {
    const { user } = await connection
      .service(AccountService)
      .getCurrentUser({}, { token: rootToken, timeoutMs: stretched(4_000) });
    return user?.username;
  } finally {
    connection.close();
  }
}

/** The address of a server that listens on every one, seen from this machine. */
const near = ({ grpcAddress }: Server) => grpcAddress.replace("0.0.0.0", "localhost");

/** One call by its wire name, with bytes and headers as the test wants them. */
function raw(
  address: string,
  path: string,
  body: Buffer,
  headers: Record<string, string> = {},
): Promise<ServiceError | Buffer> {
  const client = new Client(address, credentials.createInsecure());
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  const same = (bytes: Buffer) => bytes;
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      path,
      same,
      same,
      body,
      metadata,
      { deadline: Date.now() + stretched(8_000) },
      (error, answer) => {
        client.close();
        resolve(error ?? answer ?? Buffer.alloc(0));
      },
    );
  });
}

test("with TLS on every address, clients that trust the certificate are served, and others are not", async () => {
  const server = await startServer({ env: { ...tlsEnv, FAULTLINE_GRPC_ADDRESS: "0.0.0.0:0" } });
  assert.is(await currentUser(near(server), credentials.createSsl(own.cert)), "root");
  for (const channel of [credentials.createInsecure(), credentials.createSsl(stranger.cert)]) {
    await rejects(currentUser(near(server), channel), "UNAVAILABLE");
  }
  assert.is(await server.stop(), 0);
});

test("the console works while the core is behind TLS", async () => {
  assert.ok(existsSync(join(repositoryRoot, "console/build/handler.js")), "the console is not built");
  const server = await startServer({ env: { ...tlsEnv, FAULTLINE_GRPC_ADDRESS: "0.0.0.0:0" } });
  const body = new URLSearchParams({ username: "root", password: rootPassword }).toString();
  const answer = await http(`${server.url}/-/sign_in`, {
    method: "POST",
    headers: {
      Origin: server.url,
      Accept: "text/html",
      "Content-Type": "application/x-www-form-urlencoded",
      "Content-Length": `${Buffer.byteLength(body)}`,
    },
    body,
  });
  assert.is(answer.status, 303, answer.text);
  const [cookie = ""] = answer.headers["set-cookie"] ?? [];
  const page = await http(`${server.url}/-/projects`, { headers: { Cookie: cookie.split(";", 1)[0] ?? "" } });
  assert.is(page.status, 200, page.text);
  assert.is(await server.stop(), 0);
});

test("with an authority for clients, only clients with one of its certificates are served", async () => {
  const server = await startServer({ env: { ...tlsEnv, FAULTLINE_GRPC_TLS_CLIENT_CA: own.certFile } });
  const as = ({ key, cert }: typeof own) => credentials.createSsl(own.cert, key, cert);
  const address = near(server).replace("127.0.0.1", "localhost");
  assert.is(await currentUser(address, as(own)), "root");
  for (const channel of [credentials.createSsl(own.cert), as(stranger)]) {
    await rejects(currentUser(address, channel), "UNAVAILABLE");
  }
  assert.is(await server.stop(), 0);
});

const noPem = join(tempDir(), "no.pem");
writeFileSync(noPem, "this is no certificate");
const refusedStarts: [what: string, env: Record<string, string>, sentence: RegExp][] = [
  ["on every address without TLS", { FAULTLINE_GRPC_ADDRESS: "0.0.0.0:0" }, /GRPC_ADDRESS must be a loopback address/],
  [
    "with a missing certificate",
    { ...tlsEnv, FAULTLINE_GRPC_TLS_CERT: "/nowhere.pem" },
    /nowhere\.pem cannot be read: FAULTLINE_GRPC_TLS_CERT/,
  ],
  ["with a key of another certificate", { ...tlsEnv, FAULTLINE_GRPC_TLS_KEY: stranger.keyFile }, /belong together/],
  ["with a certificate that is none", { ...tlsEnv, FAULTLINE_GRPC_TLS_CERT: noPem }, /must name PEM files/],
  [
    "with an authority that is none",
    { ...tlsEnv, FAULTLINE_GRPC_TLS_CLIENT_CA: noPem },
    /holds no certificate: FAULTLINE_GRPC_TLS_CLIENT_CA/,
  ],
];
for (const [what, env, sentence] of refusedStarts) {
  test(`a start ${what} is refused in one sentence, and no key is printed`, async () => {
    const started = launch({ env });
    const late = setTimeout(() => started.process.kill("SIGKILL"), stretched(20_000));
    assert.is(await started.ended, 1);
    clearTimeout(late);
    const output = started.output().trim();
    assert.match(output, sentence);
    assert.is(output.split("\n").length, 1, output);
    assert.not.match(output, "PRIVATE KEY");
  });
}

const reflectionPath = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

test("reflection is offered on this machine alone, health everywhere", async () => {
  const ask = async (server: Server, path: string, channel: ChannelCredentials) => {
    const client = new Client(near(server), channel);
    const same = (bytes: Buffer) => bytes;
    const call = client.makeBidiStreamRequest(path, same, same, { deadline: Date.now() + stretched(8_000) });
    const code = new Promise<number>((resolve) => {
      call.on("status", ({ code: ended }) => resolve(ended));
      call.on("error", () => undefined); // the status says it
      call.on("data", () => undefined);
    });
    call.write(Buffer.from([0x3a, 0x01, 0x2a])); // list_services: "*"
    call.end();
    return code.finally(() => client.close());
  };
  const loopback = await startServer();
  assert.is(await ask(loopback, reflectionPath, credentials.createInsecure()), status.OK);
  await loopback.stop();
  const open = await startServer({ env: { ...tlsEnv, FAULTLINE_GRPC_ADDRESS: "0.0.0.0:0" } });
  const trusting = credentials.createSsl(own.cert);
  assert.is(await ask(open, reflectionPath, trusting), status.UNIMPLEMENTED);
  assert.is(await ask(open, "/grpc.health.v1.Health/Check", trusting), status.OK);
  await open.stop();
});

const { server, client } = await runningServer();
const createProject = `/${ProjectService.typeName}/CreateProject`;
const putChunk = `/${SourceMapService.typeName}/PutChunk`;
const reportEvents = "/faultline.v1.IngestService/ReportEvents";
const authorization = { authorization: `Bearer ${rootToken}` };
const megabyte = 1024 * 1024;

/** A message with an unknown field of this many bytes, so that only its size is at fault. */
function sized(bytes: number): Buffer {
  const length = [
    (bytes & 0x7f) | 0x80,
    ((bytes >> 7) & 0x7f) | 0x80,
    ((bytes >> 14) & 0x7f) | 0x80,
    (bytes >> 21) & 0x7f,
  ];
  return Buffer.concat([Buffer.from([0xfa, 0x7f, ...length]), Buffer.alloc(bytes, "x")]);
}

test("requests of more than 256 KiB are refused, but parts of uploads may have 4 MiB and batches of events 16", async () => {
  const codeOf = async (path: string, bytes: number) => {
    const answer = await raw(server.grpcAddress, path, sized(bytes), authorization);
    return Buffer.isBuffer(answer) ? "OK" : status[answer.code];
  };
  assert.is(await codeOf(createProject, 0.3 * megabyte), "RESOURCE_EXHAUSTED");
  assert.is(await codeOf(createProject, 0.2 * megabyte), "INVALID_ARGUMENT");
  assert.is(await codeOf(putChunk, 5 * megabyte), "RESOURCE_EXHAUSTED");
  assert.is(await codeOf(putChunk, 3 * megabyte), "INVALID_ARGUMENT");
  assert.is(await codeOf(reportEvents, 5 * megabyte), "INVALID_ARGUMENT");
  assert.is(await codeOf(reportEvents, 17 * megabyte), "RESOURCE_EXHAUSTED");
});

test("a message that decompresses beyond the limit is refused, and the service continues", async () => {
  assert.is(await compressed(reportEvents, Buffer.alloc(200 * megabyte), authorization), "RESOURCE_EXHAUSTED");
  assert.ok((await client.instance.getInstance({}, client.auth)).instance);
});

/** Empty events, two bytes each on the wire and 500 in memory. */
const emptyEvents = (count: number) => Buffer.alloc(2 * count, Buffer.from([10, 0]));

/** The answer to a compressed request; `body` as gzip, beginning with the frame that says so. */
async function compressed(path: string, body: Buffer, headers: Record<string, string> = {}): Promise<string> {
  const zipped = gzipSync(body);
  const frame = Buffer.alloc(5);
  frame.writeUInt8(1, 0);
  frame.writeUInt32BE(zipped.length, 1);
  const session = connectHttp2(`http://${server.grpcAddress}`);
  try {
    return await new Promise<string>((resolve, reject) => {
      const stream = session.request({
        ":method": "POST",
        ":path": path,
        "content-type": "application/grpc",
        te: "trailers",
        "grpc-encoding": "gzip",
        ...headers,
      });
      const look = (got: Record<string, unknown>) => {
        const code = got["grpc-status"];
        if (code !== undefined) resolve(status[Number(code)] ?? String(code));
      };
      stream.on("response", look).on("trailers", look).on("error", reject);
      stream.resume();
      stream.end(Buffer.concat([frame, zipped]));
    });
  } finally {
    session.close();
  }
}

measuringTest(
  "a million empty events in two kilobytes are refused before they are parsed, without a token and with one",
  async () => {
    const memory = memoryOf(server.pid);
    const events = emptyEvents(1_000_000);
    const codes = (headers: Record<string, string>) =>
      Promise.all(Array.from({ length: 20 }, () => compressed(reportEvents, events, headers)));
    assert.equal(new Set(await codes({})), new Set(["UNAUTHENTICATED"]));
    assert.equal(new Set(await codes(authorization)), new Set(["INVALID_ARGUMENT"]));
    bound("memory for 40 times a million empty events", memory.grown(), { atMost: 200 }); // one alone took more than 500
  },
);

test("entries within the events are counted too", async () => {
  const exceptions = Buffer.alloc(2 * 300_000, Buffer.from([0x3a, 0])); // field 7
  const length = Buffer.from([
    (exceptions.length & 0x7f) | 0x80,
    ((exceptions.length >> 7) & 0x7f) | 0x80,
    exceptions.length >> 14,
  ]);
  const refusal = await raw(
    server.grpcAddress,
    reportEvents,
    Buffer.concat([Buffer.from([10]), length, exceptions]),
    authorization,
  );
  assert.not(Buffer.isBuffer(refusal));
  assert.match((refusal as ServiceError).details, "at most 200,000 entries in all");
});

test("a method that anybody may call takes no more than 64 KiB", async () => {
  const signIn = `/${AccountService.typeName}/SignIn`;
  assert.is(await compressed(signIn, sized(15 * megabyte)), "RESOURCE_EXHAUSTED");
  const codeOf = async (bytes: number) => ((await raw(server.grpcAddress, signIn, sized(bytes))) as ServiceError).code;
  assert.is(await codeOf(60_000), status.UNAUTHENTICATED);
  assert.is(await codeOf(70_000), status.RESOURCE_EXHAUSTED);
});

test("the token alone decides who the caller is, whatever other headers claim", async () => {
  const claims = {
    "x-actor": "root",
    "x-user": "root",
    "x-user-id": "1",
    "x-forwarded-user": "root",
    "x-admin": "true",
  };
  const path = `/${InstanceService.typeName}/GetHealth`;
  const anonymous = await raw(server.grpcAddress, path, Buffer.alloc(0), claims);
  assert.not(Buffer.isBuffer(anonymous));
  assert.is((anonymous as ServiceError).code, status.UNAUTHENTICATED);

  const password = "a password of a person";
  await client.users.createUser({ username: "ann", password }, client.auth);
  const { sessionToken } = await client.accounts.signIn({ username: "ann", password });
  const person = await raw(server.grpcAddress, path, Buffer.alloc(0), {
    ...claims,
    authorization: `Bearer ${sessionToken}`,
  });
  assert.not(Buffer.isBuffer(person));
  assert.is((person as ServiceError).code, status.PERMISSION_DENIED);
});

test("at most 100 calls run on a connection at the same time", async () => {
  const connection = connectHttp2(`http://${server.grpcAddress}`);
  const settings = await new Promise<{ maxConcurrentStreams?: number }>((resolve) =>
    connection.once("remoteSettings", resolve),
  );
  connection.close();
  assert.is(settings.maxConcurrentStreams, 100);
});

test.run();
