import { parseForeignJson, type Clock, type Outbound } from "@faultline/plugin";
import { asObject, type JsonField, type JsonValue } from "@faultline/sentry-event";
import type { Dsn } from "./dsn.ts";

/** The system's statement about itself. */
export type Statement =
  | { readonly kind: "version"; readonly version: string }
  /** It is cloud-hosted or another Faultline, so the rule of specification 9.1 does not apply. */
  | { readonly kind: "exempt" }
  /** It names no version, or has not answered yet. */
  | { readonly kind: "silent" };

/** Time for all requests, and so the longest wait to save or read the settings. */
const askMs = 3_000;

/** Bytes of an answer; Sentry's configuration has some 5,000. */
const maxBytes = 65_536;

const silent: Statement = { kind: "silent" };
const exempt: Statement = { kind: "exempt" };

interface Heard {
  readonly baseUrl: string;
  readonly said: Statement;
  readonly at: number;
}

/**
 * Asks the system behind a DSN for its version, at the two addresses of Sentry's web API that need no token. It sends
 * no key and no other secret. The last answer is remembered, because a system that is down has not changed.
 */
export class ExternalSystem {
  readonly #outbound: Outbound;
  readonly #clock: Clock;
  readonly #userAgent: string;
  #heard: Heard | undefined;
  #asking: { readonly baseUrl: string; readonly answer: Promise<Statement> } | undefined;

  constructor({ outbound, clock, version }: { outbound: Outbound; clock: Clock; version: string }) {
    this.#outbound = outbound;
    this.#clock = clock;
    this.#userAgent = `faultline/${version}`;
  }

  /** Its statement, at most `freshMs` old. Never throws; concurrent callers share one request. */
  async says({ baseUrl }: Dsn, freshMs: number): Promise<Statement> {
    if (isCloud(baseUrl)) return exempt;
    const known = this.#lastOf(baseUrl);
    const age = known ? Math.abs(this.#clock.now() - known.at) : Infinity;
    if (known && age < freshMs) return known.said;
    if (this.#asking?.baseUrl === baseUrl) return this.#asking.answer;
    const asking = { baseUrl, answer: this.#ask(baseUrl) };
    this.#asking = asking;
    try {
      return await asking.answer;
    } finally {
      if (this.#asking === asking) this.#asking = undefined;
    }
  }

  async #ask(baseUrl: string): Promise<Statement> {
    const answers = await Promise.allSettled([
      this.#get(`${baseUrl}/api/client-config/`),
      this.#get(`${baseUrl}/api/0/`),
    ]);
    const statements = answers.map((answer) => (answer.status === "fulfilled" ? answer.value : silent));
    const statement = statements.find(({ kind }) => kind !== "silent") ?? silent;
    const isDown = statement.kind === "silent" && answers.some(({ status }) => status === "rejected");
    const said = isDown ? (this.#lastOf(baseUrl)?.said ?? silent) : statement;
    this.#heard = { baseUrl, said, at: this.#clock.now() };
    return said;
  }

  #lastOf(baseUrl: string): Heard | undefined {
    return this.#heard?.baseUrl === baseUrl ? this.#heard : undefined;
  }

  /** The statement of one address. Throws while the system does not answer as usual. */
  async #get(url: string): Promise<Statement> {
    const headers = { accept: "application/json", "user-agent": this.#userAgent };
    const request = { method: "GET", url, headers, maxBytes, timeoutMs: askMs } as const;
    const answer = await this.#outbound.request(request);
    if (answer.status === 429 || answer.status >= 500) throw new Error(`the external system answered ${answer.status}`);
    if (answer.headers["x-faultline"] !== undefined) return exempt; // docs/sentry-api.md
    return answer.status === 200 ? readStatement(parsed(answer.body)) : silent;
  }
}

/**
 * Sentry reports its release at /api/client-config/ as `version.current`, and its hosting as `isSelfHosted` (formerly
 * `isOnPremise`). At /api/0/ it reports the version of the API, `0`, which is not a release.
 */
export function readStatement(json: JsonField): Statement {
  const answer = asObject(json);
  if (answer === undefined) return silent;
  if ((answer["isSelfHosted"] ?? answer["isOnPremise"]) === false) return exempt;
  const named = asObject(answer["version"])?.["current"] ?? answer["version"];
  if (typeof named !== "string") return silent;
  // The rule needs only the numbers of 24.9.0.dev0+4ab1f2c.
  const [, version] = /^(\d{1,4}\.\d{1,4}(?:\.\d{1,4})?)(?!\d)[\w.+-]{0,64}$/.exec(named) ?? [];
  return version === undefined ? silent : { kind: "version", version };
}

/** Sentry's own cloud receives events at `o1.ingest.sentry.io`, which reports nothing about itself. */
function isCloud(baseUrl: string): boolean {
  return /(?:^|\.)sentry\.io\.?$/.test(new URL(baseUrl).hostname);
}

function parsed(body: Buffer): JsonValue | undefined {
  try {
    return parseForeignJson(body) as JsonValue; // JSON of any shape, read field by field
  } catch {
    return undefined; // such as a page: it reports nothing
  }
}
