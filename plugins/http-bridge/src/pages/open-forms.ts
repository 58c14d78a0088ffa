import type { IncomingMessage, ServerResponse } from "node:http";
import { clientNetwork, wideNetwork, type Clock } from "@faultline/plugin";
import { FairQueue, RecentTimes } from "@faultline/plugin/flow";

/** Strangers' forms that are read per minute, from one network and from one wide network. */
const perNetwork = 60;
const perWideNetwork = 120;

/**
 * Forms of one wide network that are answered simultaneously; others wait for their turn. The page that answers a form
 * takes 3 ms of the event loop, and 120 simultaneous pages delayed the calls of others by half a second.
 */
const atOnceOfWideNetwork = 8;

/** Forms of one wide network that wait; more are refused. A check of a password takes a quarter of a second. */
const waitingOfWideNetwork = 32;

/** The Retry-After of a form that is refused because too many wait. */
const crowdSeconds = 10;

/** The pages with forms for anybody that check a secret or a password. */
const ofStrangers = /^\/-\/(?:sign_in|invitations|password_resets|confirm_email)(?:\/|$)/;

/** The cookies of a session and of a browser that signed in before; see the console's `session.ts`. */
const session = /^(?:__Host-)?faultline_session=fls_/;
const device = /(?:^|[;\s])(?:__Host-)?faultline_device=fld_/;

/**
 * Counts the forms that anybody may send, by network, before they are read. Forms that begin a session do not count, so
 * an office that signs in at nine is not refused. Browsers with the cookie of an earlier sign-in, still unchecked here,
 * count separately, so guesses without a cookie do not refuse them. Each process counts separately.
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

  /** Lets a page answer the request. A stranger's form is counted and waits for its turn, or is answered with 429. */
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

  /** The wait in seconds; 0 if there is none. */
  #waitOf(key: string, most: number): number {
    const times = this.#read.of(key);
    return times.length < most ? 0 : this.#read.secondsUntilFewer(key);
  }
}

/** Decodes a path like SvelteKit. An invalid path is not a page. */
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
  // Scripts of pages see a refused action. `data` has the form of the package devalue, with which SvelteKit reads it.
  const data = JSON.stringify([{ message: 1, field: 2 }, message, ""]);
  response.writeHead(isFromScript ? 200 : 429, {
    "content-type": isFromScript ? "application/json" : "text/plain; charset=utf-8",
    "retry-after": String(waitSeconds),
    connection: "close", // the form is not read
  });
  response.end(isFromScript ? JSON.stringify({ type: "failure", status: 429, data }) : `${message}\n`);
}
