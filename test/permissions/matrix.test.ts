// limit: 300 s
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { toJson, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { reasonName, CallError, connect } from "@faultline/proto/grpc";
import { credentials } from "@grpc/grpc-js";
import { services } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { runningServer } from "../support/service/flow.ts";
import { http } from "../support/http/http.ts";
import { rest } from "../support/rest/rest.ts";
import { repositoryRoot } from "../support/service/server.ts";
import { permissionsDocument } from "./document.ts";
import {
  coreMethods,
  harmlessRequest,
  restEntrances,
  trpcEntrances,
  type CoreMethod,
  type RestEntrance,
  type TrpcEntrance,
} from "./operations.ts";
import { makePeople, type Credential, type Person } from "./people.ts";
import { expectedVerdict, verdictOfReason, type Verdict } from "./verdict.ts";

const { server, client } = await runningServer();
const people = await makePeople(client);
const connection = connect(server.grpcAddress, credentials.createInsecure());
test.after(() => connection.close());

let tried = 0;

/** Tries one entrance as everybody, with every kind of token, and compares with the table. */
async function tryAsEverybody(
  method: CoreMethod,
  kinds: readonly Credential[],
  call: (person: Person, token: string | undefined, projectId: number) => Promise<Verdict>,
): Promise<void> {
  const endsToken = /\.(SignOut|RevokeAccessToken|RotateAccessToken)$/.test(method.name);
  const endsProject = method.name === "ProjectService.DeleteProject";
  const [said, meant]: [string[], string[]] = [[], []];
  for (const person of people) {
    for (const credential of person.credentials.filter((kind) => kinds.includes(kind))) {
      const token = await person.token(credential, endsToken);
      const projectId = endsProject ? await person.anotherProject() : person.projectId;
      said.push(`${person.name} by ${credential}: ${await call(person, token, projectId)}`);
      meant.push(`${person.name} by ${credential}: ${expectedVerdict(method.need, person, credential)}`);
      tried += 1;
    }
  }
  assert.equal(said, meant);
}

for (const method of coreMethods) {
  test(`gRPC ${method.name} lets through whom its row names`, () =>
    tryAsEverybody(method, ["none", "session", "api", "read_api"], (_person, token, projectId) =>
      overGrpc(method, token, projectId),
    ));
}

for (const entrance of restEntrances) {
  test(`REST ${entrance.name} lets through whom the row of ${entrance.method.name} names`, () =>
    tryAsEverybody(entrance.method, ["none", "api", "read_api"], (_person, token, projectId) =>
      overRest(entrance, token, projectId),
    ));
}

for (const entrance of trpcEntrances) {
  test(`tRPC ${entrance.name} lets through whom the row of ${entrance.method.name} names`, () =>
    tryAsEverybody(entrance.method, ["none", "session"], (_person, token, projectId) =>
      overTrpc(entrance, token, projectId),
    ));
}

test("every cell of the matrix was tried", () => {
  const tokens = (kinds: Credential[]) =>
    people.flatMap((person) => person.credentials.filter((kind) => kinds.includes(kind))).length;
  const cells =
    coreMethods.length * tokens(["none", "session", "api", "read_api"]) +
    restEntrances.length * tokens(["none", "api", "read_api"]) +
    trpcEntrances.length * tokens(["none", "session"]);
  assert.is(tried, cells);
  assert.ok(restEntrances.length > 10 && trpcEntrances.length > 20, "the entrances were not found");
});

test("docs/permissions.md prints the table as it is", () => {
  const stored = readFileSync(join(repositoryRoot, "docs/permissions.md"), "utf8");
  assert.is(stored, permissionsDocument(), "write it anew: node test/permissions/write.ts");
});

type AnyClient = Record<string, (request: MessageShape<DescMessage>, context: object) => unknown>;

async function overGrpc({ service, desc }: CoreMethod, token: string | undefined, projectId: number): Promise<Verdict> {
  const call = (connection.service(services[service]) as unknown as AnyClient)[desc.localName];
  assert.ok(call);
  const request = harmlessRequest(desc, projectId);
  try {
    if (desc.methodKind === "server_streaming") {
      // A watching call that is allowed goes on; half a second without a refusal is an answer.
      for await (const _ of call(request, { token, timeoutMs: 500 }) as AsyncIterable<unknown>) return "allowed";
    } else {
      await (call(request, { token }) as Promise<unknown>);
    }
    return "allowed";
  } catch (error) {
    assert.instance(error, CallError);
    return verdictOfReason(reasonName((error as CallError).reason));
  }
}

async function overRest({ verb, path }: RestEntrance, token: string | undefined, projectId: number): Promise<Verdict> {
  const filled = path.replace("/api/v4", "").replace(":project", String(projectId)).replaceAll(/:\w+/g, "999999999");
  const answer = await rest(server, `${verb} ${filled}`, {
    token: token ?? null,
    body: verb === "GET" ? undefined : {},
  });
  assert.ok(answer.status < 500, `${answer.status} ${answer.text}`);
  const body = answer.json as { message?: unknown; error?: unknown } | undefined;
  assert.is.not(body?.error, "404 Not Found", "the route does not exist");
  if (answer.status === 401) return "no token";
  if (answer.status === 403) return body?.error === "insufficient_scope" ? "scope" : "forbidden";
  return body?.message === "404 Project Not Found" ? "hidden" : "allowed";
}

async function overTrpc(
  { name, kind, method }: TrpcEntrance,
  token: string | undefined,
  projectId: number,
): Promise<Verdict> {
  const input = JSON.stringify(toJson(method.desc.input, harmlessRequest(method.desc, projectId)));
  const cookie: Record<string, string> = token === undefined ? {} : { cookie: `faultline_session=${token}` };
  const url = `${server.url}/-/trpc/${name}`;
  if (kind === "subscription") return watched(`${url}?input=${encodeURIComponent(input)}`, cookie);
  const answer = await (kind === "query"
    ? http(`${url}?input=${encodeURIComponent(input)}`, { headers: cookie })
    : http(url, {
        method: "POST",
        headers: {
          ...cookie,
          "content-type": "application/json",
          origin: server.url,
          "sec-fetch-site": "same-origin",
          "content-length": String(Buffer.byteLength(input)),
        },
        body: input,
      }));
  assert.ok(answer.status < 500 || answer.status === 501, `${answer.status} ${answer.text}`);
  assert.is.not(answer.text, "", `${name} answered nothing`);
  return verdictOfReason(reasonIn(answer.text));
}

/** The messages of a subscription within half a second; silence means that it goes on. */
async function watched(url: string, headers: Record<string, string>): Promise<Verdict> {
  const ended = AbortSignal.timeout(500);
  let text = "";
  try {
    const response = await fetch(url, { headers: { ...headers, accept: "text/event-stream" }, signal: ended });
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      if (reasonIn(text) !== undefined) break;
    }
  } catch (error) {
    if (!ended.aborted) throw error;
  }
  return verdictOfReason(reasonIn(text));
}

function reasonIn(text: string): string | undefined {
  return /"reason":"(\w+)"/.exec(text)?.[1];
}

test.run();
