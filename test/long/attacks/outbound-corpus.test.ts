// quiet: more than a thousand calls, each within ten seconds
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { OutboundFailure } from "@faultline/plugin";
import { Backend, ErrorReason } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startFaultline } from "../../../backend/src/main.ts";
import { OutboundClient } from "../../../backend/src/host/outbound/outbound-client.ts";
import { watchConnections } from "../../support/http/connection-attempts.ts";
import { grpcClient } from "../../support/core/grpc.ts";
import { http } from "../../support/http/http.ts";
import { nameServer, type NameAnswer, type RecordType } from "../../support/external/name-server.ts";
import {
  forbiddenIpv4,
  refusedAddresses,
  refusedOtherwise,
  spellings,
  unclearTexts,
} from "../../support/external/refused-urls.ts";
import { rejects } from "../../support/assert/rejects.ts";
import { rootToken } from "../../support/service/server.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { testConfig } from "../../support/service/test-config.ts";
import { Measured, bound, measuringTest, stopwatch } from "../../support/measure/measured.ts";

/**
 * Everything that attackers write to make a service call what only it can reach, at the two doors: the outbound client,
 * and the lookup of external projects. Not one connection may be tried, and all refusals look alike and take alike.
 */

// The target to protect: it accepts connections at each address of this machine, on a port that is allowed.
let visits = 0;
const inner = createServer((socket) => {
  visits++;
  socket.destroy();
});
inner.listen(0, "::");
await once(inner, "listening");
const { port } = inner.address() as AddressInfo;

const a = (...addresses: string[]): NameAnswer => ({ records: addresses.map((address) => ["A", address]) });
const aaaa = (...addresses: string[]): NameAnswer => ({ records: addresses.map((address) => ["AAAA", address]) });
const both = (ipv4: string, ipv6: string): NameAnswer => ({
  records: [
    ["A", ipv4],
    ["AAAA", ipv6],
  ],
});
const alias = (to: string, ...addresses: string[]): NameAnswer => ({
  records: [["CNAME", to], ...addresses.map((address) => ["A", address, to] as const)],
});
const [oneIsPublic, publicIpv6] = ["1.1.1.1", "2606:4700:4700::1111"];
/** Names as a hostile name server answers them. */
const zone: Readonly<Record<string, NameAnswer>> = {
  "private.test": a("10.0.0.1"),
  "loopback.test": a("127.0.0.1"),
  "any.test": a("0.0.0.0"),
  "loopback6.test": aaaa("::1"),
  "metadata.google.internal": a("169.254.169.254"),
  "metadata.test": a("169.254.169.254"),
  "metadata6.test": aaaa("fd00:ec2::254"),
  "azure.test": a("168.63.129.16"),
  "alibaba.test": a("100.100.100.200"),
  "localhost.evil.test": a("127.0.0.1"),
  "127.0.0.1.evil.test": a("127.0.0.1"),
  "public-first.test": a(oneIsPublic, "127.0.0.1"),
  "private-first.test": a("127.0.0.1", oneIsPublic),
  "public-and-metadata.test": a(oneIsPublic, "169.254.169.254"),
  "public-and-private6.test": both(oneIsPublic, "::1"),
  "private-and-public6.test": both("10.0.0.1", publicIpv6),
  "mapped.test": aaaa("::ffff:7f00:1"),
  "public-and-mapped.test": both(oneIsPublic, "::ffff:7f00:1"),
  "compatible.test": aaaa("::7f00:1"),
  "nat64.test": aaaa("64:ff9b::7f00:1"),
  "six-to-four.test": aaaa("2002:7f00:1::1"),
  "teredo.test": aaaa("2001:0:7f00:1::1"),
  "unique-local.test": aaaa("fd00::1"),
  "link-local.test": aaaa("fe80::1"),
  "alias.test": alias("private.test", "10.0.0.1"),
  "alias-to-both.test": alias("other.test", oneIsPublic, "10.0.0.1"),
  "alias-alone.test": alias("localhost"),
  "alias-to-itself.test": alias("alias-to-itself.test"),
  "empty.test": a(),
  "missing.test": { code: "NXDOMAIN" },
  "failing.test": { code: "SERVFAIL" },
  "refusing.test": { code: "REFUSED" },
  "silent.test": "silence",
  "noise.test": "noise",
  "other-question.test": "other question",
  "truncated.test": "truncated",
  "slow.test": { records: [["A", "127.0.0.1"]], afterMs: 1_000 },
  "too-slow.test": { records: [["A", "127.0.0.1"]], afterMs: 1_800 },
  "huge.test": a(...Array.from({ length: 500 }, () => oneIsPublic), "10.0.0.1"),
};
let turn = 0;
const names = await nameServer((name, type: RecordType) => {
  // Another address at each look: whichever is judged, the next one would be connected to.
  if (name === "rebinding.test" && type === "A") return turn++ % 2 === 0 ? a("127.0.0.1") : a("10.0.0.1");
  return zone[name];
});

