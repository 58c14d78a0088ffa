import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { MemoryReservation, type Log } from "@faultline/plugin";
import { AccountService, IngestService, services } from "@faultline/proto";
import { connect, serviceDefinition } from "@faultline/proto/grpc";
import { Client, credentials, status, type ServiceError } from "@grpc/grpc-js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { until } from "../support/run/until.ts";
import { GrpcServer } from "../../backend/src/host/grpc/server.ts";

const deadline = suite("gRPC deadline");

const signals: (AbortSignal | undefined)[] = [];
const log: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

const checkToken = () => Promise.resolve({ needsToken: false, holder: "" });

/** Services with methods that never answer. */
const silentServices = Object.values(services).map((service) => ({
  service,
  methods: Object.fromEntries(
    service.methods.map(({ localName }) => [
      localName,
      (_request: unknown, { signal }: { signal?: AbortSignal | undefined }) => {
        signals.push(signal);
        return new Promise<never>(() => undefined);
      },
    ]),
  ),
}));

deadline("a call without a deadline gets one, and its work is aborted", async () => {
  const server = new GrpcServer(silentServices, log, { checkToken, hasReflection: false, deadlineMs: 50 });
  const address = await server.listen("127.0.0.1:0");
  const client = new Client(address, credentials.createInsecure());
  const method = serviceDefinition(AccountService)["getCurrentUser"];
  assert.ok(method);
  const refusal = await new Promise<ServiceError | null>((resolve) =>
    client.makeUnaryRequest(
      method.path,
      () => Buffer.alloc(0),
      String,
      {},
      (error) => resolve(error),
    ),
  );
  client.close();
  assert.is(refusal?.code, status.DEADLINE_EXCEEDED);
  assert.match(refusal?.details ?? "", "The call had no deadline");
  const [signal] = signals;
  assert.ok(signal);
  if (!signal.aborted) await once(signal, "abort");
  await server.stop();
});

deadline("a call with a deadline of its own keeps it", async () => {
  const server = new GrpcServer(silentServices, log, { checkToken, hasReflection: false, deadlineMs: 1 });
  const connection = connect(await server.listen("127.0.0.1:0"), credentials.createInsecure());
  const call = connection.service(AccountService).getCurrentUser({}, { timeoutMs: 100 });
  const refusal = await call.then(String, (error: Error) => error.message);
  assert.not.match(refusal, "The call had no deadline");
  connection.close();
  await server.stop();
});

deadline("a call whose request does not arrive is ended", async () => {
  const server = new GrpcServer(silentServices, log, { checkToken, hasReflection: false, arrivalMs: 20 });
  const session = connectHttp2(`http://${await server.listen("127.0.0.1:0")}`);
  const stream = session.request({
    ":method": "POST",
    ":path": serviceDefinition(AccountService)["getCurrentUser"]?.path,
    "content-type": "application/grpc",
    te: "trailers",
  });
  stream.write(Buffer.from([0, 0, 0, 0, 9, 1])); // of nine bytes that it announces
  const [headers] = (await once(stream, "response")) as [Record<string, string>];
  session.destroy();
  await server.stop(0);
  assert.is(headers["grpc-status"], String(status.DEADLINE_EXCEEDED));
  assert.match(decodeURI(headers["grpc-message"] ?? ""), "The request did not arrive");
});

/** Calls a method with these bytes and does not end the request. */
function unended(address: string, path: string | undefined, message: Buffer) {
  const session = connectHttp2(`http://${address}`);
  const stream = session.request({
    ":method": "POST",
    ":path": path,
    "content-type": "application/grpc",
    te: "trailers",
  });
  const frame = Buffer.alloc(5);
  frame.writeUInt32BE(message.length, 1);
  stream.on("error", () => undefined); // the test looks at the headers
  stream.write(Buffer.concat([frame, message]));
  return { session, answered: once(stream, "response") as Promise<[Record<string, string>]> };
}

deadline("a call whose message is there is not made before its request ends, and is ended", async () => {
  signals.length = 0;
  const server = new GrpcServer(silentServices, log, { checkToken, hasReflection: false, arrivalMs: 100 });
  const address = await server.listen("127.0.0.1:0");
  const path = serviceDefinition(AccountService)["getCurrentUser"]?.path;
  const { session, answered } = unended(address, path, Buffer.alloc(0));
  const [headers] = await answered;
  session.destroy();
  await server.stop(0);
  assert.is(headers["grpc-status"], String(status.DEADLINE_EXCEEDED));
  assert.is(signals.length, 0);
});

deadline("what one person's requests hold together is bounded, and free again when they are over", async () => {
  const large = () => Promise.resolve({ needsToken: true, holder: "user 1" });
  const server = new GrpcServer(silentServices, log, { checkToken: large, hasReflection: false });
  const address = await server.listen("127.0.0.1:0");
  const path = serviceDefinition(IngestService)["reportEvents"]?.path;
  const held = [15, 15].map((mib) => unended(address, path, Buffer.alloc(mib * 1024 * 1024)));
  const third = unended(address, path, Buffer.alloc(15 * 1024 * 1024));
  const [headers] = await Promise.race([third, ...held].map(({ answered }) => answered));
  assert.is(headers["grpc-status"], String(status.RESOURCE_EXHAUSTED));
  for (const { session } of [...held, third]) session.destroy();
  await server.stop(0);
  using reservation = new MemoryReservation("user 1");
  using beside = new MemoryReservation("user 1");
  assert.ok(beside.hold(1));
  await until("the memory is free again", () => Promise.resolve(reservation.hold(31 * 1024 * 1024)));
});

deadline("bytes that are no message are refused as such, and nothing is logged", async () => {
  const logged: unknown[] = [];
  const noisy: Log = { ...log, error: (...words) => logged.push(words) };
  const server = new GrpcServer(silentServices, noisy, { checkToken, hasReflection: false });
  const client = new Client(await server.listen("127.0.0.1:0"), credentials.createInsecure());
  const path = serviceDefinition(AccountService)["getCurrentUser"]?.path ?? "";
  const refusal = await new Promise<ServiceError | null>((resolve) =>
    client.makeUnaryRequest(path, (bytes: Buffer) => bytes, String, Buffer.from([0xff, 0xff]), resolve),
  );
  client.close();
  await server.stop(0);
  assert.is(refusal?.code, status.INVALID_ARGUMENT);
  assert.equal(logged, []);
});

deadline.run();
