/**
 * A client with only the address and a token. It learns services and messages by the reflection protocol, like grpcurl,
 * and imports none of our generated code. Events come in over HTTP.
 */
import { createFileRegistry, fromBinary, type FileRegistry } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema, type FileDescriptorProto } from "@bufbuild/protobuf/wkt";
import * as grpc from "@grpc/grpc-js";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { sharedServer } from "../support/service/flow.ts";
import { createProject } from "../support/core/project.ts";
import {
  descriptorSet,
  discovered,
  reflected,
  shipped,
  type Json,
  type ServiceConstructor,
} from "../support/core/reflection.ts";
import { newEventId, sendEvent } from "../support/sentry/send.ts";
import { rootToken } from "../support/service/server.ts";
import { stretched } from "../support/run/deadlines.ts";

const credentials = grpc.credentials.createInsecure();

const { server } = await sharedServer();
const eventId = newEventId();
const project = await createProject(server);
const sent = await sendEvent(server, project, {
  event_id: eventId,
  exception: { values: [{ type: "Found", value: "by reflection" }] },
});
assert.is(sent.status, 200, sent.text);

/** Calls a method by its name, with the administrator's token. */
async function call(service: ServiceConstructor, method: string, request: Json, token = rootToken): Promise<Json> {
  const client = new service(server.grpcAddress, credentials);
  const metadata = new grpc.Metadata();
  metadata.set("authorization", `Bearer ${token}`);
  try {
    return await new Promise<Json>((resolveAnswer, reject) => {
      client[method]?.(
        request,
        metadata,
        { deadline: Date.now() + stretched(10_000) },
        (error: Error | null, answer: Json) => (error ? reject(error) : resolveAnswer(answer)),
      );
    });
  } finally {
    client.close();
  }
}

test("reflection lists our services", async () => {
  const answer = await reflected(server, { list_services: "*" });
  const { service } = answer["list_services_response"] as { service: { name: string }[] };
  const names = service.map(({ name }) => name);
  const ours = ["Account", "ClientKey", "Error", "Ingest", "Project", "Settings"].map(
    (name) => `faultline.v1.${name}Service`,
  );
  for (const name of ours) assert.ok(names.includes(name), `${name} of ${names.join(", ")}`);
});

for (const name of ["Account", "ClientKey", "Error", "Ingest", "Project", "Settings"])
  test(`${name}Service can be discovered`, async () => {
    assert.ok(Object.keys((await discovered(server, `faultline.v1.${name}Service`)).service).length > 0);
  });

test("the descriptors link with all their imports, as strict clients such as grpcurl require", async () => {
  const { list_services_response: list } = await reflected(server, { list_services: "*" });
  const { service } = list as { service: { name: string }[] };
  for (const { name } of service) {
    const answer = await reflected(server, { file_containing_symbol: name });
    const { file_descriptor_proto: files } = answer["file_descriptor_response"] as { file_descriptor_proto: Buffer[] };
    const [file, ...imported] = fromBinary(FileDescriptorSetSchema, descriptorSet(files)).file;
    assert.ok(file);
    // Links each import separately, because the library would add a file that two files import before the file that
    // needs it first.
    const linked = (one: FileDescriptorProto): FileRegistry =>
      createFileRegistry(one, (path) => {
        const needed = imported.find((other) => other.name === path);
        return needed && linked(needed).getFile(path);
      });
    assert.ok(linked(file).getService(name), name);
  }
});

test("a client without our files lists errors and reads an event", async () => {
  const errorService = await discovered(server, "faultline.v1.ErrorService");
  const list = await call(errorService, "ListErrors", { project_id: project.id });
  const [error] = list["errors"] as Json[];
  assert.is(error?.["title"], "Found: by reflection");
  assert.is(error?.["status"], "ERROR_STATUS_UNRESOLVED");
  assert.is(error?.["event_count"], 1);
  const events = await call(errorService, "ListEvents", { project_id: project.id, error_id: error?.["error_id"] });
  assert.equal(
    (events["events"] as Json[]).map((event) => event["event_id"]),
    [eventId],
  );
  const { event } = await call(errorService, "GetEvent", { project_id: project.id, event_id: eventId });
  const [exception] = (event as Json)["exceptions"] as Json[];
  assert.is(exception?.["type"], "Found");
  assert.is(exception?.["value"], "by reflection");
});

test("a refusal names its reason in the trailers", async () => {
  const errorService = await discovered(server, "faultline.v1.ErrorService");
  const refusal: unknown = await call(errorService, "GetError", { project_id: project.id, error_id: "4000000" }).catch(
    (error: unknown) => error,
  );
  const { code, metadata } = refusal as grpc.ServiceError;
  assert.is(code, grpc.status.NOT_FOUND);
  assert.equal(metadata.get("faultline-reason"), ["ERROR_NOT_FOUND"]);
});

test("the health check answers SERVING, without a token", async () => {
  const health = shipped("grpc.health.v1.Health", {
    of: "grpc-health-check",
    at: "../../proto/health/v1/health.proto",
  });
  for (const service of ["", "faultline.v1.ErrorService"])
    assert.equal(
      await call(health, "Check", { service }, "none"),
      { status: "SERVING" },
      service || "the whole server",
    );
});

test.run();
