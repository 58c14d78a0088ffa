import { setTimeout as pause } from "node:timers/promises";
import { OutboundFailure } from "@faultline/plugin";
import { OutboundClient } from "../../host/outbound/outbound-client.ts";
import { CommandFault } from "../output.ts";

const atOnce = 8;
const attempts = 5;
const longestWaitSeconds = 30;
const limits = { maxBytes: 64 * 1024, timeoutMs: 30_000 };

/** The envelope endpoint of a DSN, with its key. */
export function envelopeAddress(dsn: string): URL {
  const { protocol, host, username, pathname } = new URL(dsn);
  const [, prefix = "", projectId = ""] = /^(.*)\/(\d+)$/.exec(pathname) ?? [];
  return new URL(`${protocol}//${host}${prefix}/api/${projectId}/envelope/?sentry_version=7&sentry_key=${username}`);
}

/** An envelope of one item. */
export function envelopeOf(type: "event" | "sessions", payload: object): string {
  return [{ sent_at: new Date().toISOString() }, { type }, payload].map((line) => JSON.stringify(line)).join("\n");
}

/** Sends all bodies in their order, a few at once. Waits when a rate limit asks for it; fails with the first refusal. */
export async function sendAll(address: URL, bodies: readonly string[]): Promise<void> {
  // The service that the caller's token opens may well run on this machine or in a private network.
  const rules = { networks: ["0.0.0.0/0", "::/0"], ports: [portOf(address)] };
  const outbound = new OutboundClient({ rules, own: () => [] });
  let next = 0;
  const sender = async () => {
    for (let body = bodies[next++]; body !== undefined; body = bodies[next++]) await send(outbound, address, body);
  };
  await Promise.all(Array.from({ length: atOnce }, sender));
}

async function send(outbound: OutboundClient, address: URL, body: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const answer = await outbound
      .request({ method: "POST", url: address.href, body, ...limits })
      .catch(unreached(address));
    if (answer.status === 200) return;
    const isLater = answer.status === 429 || answer.status === 503;
    if (!isLater || attempt === attempts) {
      throw new CommandFault(`An event was refused with ${answer.status}: ${answer.body.toString()}`);
    }
    const seconds = Number(answer.headers["retry-after"]) || 1;
    await pause(Math.min(seconds, longestWaitSeconds) * 1000);
  }
}

function unreached({ host }: URL): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof OutboundFailure)) throw error;
    throw new CommandFault(`${host}, the address in the DSN, cannot be reached: ${error.message}.`);
  };
}

function portOf({ port, protocol }: URL): number {
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
}
