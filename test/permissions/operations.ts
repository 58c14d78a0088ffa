import { create, type DescMessage, type DescMethod, type DescService, type MessageShape } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { RestOperation } from "@faultline/plugin/rest";
import { services } from "@faultline/proto";
import { restOperations as builtIn } from "../../backend/src/built-in.ts";
import { readNeed, type Need } from "../../backend/src/services/access/permissions.ts";

/** A method of the core, and what a call of it needs. */
export interface CoreMethod {
  /** `Service.Method`. */
  readonly name: string;
  /** The key of its service in `services`. */
  readonly service: keyof typeof services;
  readonly desc: DescMethod;
  readonly need: Need;
}

/** A way in from outside that leads to a method of the core. */
export interface Entrance {
  /** `GET /api/v4/projects/:project`, or `projects.getProject` for tRPC. */
  readonly name: string;
  readonly method: CoreMethod;
}

export interface RestEntrance extends Entrance {
  readonly verb: string;
  readonly path: string;
  readonly params: RestOperation["params"];
}

export interface TrpcEntrance extends Entrance {
  readonly kind: "query" | "mutation" | "subscription";
}

/** The methods of services, in their order. */
export function methodsOf(ofServices: Readonly<Record<string, DescService>>): readonly CoreMethod[] {
  return Object.entries(ofServices).flatMap(([service, desc]) =>
    desc.methods.map((method) => ({
      name: `${desc.name}.${method.name}`,
      service: service as keyof typeof services,
      desc: method,
      need: readNeed(method),
    })),
  );
}

/** All methods of the core, in the order of the schema. */
export const coreMethods = methodsOf(services);

/** All operations of the REST API. */
export const restOperations = builtIn();

/** Operations of the REST API as ways in. */
export function entrancesOf(
  ofOperations: readonly RestOperation[],
  methods: readonly CoreMethod[],
): readonly RestEntrance[] {
  return ofOperations.flatMap(({ verb, path, params, method }) =>
    methods
      .filter(({ desc }) => desc === method)
      .map((found) => ({ name: `${verb} /api/v4${path}`, verb, path: `/api/v4${path}`, params, method: found })),
  );
}

export const restEntrances = entrancesOf(restOperations, coreMethods);

/** All tRPC procedures: one for each method that people call. */
export const trpcEntrances: readonly TrpcEntrance[] = coreMethods
  .filter(({ need, name }) => need.who !== "anyone" && !name.startsWith("IngestService.Report"))
  .map((method) => ({ name: `${method.service}.${method.desc.localName}`, method, kind: kindOf(method) }));

function kindOf({ desc, name }: CoreMethod): TrpcEntrance["kind"] {
  if (desc.methodKind === "server_streaming") return "subscription";
  // A query's input is in the address, and this input holds a token of the external system.
  const isMutation = name === "SettingsService.ListExternalProjects";
  return desc.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS && !isMutation ? "query" : "mutation";
}

/** The method of that name. Fails if there is none, because then there is no row for it either. */
export function coreMethod(name: string): CoreMethod {
  const found = coreMethods.find((method) => method.name === name);
  if (!found) throw new Error(`${name} is no method of the core`);
  return found;
}

/** A request that names the project and asks for nothing that exists or is allowed there, so that it changes nothing. */
export function harmlessRequest(method: DescMethod, projectId: number): MessageShape<DescMessage> {
  const fields = new Set(method.input.fields.map(({ localName }) => localName));
  const missing = 999_999_999;
  const init: Record<string, unknown> = {};
  if (fields.has("projectId")) init["projectId"] = projectId;
  if (method.name === "GetProject") Object.assign(init, { key: { case: "projectId", value: projectId } });
  if (method.name === "ReportEvents") init["events"] = [{ projectId }];
  if (method.name === "ReportFeedback") init["feedback"] = [{ projectId }];
  if (method.name === "ReportSessions") init["updates"] = [{ projectId }];
  if (method.name === "UpdateOwnErrorReporting") delete init["projectId"];
  for (const id of ["tokenId", "sessionId", "keyId", "invitationId", "memberRoleId"]) {
    if (fields.has(id)) init[id] = missing;
  }
  if (fields.has("userId") && method.name !== "ListAccessTokens" && method.name !== "ListAuditEvents") {
    init["userId"] = missing;
  }
  if (method.name === "RestoreProject" || method.name === "RemoveDeletedProject") init["projectId"] = missing;
  return create(method.input, init);
}