/** Each URL at the port of the listener, so that a connection would come about. */
const atPort = (url: string) => (/:\d+$/.test(url.replace(/\[.*\]/, "")) ? url : `${url}:${port}`);
const namesRefused = [...Object.keys(zone), "rebinding.test", "unknown.test"].map((name) => `http://${name}:${port}`);
const urls = [...new Set([...refusedAddresses.map(atPort), ...refusedOtherwise, ...namesRefused])];

// A clock that is three seconds later at each look, so that the bound on lookups a minute is not met.
const clock = { at: Date.UTC(2026, 0, 10, 12), now: () => (clock.at += 3_000) };
const rules = { networks: [], ports: [port] };
const nameServers = [names.address];
const config = testConfig(tempDir());
const faultline = await startFaultline({ ...config, outbound: rules }, clock, { nameServers });
const client = grpcClient(faultline);
const { project } = await client.projects.createProject({ path: "corpus" }, client.auth);
const projectId = project?.projectId ?? 0;
const own = [faultline.httpUrl, `http://localhost:${new URL(faultline.httpUrl).port}`];

test.after(async () => {
  client.close();
  await faultline.stop();
  names.close();
  inner.close();
});

const lookUp = (externalApiUrl: string) =>
  client.settings.listExternalProjects({ projectId, externalApiUrl, externalAuthToken: "typed" }, client.auth);
const askJson = (url: string) => {
  const query = new URLSearchParams({ api_host: url, token: "typed" });
  return http(`${faultline.httpUrl}/corpus/-/error_tracking/projects.json?${query}`, {
    headers: { "PRIVATE-TOKEN": rootToken },
  });
};

/** The failure of a request of the client. */
const outbound = new OutboundClient({ rules, own: () => own, nameServers });
const askClient = (url: string) =>
  outbound.request({ method: "GET", url, maxBytes: 1000, timeoutMs: 10_000 }).then(
    () => undefined,
    (error: unknown) => error,
  );

async function timeOf(work: () => Promise<unknown>): Promise<Measured> {
  const time = stopwatch();
  await work();
  return time();
}

/** The fact that distinguishes refusals inside; outside nothing may. */
const kindOf = (url: string) => {
  const { hostname } = new URL(url);
  if (/^(?:silent|too-slow)\.test$/.test(hostname)) return "a name server that is silent or late";
  if (/\.test$|internal$|^single$/.test(hostname)) return "a name";
  return refusedOtherwise.includes(url) ? "a port or a path" : "an address";
};

/** The fastest refusal of each kind: a busy machine makes single ones wait, and none come early. */
function fastestOfKinds(refusals: readonly { url: string; time: Measured }[]): Measured[] {
  return [...Map.groupBy(refusals, ({ url }) => kindOf(url)).values()].map((some) =>
    Measured.least(some.map(({ time }) => time)),
  );
}

test("the corpus has more than 1,000 forms", () => {
  assert.ok(new Set([...urls, ...unclearTexts]).size > 1_000);
});

test("the outbound client refuses all of them with the same answer, and tries no connection", async () => {
  const watch = watchConnections();
  const unclear = unclearTexts.filter((text) => !/\?x=1$|\/;x$|\/\/a$/.test(text)); // a request may have these
  const all = [...urls, ...own, ...unclear];
  const refusals = await Promise.all(all.map(askClient));
  watch.stop();
  assert.equal(watch.attempts, []);
  assert.is(visits, 0);
  for (const [n, refusal] of refusals.entries()) {
    assert.instance(refusal, OutboundFailure, all[n]);
    const { fault, message } = refusal as OutboundFailure;
    assert.equal(
      [fault, message],
      ["address", "the address is neither public nor allowed, or it does not exist"],
      all[n],
    );
  }
});

test("the lookup by projects.json and gRPC refuses all of them with the same answer, and tries no connection", async () => {
  const watch = watchConnections();
  await Promise.all([askJson("x"), lookUp("http://10.0.0.1").catch(() => undefined)]);
  const ofTheTest = new Set(watch.attempts); // to the service, by HTTP and by gRPC from within
  assert.ok(ofTheTest.size > 0 && ofTheTest.size < 4, [...ofTheTest].join());
  // Of the addresses each third spelling: the client has seen them all.
  const all = urls.filter((url, n) => n % 3 === 0 || !refusedAddresses.some((one) => atPort(one) === url)).concat(own);
  assert.ok(all.length > 300);
  const some = [...all.filter((_, n) => n % 8 === 0), ...namesRefused.slice(0, 30)].slice(0, 95); // 100 simultaneous calls
  const [refusals, refusedCalls] = await Promise.all([
    Promise.all(all.map(askJson)),
    Promise.all(some.map((url) => rejects(lookUp(url), "FAILED_PRECONDITION"))),
  ]);
  watch.stop();
  assert.equal(
    watch.attempts.filter((attempt) => !ofTheTest.has(attempt)),
    [],
  );
  assert.is(visits, 0);
  for (const [n, { status, text, headers }] of refusals.entries()) {
    assert.is(`${status} ${text}`, '400 {"message":"Sentry request failed due to BlockedUrlError"}', all[n]);
    assert.equal(Object.keys(headers).toSorted(), Object.keys(refusals[0]?.headers ?? {}).toSorted(), all[n]);
  }
  for (const { reason, message, field } of refusedCalls) {
    const expected = [ErrorReason.EXTERNAL_ADDRESS_REFUSED, "Sentry request failed due to BlockedUrlError", ""];
    assert.equal([reason, message, field], expected);
  }
});

