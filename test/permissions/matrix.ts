import { toJson, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { reasonName, CallError, connect } from "@faultline/proto/grpc";
import { credentials } from "@grpc/grpc-js";
import { services } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { runningServer } from "../support/service/flow.ts";
import { http } from "../support/http/http.ts";
import { rest } from "../support/rest/rest.ts";
import type { Server } from "../support/service/server.ts";
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

/**
 * An allowed watching call continues, so this long without a refusal is an answer. The calls of everybody wait
 * concurrently.
 */
const silenceMs = 1_000;

interface Cell {
  readonly person: Person;
  readonly credential: Credential;
}

/** Which of the cells of a method with one kind of token are tried; they are in the order of power. */
type Choice = (cells: readonly Cell[], method: CoreMethod) => readonly Cell[];

export const everyCell: Choice = (cells) => cells;

/**
 * The first cell, and the cells next to a different verdict: the lowest role that may, and the highest that may not.
 */
export const boundaries: Choice = (cells, { need }) => {
  const verdicts = cells.map(({ person, credential }) => expectedVerdict(need, person, credential));
  return cells.filter((_, n) => n === 0 || [n - 1, n + 1].some((m) => m in verdicts && verdicts[m] !== verdicts[n]));
};

/** Adds a test for each entrance over gRPC, REST and tRPC, and returns how many cells they try. To be awaited before the first test. */
export async function tryMatrix(chosen: Choice): Promise<{ readonly chosenCount: number; readonly cellCount: number }> {
  let cellCount = 0;
  let chosenCount = 0;
  const { server, client } = await runningServer();
  const people = await makePeople(client);
  const connection = connect(server.grpcAddress, credentials.createInsecure());
  test.after(() => connection.close());

  assert.ok(restEntrances.length > 10 && trpcEntrances.length > 20, "the entrances were not found");
  for (const method of coreMethods) {
    const cells = cellsOf(method, ["none", "session", "api", "read_api", "upload"]);
    test(`gRPC ${method.name} lets through whom its row names`, () =>
      tryAtOnce(method, cells, (token, projectId) => overGrpc(connection, method, token, projectId)));
  }
  for (const entrance of restEntrances) {
    const cells = cellsOf(entrance.method, ["none", "api", "read_api", "upload"]);
    test(`REST ${entrance.name} lets through whom the row of ${entrance.method.name} names`, () =>
      tryAtOnce(entrance.method, cells, (token, projectId) => overRest(server, entrance, token, projectId)));
  }
  for (const entrance of trpcEntrances) {
    const cells = cellsOf(entrance.method, ["none", "session"]);
    test(`tRPC ${entrance.name} lets through whom the row of ${entrance.method.name} names`, () =>
      tryAtOnce(entrance.method, cells, (token, projectId) => overTrpc(server, entrance, token, projectId)));
  }
  return { chosenCount, cellCount };

  function cellsOf(method: CoreMethod, kinds: readonly Credential[]): Cell[] {
    return kinds.flatMap((credential) => {
      const having = people.filter((person) => person.credentials.includes(credential));
      const all = having.map((person) => ({ person, credential }));
      const cells = chosen(all, method);
      cellCount += all.length;
      chosenCount += cells.length;
      return [...cells];
    });
  }
}

/** Tries one entrance in all cells concurrently, and compares with the table. */
async function tryAtOnce(
  method: CoreMethod,
  cells: readonly Cell[],
  call: (token: string | undefined, projectId: number) => Promise<Verdict>,
): Promise<void> {
  const endsToken = /\.(SignOut|RevokeAccessToken|RotateAccessToken)$/.test(method.name);
  const endsProject = method.name === "ProjectService.DeleteProject";
  const verdicts = cells.map(async ({ person, credential }) => {
    const token = await person.token(credential, endsToken);
    const projectId = endsProject ? await person.anotherProject() : person.projectId;
    return `${person.name} by ${credential}: ${await call(token, projectId)}`;
  });
  const meant = cells.map(
    ({ person, credential }) => `${person.name} by ${credential}: ${expectedVerdict(method.need, person, credential)}`,
  );
  assert.equal(await Promise.all(verdicts), meant);
}

type Connection = ReturnType<typeof connect>;
type AnyClient = Record<string, (request: MessageShape<DescMessage>, context: object) => unknown>;

async function overGrpc(
  connection: Connection,
  { service, desc }: CoreMethod,
  token: string | undefined,
  projectId: number,
): Promise<Verdict> {
  const call = (connection.service(services[service]) as unknown as AnyClient)[desc.localName];
  assert.ok(call);
  const request = harmlessRequest(desc, projectId);
  try {
    if (desc.methodKind === "server_streaming") {
      for await (const _ of call(request, { token, timeoutMs: silenceMs }) as AsyncIterable<unknown>) return "allowed";
    } else {
      await (call(request, { token }) as Promise<unknown>);
    }
    return "allowed";
  } catch (error) {
    assert.instance(error, CallError);
    return verdictOfReason(reasonName((error as CallError).reason));
  }
}

async function overRest(
  server: Server,
  { verb, path }: RestEntrance,
  token: string | undefined,
  projectId: number,
): Promise<Verdict> {
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
  server: Server,
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

/** The messages of a subscription. Silence means that it continues. */
async function watched(url: string, headers: Record<string, string>): Promise<Verdict> {
  const ended = AbortSignal.timeout(silenceMs);
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
