/** An answer as it was received, so that it can be parsed again. */
export interface Answer {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  /** When it was received, in milliseconds since 1970. */
  readonly readAt: number;
}

const keptMs = 600_000;
const maxBytes = 2 * 1024 * 1024;

/** The cost of an entry beside its body and key, in bytes. */
const entryBytes = 1024;

/**
 * The last answers of one project's external system, for ten minutes and up to 2 MiB; the oldest are dropped first.
 * They are kept unparsed, because bytes can be counted and parsed objects cannot.
 */
export class AnswerMemory {
  readonly #answers = new Map<string, Answer>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get(url: string, now: number): Answer | undefined {
    const answer = this.#answers.get(url);
    if (!answer || now - answer.readAt <= keptMs) return answer;
    this.#delete(url, answer);
    return undefined;
  }

  set(url: string, { body, headers, readAt }: Answer): void {
    const { link = "", "x-hits": hits = "", "x-sentry-direct-hit": hit = "" } = headers; // no other header is read
    const before = this.#answers.get(url);
    if (before) this.#delete(url, before);
    const answer = { body, headers: { link, "x-hits": hits, "x-sentry-direct-hit": hit }, readAt };
    this.#answers.set(url, answer);
    this.#bytes += cost(url, answer);
    for (const [oldest, old] of this.#answers) {
      if (this.#bytes <= maxBytes) return;
      this.#delete(oldest, old);
    }
  }

  clear(): void {
    this.#answers.clear();
    this.#bytes = 0;
  }

  #delete(url: string, answer: Answer): void {
    this.#answers.delete(url);
    this.#bytes -= cost(url, answer);
  }
}

function cost(url: string, { body, headers }: Answer): number {
  return entryBytes + url.length + body.length + (headers["link"]?.length ?? 0);
}