measuringTest("all kinds of refusals take the same time in both interfaces", async () => {
  // Eight of each kind in turn, so that it is not the crowd that is measured.
  const kinds = [...Map.groupBy(urls, kindOf).values()];
  const some = Array.from({ length: 8 }, (_, n) => kinds.flatMap((ofKind) => ofKind[n % ofKind.length] ?? [])).flat();
  const measureAlike = async (door: string, ask: (url: string) => Promise<unknown>) => {
    const fastest = fastestOfKinds(
      await Promise.all(some.map(async (url) => ({ url, time: await timeOf(() => ask(url)) }))),
    );
    assert.is(fastest.length, 4);
    const [least, most] = [Measured.least(fastest), Measured.most(fastest)];
    bound(`the fastest refusal by ${door}`, least, { atLeast: 1_990 });
    bound(`the difference between kinds of refusals by ${door}`, most.minus(least), { atMost: 50 });
  };
  await Promise.all([measureAlike("the client", askClient), measureAlike("projects.json", askJson)]);
});

measuringTest("unclear texts are refused immediately by lookup and save, all in the same words", async () => {
  const [first] = await Promise.all(unclearTexts.slice(0, 1).map((text) => rejects(lookUp(text), "INVALID_ARGUMENT")));
  const saved = await client.settings.updateSettings({ projectId, backend: Backend.EXTERNAL }, client.auth);
  const time = stopwatch();
  await Promise.all(
    unclearTexts.map(async (text) => {
      const save = client.settings.updateSettings({ projectId, externalApiUrl: text }, client.auth);
      for (const refusal of await Promise.all([
        rejects(lookUp(text), "INVALID_ARGUMENT"),
        rejects(save, "INVALID_ARGUMENT"),
      ])) {
        assert.is(refusal.field, "external_api_url", text);
        if (!text.includes("\0")) assert.is(refusal.message, first?.message, text); // no field takes that character
      }
    }),
  );
  bound("the refusal of all unclear texts", time(), { atMost: 10_000 });
  const { settings } = await client.settings.getSettings({ projectId }, client.auth);
  assert.equal([settings?.externalApiUrl, settings?.revision], ["", saved.settings?.revision]);
});

test("an address that was saved is judged when errors are read, and the token goes nowhere", async () => {
  const refused = ["http://127.0.0.1", "http://[::ffff:169.254.169.254]", "http://2130706433", "http://private.test"];
  const readFrom = async (url: string, n: number) => {
    const { project: linked } = await client.projects.createProject({ path: `saved-${n}` }, client.auth);
    const ids = { projectId: linked?.projectId ?? 0 };
    const externalProject = { slug: `shop-${n}`, organizationSlug: "acme" };
    const fields = { active: true, backend: Backend.EXTERNAL, externalApiUrl: `${url}:${port}`, externalProject };
    await client.settings.updateSettings({ ...ids, ...fields, externalAuthToken: "stored-token" }, client.auth);
    const refusal = await rejects(client.errors.listErrors(ids, client.auth), "FAILED_PRECONDITION");
    assert.is(refusal.reason, ErrorReason.EXTERNAL_ADDRESS_REFUSED, url);
  };
  await Promise.all(refused.map(readFrom));
  assert.is(visits, 0);
});

test("with all private networks allowed, metadata services and addresses that translate to them stay refused", async () => {
  const generous = {
    ...rules,
    networks: ["0.0.0.0/0", "::/0", "10.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "fe80::/10"],
  };
  const generousClient = new OutboundClient({ rules: generous, own: () => own });
  const hosts = forbiddenIpv4.flatMap((address) => {
    const { ipv4, ipv6 } = spellings(address);
    return [...ipv4, ...[...ipv6, ...spellings("127.0.0.1").ipv6].map((one) => `[${one}]`)];
  });
  const fromZone = [
    "metadata.google.internal",
    "metadata6.test",
    "azure.test",
    "alibaba.test",
    "mapped.test",
    "link-local.test",
  ];
  const watch = watchConnections();
  const faults = await Promise.all(
    [...hosts, ...fromZone, "[fe80::1]", "[fd00:ec2::254]", "[fd20:ce::254]", "public-and-metadata.test"].map((host) =>
      generousClient.request({ method: "GET", url: `http://${host}:${port}`, maxBytes: 1000, timeoutMs: 10_000 }).then(
        () => `${host} answered`,
        (error: unknown) => (error as OutboundFailure).fault,
      ),
    ),
  );
  watch.stop();
  assert.equal([...new Set(faults)], ["address"]);
  assert.equal(watch.attempts, []);
  assert.is(visits, 0);
});

test.run();
