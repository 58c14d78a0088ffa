import { grpcClient } from "../../support/core/grpc.ts";
import { bytesOf } from "../../support/http/raw-request.ts";
import { newEventId } from "../../support/sentry/send.ts";
import { storedErrors } from "../../support/database/stored.ts";
import type { Attack, Field, Tally } from "../attack.ts";
import { flood } from "../flood.ts";

/** The attacker has the victim's DSN, like everybody who opens its page, and another address. */
const address = { "X-Forwarded-For": "203.0.113.9" };
const env = { FAULTLINE_TRUSTED_PROXIES: "127.0.0.1" };

/** New errors that a project may have in a burst and in a minute, without the victim's errors and "Other errors". */
const newErrorsAtOnce = 300;
const newErrorsOfMinute = 100;
const otherErrors = 2;

const requestsAtOnce = 32;

/** 100 reports of violations, each of another page and host. */
function reports({ victim }: Field, n: number): Buffer {
  const all = Array.from({ length: 100 }, (_, one) => ({
    type: "csp-violation",
    body: {
      documentURL: `https://shop.example/${n}`,
      effectiveDirective: "script-src",
      blockedURL: `https://evil-${n}-${one}.example/b.js`,
      disposition: "enforce",
    },
  }));
  const target = `/api/${victim.id}/security/?sentry_key=${victim.key}`;
  const headers = { ...address, "X-Sentry-Auth": null, "Content-Type": "application/reports+json" };
  return bytesOf(victim, { target, headers, body: JSON.stringify(all) });
}

function newError({ victim }: Field): Buffer {
  const id = newEventId();
  return bytesOf(victim, {
    headers: address,
    body: JSON.stringify({ event_id: id, message: `new ${id}`, fingerprint: [id] }),
  });
}

/** The effect of the attack on the victim's list of errors. */
async function judge(field: Field, tally: Tally): Promise<Tally> {
  const client = grpcClient(field);
  const { length } = await storedErrors(client, field.victim.id);
  client.close();
  const most = newErrorsAtOnce + Math.ceil((newErrorsOfMinute * (field.seconds + 10)) / 60) + otherErrors;
  const fault = `the victim's project has ${length} errors, more than ${most}`;
  return { ...tally, faults: length <= most ? tally.faults : [...tally.faults, fault] };
}

export const newErrors: readonly Attack[] = [
  {
    name: "H5 32 requests of 100 CSP reports with the victim's DSN, then 4 a second",
    env,
    arm: (field) => async () => {
      const seconds = field.seconds / 4;
      const next = (n: number) => reports(field, n);
      const first = await flood({ ...field, seconds }, { connections: requestsAtOnce, count: requestsAtOnce, next });
      const more = await flood(field, { connections: 4, everyMs: 1_000, next: (n) => next(requestsAtOnce + n) });
      const answers = { ...first.answers };
      for (const [status, count] of Object.entries(more.answers)) answers[status] = (answers[status] ?? 0) + count;
      return judge(field, { answers, faults: [] });
    },
  },
  {
    name: "H5 3,000 new errors with the victim's DSN, as fast as they go",
    env,
    arm: (field) => async () =>
      judge(field, await flood(field, { connections: 16, count: 3_000, next: () => newError(field) })),
  },
];
