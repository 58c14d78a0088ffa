import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { create, type DescMessage, type DescMethod, type MessageShape } from "@bufbuild/protobuf";
import { needOf, type Need } from "../../backend/src/access/permissions.ts";
import { coreServices } from "../../backend/src/core.ts";
import type { RestRoute } from "../../plugins/http-bridge/src/rest/rest.ts";
import { doors } from "../../plugins/http-bridge/src/routes.ts";
import { repositoryRoot } from "../support/server.ts";

/** A method of the core, with its row in the table of permissions. */
export interface CoreMethod {
  /** `Service.Method`. */
  readonly name: string;
  /** The key of its service in `coreServices`. */
  readonly service: keyof typeof coreServices;
  readonly desc: DescMethod;
  readonly need: Need;
}

/** A way in from outside that leads to a method of the core. */
export interface Entrance {
  /** `GET /api/v4/projects/:project`, or `projects.get` for tRPC. */
  readonly name: string;
  readonly method: CoreMethod;
}

export interface RestEntrance extends Entrance {
  readonly verb: string;
  readonly path: string;
}

export interface TrpcEntrance extends Entrance {
  readonly kind: "query" | "mutation" | "subscription";
}

/** All methods of the core, in the order of the schema. */
export const coreMethods: readonly CoreMethod[] = Object.entries(coreServices).flatMap(([service, desc]) =>
  desc.methods.map((method: DescMethod) => ({
    name: `${desc.name}.${method.name}`,
    service: service as keyof typeof coreServices,
    desc: method,
    need: needOf(`${desc.name}.${method.name}`),
  })),
);

/** All operations of the REST API. */
export const restEntrances: readonly RestEntrance[] = doors
  .filter((route): route is RestRoute => "operations" in route)
  .flatMap(({ path, operations }) =>
    Object.entries(operations).map(([verb, { method }]) => ({
      name: `${verb} ${path}`,
      verb,
      path,
      method: coreMethod(method),
    })),
  );

/** All tRPC procedures, as the console's source says: which method of the core each one calls. */
export const trpcEntrances: readonly TrpcEntrance[] = readProcedures();

/** The method of that name; fails where there is none, as then there is no row for it either. */
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

function readProcedures(): TrpcEntrance[] {
  const folder = join(repositoryRoot, "console/src/lib/server");
  const read = (file: string) => readFileSync(join(folder, file), "utf8");
  const serviceOf = new Map(
    [...read("core.ts").matchAll(/^ {2}(\w+): connection\.service\((\w+)\)/gm)].map(([, key = "", name = ""]) => [
      key,
      name,
    ]),
  );
  const prefixOf = new Map(
    [...read("trpc/router.ts").matchAll(/^ {2}(\w+): (\w+Router),$/gm)].map(([, key = "", name = ""]) => [name, key]),
  );
  return globSync("*.ts", { cwd: join(folder, "trpc") })
    .toSorted()
    .flatMap((file) => {
      const [, name = "", body = ""] =
        /export const (\w+Router) = router\(\{\n([\s\S]*?)^\}\);/m.exec(read(`trpc/${file}`)) ?? [];
      const prefix = prefixOf.get(name);
      if (prefix === undefined) return [];
      return body.split(/^ {2}(?=\w+: )/m).flatMap((text) => {
        const key = /^(\w+): /.exec(text)?.[1];
        if (key === undefined) return [];
        const [, client = "", call = ""] = /\bcore\.(\w+)\.(\w+)\(/.exec(text) ?? [];
        const kind = /\.(query|mutation|subscription)\(/.exec(text)?.[1] as TrpcEntrance["kind"];
        const method = coreMethod(`${serviceOf.get(client)}.${call[0]?.toUpperCase()}${call.slice(1)}`);
        return [{ name: `${prefix}.${key}`, method, kind }];
      });
    });
}
