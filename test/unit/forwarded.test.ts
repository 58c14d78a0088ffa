import { create, getOption, type DescMethod, type DescService } from "@bufbuild/protobuf";
import { ServiceError, type Capabilities, type ErrorBackend } from "@faultline/plugin";
import {
  Backend,
  BulkUpdateService,
  capability,
  CapabilitiesSchema,
  DeletionService,
  ErrorReason,
  ErrorService,
  ReleaseService,
  services,
} from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { CoreCall } from "../../backend/src/services/access/guard.ts";
import { linkedBackend } from "../../backend/src/services/code-links/linked-backend.ts";
import { errorService } from "../../backend/src/services/errors/error-service.ts";
import { forwarded, whereSupported, type FindBackend } from "../../backend/src/services/errors/forwarded.ts";
import { StatusChangeLimit } from "../../backend/src/services/errors/status-change-limit.ts";

const forwarding = suite("calls of a project's backend");

const fields = CapabilitiesSchema.fields.filter(({ message }) => message !== undefined);
/** Each says its own name. */
const capabilities: Capabilities = Object.fromEntries(
  fields.map(({ localName, name }) => [localName, { allowed: false, reason: name }]),
);
const allowing: Capabilities = Object.fromEntries(fields.map(({ localName }) => [localName, { allowed: true }]));

/** The code of a service that answers with an empty response and notes the name of the method. */
const answeringTo = (called: string[]) => (service: DescService) =>
  Object.fromEntries(
    service.methods.map((method) => [method.localName, async () => (called.push(nameOf(method)), {})]),
  );

/** A backend with all methods that the services have, which answer with an empty response and note their names. */
function wholeBackend(called: string[]): ErrorBackend {
  const answering = answeringTo(called);
  return {
    kind: Backend.INTEGRATED,
    capabilities: allowing,
    ...answering(ErrorService),
    ...answering(ReleaseService),
    changedErrors: async () => [],
    deletions: answering(DeletionService),
  } as unknown as ErrorBackend; // made from the lists of methods that its type is made of
}

const place = { path: "acme/web", codeUrl: "", codeRoot: "" };
const nameOf = (method: DescMethod) => `${method.parent.name}.${method.name}`;

type Handler = (request: unknown, call: CoreCall) => Promise<unknown>;

/** The code of the services for the projects of a backend. */
function codeFor(backend: ErrorBackend, called: string[] = []): (method: DescMethod) => Handler {
  const find: FindBackend = async () => [linkedBackend(backend, place), {}];
  const limit = new StatusChangeLimit({ now: () => 0 });
  const unused = (): never => assert.unreachable("the core answers it by itself") as never;
  const code = new Map<DescService, object>([
    [
      ErrorService,
      errorService({
        find,
        changes: { of: unused } as never, // the stream has a separate test
        allErrors: unused,
        errorProject: unused,
        readHeads: undefined,
        statusChanges: limit,
      }),
    ],
    [ReleaseService, forwarded(ReleaseService, find)],
    [DeletionService, forwarded(DeletionService, find, ({ deletions }) => deletions)],
    [BulkUpdateService, whereSupported(BulkUpdateService, find, answeringTo(called)(BulkUpdateService) as never)],
  ]);
  return (method) => (code.get(method.parent) as Readonly<Record<string, Handler>>)[method.localName] as Handler;
}

/** The methods that the core answers without a method of the same name. */
const ofCore: readonly DescMethod[] = [
  ErrorService.method.listAllErrors,
  ErrorService.method.getErrorProject,
  ErrorService.method.watchErrors,
];
const methods = [ErrorService, ReleaseService, DeletionService, BulkUpdateService]
  .flatMap((service): readonly DescMethod[] => service.methods)
  .filter((method) => !ofCore.includes(method));

const call = {
  caller: { user: { id: 0, username: "jo" } },
  grant: { permissions: new Set() },
} as unknown as CoreCall; // the rest of a call is not read
const requestOf = (method: DescMethod) => create(method.input, { projectId: 1, errorIds: ["1"] } as never); // getErrors refuses none

for (const method of methods) {
  forwarding(`reach ${nameOf(method)}`, async () => {
    const called: string[] = [];
    await codeFor(wholeBackend(called), called)(method)(requestOf(method), call);
    assert.equal(called, [nameOf(method)]);
  });
}

const named = methods.filter((method) => getOption(method, capability) !== "");
for (const method of named) {
  forwarding(`of ${nameOf(method)} are refused in the words of its capability where the backend lacks it`, async () => {
    const lacking: ErrorBackend = { kind: Backend.EXTERNAL, capabilities } as ErrorBackend; // no method at all
    const refusal: unknown = await codeFor(lacking)(method)(requestOf(method), call).catch((thrown: unknown) => thrown);
    assert.instance(refusal, ServiceError);
    const { reason, message } = refusal as ServiceError;
    assert.is(reason, ErrorReason.NOT_SUPPORTED_BY_BACKEND);
    assert.is(message, getOption(method, capability));
  });
}

forwarding("name capabilities that there are", () => {
  const names = fields.map(({ name }) => name);
  for (const service of Object.values(services) as DescService[]) {
    for (const method of service.methods) {
      const name = getOption(method, capability);
      assert.ok(name === "" || names.includes(name), `${nameOf(method)}: ${name}`);
    }
  }
});

forwarding("reach methods that only the backend has, as its own, even those of a frozen one", async () => {
  class Own {
    readonly kind = Backend.INTEGRATED;
    readonly capabilities = capabilities;
    readonly #stored = 7;
    async evictEvents(projectId: number) {
      return { count: projectId * this.#stored, receivedUntil: 0, isLast: true };
    }
    get deletions() {
      return { stored: this.#stored };
    }
  }
  const linked = linkedBackend(Object.freeze(new Own()) as unknown as ErrorBackend, place); // lacks what nobody calls
  assert.is((await linked.evictEvents?.(2, 0))?.count, 14);
  assert.equal(linked.deletions, { stored: 7 } as never);
  assert.is(linked.kind, Backend.INTEGRATED);
  assert.is(linked.getErrors, undefined);
  assert.is(linked.listFeedback, undefined);
});

forwarding.run();
