import { ErrorReason } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { CallLimits } from "../../backend/src/services/access/call-limits.ts";
import type { Caller } from "../../backend/src/services/access/caller.ts";
import { limitHeaders } from "../../plugins/http-bridge/src/rest/rest.ts";

const user = (id: number) => ({ id }) as Caller["user"];
const token = (tokenId: number, userId = 1) => ({ user: user(userId), scopes: ["api"], tokenId });
const session = (userId = 1) => ({ user: user(userId), scopes: "session" as const });
const reportEvents = "IngestService.ReportEvents";

/** Limits of 5 calls a second and token, on a clock that the test moves. */
function limitsOf(perToken = 5) {
  const clock = { at: 1_000_000, now: () => clock.at };
  const limits = new CallLimits(clock, perToken);
  /** Calls until one is refused, at most 10,000 times; how often none was. */
  const spendAll = (caller: Parameters<CallLimits["spend"]>[0], method?: string) => {
    for (let taken = 0; taken < 10_000; taken++) if (limits.spend(caller, method)?.refusal) return taken;
    return Infinity;
  };
  return { clock, limits, spendAll };
}

const bursts: [what: string, caller: Parameters<CallLimits["spend"]>[0], method: string, burst: number][] = [
  ["a token", token(1), "ErrorService.GetEvent", 50],
  ["a token that reports", token(1), reportEvents, 500],
  ["a token that reports sessions", token(1), "IngestService.ReportSessions", 500],
  ["a session", session(), "ErrorService.GetEvent", 200],
];
for (const [what, caller, method, burst] of bursts)
  test(`${what} may make ${burst} calls in a burst if a token may make 5 a second, then a tenth of them each second`, () => {
    const { clock, spendAll } = limitsOf();
    assert.is(spendAll(caller, method), burst);
    clock.at += 1000;
    assert.is(spendAll(caller, method), burst / 10);
    clock.at += 60_000;
    assert.is(spendAll(caller, method), burst);
  });

test("the tokens of a person together have twice the calls of one, and the tokens of another person have their own", () => {
  const { spendAll } = limitsOf();
  assert.equal(
    [1, 2, 3].map((id) => spendAll(token(id))),
    [50, 50, 0],
  );
  assert.is(spendAll(token(4, 2)), 50);
});

test("neither a script of a person nor its reports take anything from that person's pages", () => {
  const { spendAll } = limitsOf();
  for (const id of [1, 2]) spendAll(token(id));
  spendAll(token(1), reportEvents);
  assert.is(spendAll(session()), 200);
});

test("a refused call takes nothing, and says whose limit it met, when there is room and how to need fewer calls", () => {
  const { clock, limits, spendAll } = limitsOf();
  for (const id of [1, 2]) spendAll(token(id));
  const refused = limits.spend(token(3));
  assert.is(refused?.refusal?.reason, ErrorReason.RATE_LIMITED);
  assert.is(refused?.refusal?.retryAfterSeconds, 1);
  assert.is(
    refused?.refusal?.message,
    "The tokens of one person may make 10 calls per second, with bursts of ten times as many. A slow call counts as several. Try again in 1 s. To make fewer calls, request larger pages, and watch a list instead of polling it.",
  );
  for (let n = 0; n < 100; n++) limits.spend(token(3));
  clock.at += 1000;
  assert.is(spendAll(token(3)), 10);
});

test("a call that took long counts as one for each 5 ms for its token, and for each 4 ms for its person", () => {
  const { limits, spendAll } = limitsOf();
  limits.spend(token(1));
  limits.charge(token(1), { method: "ErrorService.GetEvent", ms: 40, isLarge: true });
  assert.equal(
    [1, 2, 3].map((id) => spendAll(token(id))),
    [42, 48, 0],
  );
});

test("a usual call counts as two at most, because it may have waited for the work of others", () => {
  const { limits, spendAll } = limitsOf();
  limits.spend(token(1));
  limits.charge(token(1), { method: "ErrorService.GetEvent", ms: 400, isLarge: false });
  assert.is(spendAll(token(1)), 48);
});

test("a short call is charged for itself alone", () => {
  const { limits, spendAll } = limitsOf();
  limits.spend(token(1));
  limits.charge(token(1), { method: "ErrorService.GetEvent", ms: 3.9, isLarge: true });
  assert.is(spendAll(token(1)), 49);
});

test("the debt of long calls is paid back before others may begin, and is never more than a burst", () => {
  const { clock, limits, spendAll } = limitsOf();
  for (let n = 0; n < 10; n++) limits.charge(token(1), { method: "ErrorService.GetEvent", ms: 60_000, isLarge: true });
  assert.is(limits.spend(token(1))?.refusal?.retryAfterSeconds, 11);
  clock.at += 10_000;
  assert.is(spendAll(token(1)), 0);
  clock.at += 10_000;
  assert.is(spendAll(token(1)), 50);
});

test("a request that counts as 20 needs room for one, and the others are a debt of a burst at most", () => {
  const { clock, limits, spendAll } = limitsOf();
  const spend = (count: number) => limits.spend(token(1), undefined, count);
  assert.equal([spend(20)?.remaining, spend(20)?.remaining, spend(20)?.remaining], [30, 10, 0]);
  assert.is(spend(20)?.refusal?.retryAfterSeconds, 3);
  clock.at += 3_000;
  assert.is(spendAll(token(1)), 5);
  clock.at += 10_000;
  spend(1_000);
  assert.is(spend(1)?.refusal?.retryAfterSeconds, 11);
});

test("0 limits nothing and says nothing", () => {
  const { limits, spendAll } = limitsOf(0);
  assert.is(spendAll(token(1)), Infinity);
  assert.is(limits.spend(token(1)), undefined);
});

test("callers are forgotten when their limits are whole again, and a clock that is set back gives nothing", () => {
  const { clock, limits, spendAll } = limitsOf();
  for (let id = 0; id < 1000; id++) limits.spend(token(id, id));
  assert.is(limits.size, 2000);
  clock.at += 20_000;
  limits.spend(session(7));
  assert.is(limits.size, 1);
  spendAll(session(7));
  clock.at -= 3_600_000;
  assert.is(spendAll(session(7)), 0);
});

test("the headers of GitLab and of the draft show the limit with the least room", () => {
  const { limits, spendAll } = limitsOf();
  const headers = (allowance = limits.spend(token(1))) => allowance && limitHeaders(allowance, 1_700_000_000_000);
  assert.equal(headers(), {
    "RateLimit-Limit": "50",
    "RateLimit-Name": "token",
    "RateLimit-Observed": "1",
    "RateLimit-Remaining": "49",
    "RateLimit-Reset": "1700000001",
    "RateLimit-Policy": '"person";q=100;w=10, "token";q=50;w=10',
    RateLimit: '"token";r=49;t=1',
  });
  spendAll(token(1));
  spendAll(token(2));
  const { "RateLimit-Name": name, RateLimit: field, "RateLimit-Reset": reset } = headers() ?? {};
  assert.equal([name, field, reset], ["person", '"person";r=0;t=1', "1700000001"]);
});

test.run();
