import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import type { Log } from "@faultline/plugin";
import { AccountService, services } from "@faultline/proto";
import { connect, serviceDefinition } from "@faultline/proto/grpc";
import { Client, credentials, status, type ServiceError } from "@grpc/grpc-js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { GrpcServer } from "../../backend/src/host/grpc/server.ts";

const deadline = suite("gRPC deadline");

const signals: (AbortSignal | undefined)[] = [];
const log: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

const checkToken = () => Promise.resolve({ needsToken: false, holder: "" });

/** Services whose methods never answer. */
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

deadline.run();
