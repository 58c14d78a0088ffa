import { test } from "uvu";
import * as assert from "uvu/assert";
import { leastRoleOf } from "../../backend/src/services/access/permissions.ts";
import type { OperationObject } from "../../plugins/http-bridge/src/rest/openapi/operation-object.ts";
import { documentPage } from "../../plugins/http-bridge/src/rest/openapi/page.ts";
import { coreMethod, restEntrances } from "../permissions/operations.ts";
import { restDocument } from "../support/rest/rest-document.ts";

interface Described {
  /** The name in the table of routes, such as `GET /api/v4/projects/:project`. */
  readonly name: string;
  readonly path: string;
  readonly operation: OperationObject;
}

const described: readonly Described[] = Object.entries(restDocument.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([verb, operation]) => ({
    name: `${verb.toUpperCase()} /api/v4${path.replace(/\{(\w+)\}/g, ":$1")}`,
    path,
    operation,
  })),
);

for (const { name, path, operation } of described)
  test(`${name} says what it does, who may do it and what it answers`, () => {
    const method = restEntrances.find((entrance) => entrance.name === name)?.method;
    assert.ok(method);
    const { need } = method;
    if (need.who === "member" && need.orSelf === true) assert.match(operation.description, "themselves");

    assert.match(operation.summary, /^[A-Z].*[^.]$/);
    assert.ok(restDocument.tags.some((tag) => tag.name === operation.tags[0]));
    const statuses = Object.keys(operation.responses);
    for (const status of ["400", "401", "403", "429", "503"]) assert.ok(statuses.includes(status), status);
    assert.ok(!path.includes("{") || statuses.includes("404"), "404");
    assert.is(statuses.filter((status) => status.startsWith("2")).length, 1);

    const inPath = operation.parameters.filter((parameter) => parameter.in === "path");
    assert.equal(
      inPath.map((parameter) => parameter.name),
      [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter),
    );
    assert.ok(inPath.every(({ required }) => required));
    const names = operation.parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
    assert.is(new Set(names).size, names.length);
    for (const { description } of operation.parameters) assert.match(description, /\.$/);
  });

test("the least role and the scope of an operation are the ones that its method needs", () => {
  const ofOperation = (path: string, verb: string) => {
    const { description, "x-least-role": role, "x-scope": scope } = restDocument.paths[path]?.[verb] ?? ({} as never);
    return [role, scope, description];
  };
  const errors = "/projects/{project}/error_tracking/errors";
  const words = (role: string, scope: string) =>
    `Needs at least the role ${role} in the project, with a token of scope ${scope}.`;
  assert.equal(ofOperation(errors, "get"), ["Reporter", "read", words("Reporter", "`api` or `read_api`")]);
  assert.equal(ofOperation(`${errors}/bulk`, "post"), ["Developer", "write", words("Developer", "`api`")]);
  const [role, scope, description] = ofOperation("/users/{user_id}", "delete");
  assert.equal([role, scope], ["Administrator", "write"]);
  assert.match(description ?? "", "Only administrators may do this, with a token of scope `api`.");
  assert.equal(ofOperation("/user", "get"), [
    "User",
    "read",
    "Every user may do this, with a token of scope `api` or `read_api`.",
  ]);
});

test("an operation over a method that no token may call does not start the service", () => {
  assert.throws(() => leastRoleOf(coreMethod("AccountService.CreateAccessToken").desc), /does not accept tokens/);
  assert.throws(() => leastRoleOf(coreMethod("AccountService.SignIn").desc), /does not accept tokens/);
});

test("no two operations have one id", () => {
  const ids = described.map(({ operation }) => operation.operationId);
  assert.is(new Set(ids).size, ids.length);
});

test("every $ref of the document leads somewhere, and every component is used", () => {
  const used = new Set(refsIn(restDocument));
  const there = Object.entries(restDocument.components)
    .filter(([kind]) => kind !== "securitySchemes")
    .flatMap(([kind, components]) => Object.keys(components).map((name) => `#/components/${kind}/${name}`));
  assert.equal([...used].toSorted(), there.toSorted());
});

test("every schema of the document is one: its words fit its type", () => {
  const faults: string[] = [];
  let seen = 0;
  walk(restDocument, "$", (node, place) => {
    if (!isSchemaPlace(place)) return;
    seen += 1;
    const { type, properties, required, pattern } = node;
    const names = [type ?? []].flat();
    const known = ["string", "integer", "number", "boolean", "object", "array", "null"];
    if (!names.every((name) => known.includes(String(name)))) faults.push(`${place}: type ${String(type)}`);
    if (!("type" in node) && !("$ref" in node) && !("anyOf" in node)) faults.push(`${place}: says nothing`);
    if (names.includes("array") && !("items" in node)) faults.push(`${place}: a list of what`);
    for (const name of (required ?? []) as readonly string[]) {
      if (!Object.hasOwn(properties as object, name)) faults.push(`${place}: ${name} is required and not described`);
    }
    if (typeof pattern === "string") assert.not.throws(() => RegExp(pattern, "u"), place);
  });
  assert.equal(faults, []);
  assert.ok(seen > 300);
});

test("the document has what OpenAPI 3.1 asks for", () => {
  assert.match(restDocument.openapi, /^3\.1\.\d+$/);
  assert.type(restDocument.info.title, "string");
  assert.type(restDocument.info.version, "string");
  assert.ok(Object.keys(restDocument.paths).every((path) => path.startsWith("/")));
  for (const requirement of restDocument.security) {
    for (const name of Object.keys(requirement))
      assert.ok(Object.hasOwn(restDocument.components.securitySchemes, name));
  }
  walk(restDocument.components.responses, "$", (node, place) => {
    if (/^\$\.\w+$/.test(place)) assert.type(node["description"], "string");
  });
});

test("the page for people names every operation, runs nothing and escapes what it shows", async () => {
  const page = await documentPage(restDocument, `https://x"><script>alert(1)</script>`);
  for (const { operation } of described) assert.match(page, `<section id="${operation.operationId}">`);
  assert.not.match(page, /<script|\son\w+=|javascript:/i);
  const anchors = new Set([...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id));
  for (const [, id] of page.matchAll(/href="#([^"]+)"/g)) assert.ok(anchors.has(id), id);
});

/** Calls `visit` with every object of a tree. */
function walk(tree: unknown, place: string, visit: (node: Record<string, unknown>, place: string) => void): void {
  if (typeof tree !== "object" || tree === null) return;
  if (!Array.isArray(tree)) visit(tree as Record<string, unknown>, place);
  for (const [name, inner] of Object.entries(tree)) walk(inner, `${place}.${name}`, visit);
}

/** Whether there is a schema at that place. */
function isSchemaPlace(place: string): boolean {
  return (
    /\.(schema|items|additionalProperties)$/.test(place) ||
    /\.anyOf\.\d+$/.test(place) ||
    /\.properties\.[^.]+$/.test(place) ||
    /^\$\.components\.schemas\.\w+$/.test(place)
  );
}

function refsIn(tree: unknown): string[] {
  const found: string[] = [];
  walk(tree, "$", ({ $ref }) => {
    if (typeof $ref === "string") found.push($ref);
  });
  return found;
}

test.run();
