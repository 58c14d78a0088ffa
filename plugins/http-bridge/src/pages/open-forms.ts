import type { IncomingMessage, ServerResponse } from "node:http";
import { clientNetwork, wideNetwork, type Clock } from "@faultline/plugin";
import { FairQueue, RecentTimes } from "@faultline/plugin/flow";

/** Forms of strangers that are read in a minute, from one network and from one wide network. */
const perNetwork = 60;
const perWideNetwork = 120;

/**
 * Forms of one wide network that are answered at once; the others wait for their turn. The page that answers a form takes 3 ms of the event
 * loop, and 120 at once delayed the calls of others by half a second.
 */
const atOnceOfWideNetwork = 8;

/** Forms of one wide network that wait for their turn; the others are refused. A check of a password takes a quarter of a second. */
const waitingOfWideNetwork = 32;

/** The Retry-After of a form that finds too many waiting. */
const crowdSeconds = 10;

/** The pages whose forms anybody may send, and which cost a look at a secret or a password. */
const ofStrangers = /^\/-\/(?:sign_in|invitations|password_resets|confirm_email)(?:\/|$)/;

/** The cookies of a session and of a browser that signed in before; see the console's `session.ts`. */
const session = /^(?:__Host-)?faultline_session=fls_/;
const device = /(?:^|[;\s])(?:__Host-)?faultline_device=fld_/;

/**
 * Counts the forms that anybody may send, by network, before any of them is read. Those that begin a session do not count, so that
 * an office that signs in at nine is not refused. Browsers with the cookie of an earlier sign-in, which nobody has checked yet, count
 * apart, so that guesses without one do not refuse them. Each process counts for itself.
 */
export class OpenForms {
  readonly #read: RecentTimes;
  readonly #answered = new FairQueue({
    atOnce: Infinity,
    ofOwner: atOnceOfWideNetwork,
    waitingOfOwner: waitingOfWideNetwork,
  });

  constructor(clock: Clock) {
    this.#read = new RecentTimes(clock, { windowMs: 60_000, timesKept: perWideNetwork });
  }

  /** Has a page answer the request. A form of strangers is counted and waits for its turn, or is answered with 429. */
  answer(
    request: IncomingMessage,
    response: ServerResponse,
    { path, ip, page }: { path: string; ip: string; page: () => void },
  ): void {
    if (request.method !== "POST" || !ofStrangers.test(decoded(path))) {
      page();
      return;
    }
    const sender = device.test(request.headers.cookie ?? "") ? "device" : "stranger";
    const network = `${sender} ${clientNetwork(ip)}`;
    const wide = `${sender} ${wideNetwork(ip)} wide`;
    const waitSeconds = this.#waitOf(network, perNetwork) || this.#waitOf(wide, perWideNetwork);
    if (waitSeconds > 0) {
      refuse(request, response, waitSeconds);
      return;
    }
    for (const key of [network, wide]) this.#read.note(key);
    response.once("close", () => {
      if (beginsSession(response)) for (const key of [network, wide]) this.#read.takeBack(key);
    });
    const answered = this.#answered.run({ owners: [wide] }, async () => {
      if (response.destroyed) return; // the sender left meanwhile
      page();
      await new Promise<void>((resolve) => response.once("close", resolve));
    });
    answered.catch(() => refuse(request, response, crowdSeconds));
  }

  /** In seconds; 0: none. */
  #waitOf(key: string, most: number): number {
    const times = this.#read.of(key);
    return times.length < most ? 0 : this.#read.secondsUntilFewer(key);
  }
}

/** As SvelteKit reads a path; one that cannot be read is no page. */
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

const beginsSession = (response: ServerResponse): boolean =>
  [response.getHeader("set-cookie") ?? []].flat().some((cookie) => session.test(String(cookie)));

function refuse(request: IncomingMessage, response: ServerResponse, waitSeconds: number): void {
  const message = `Your network has sent too many forms within a minute. Try again in ${waitSeconds} s.`;
  const isFromScript = request.headers["x-sveltekit-action"] !== undefined;
  // To a page's script it is a refused action; `data` has the form of the package devalue, by which SvelteKit reads it.
  const data = JSON.stringify([{ message: 1, field: 2 }, message, ""]);
  response.writeHead(isFromScript ? 200 : 429, {
    "content-type": isFromScript ? "application/json" : "text/plain; charset=utf-8",
    "retry-after": String(waitSeconds),
    connection: "close", // the form is not read
  });
  response.end(isFromScript ? JSON.stringify({ type: "failure", status: 429, data }) : `${message}\n`);
}
