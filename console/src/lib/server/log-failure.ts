import { randomUUID } from "node:crypto";

/** A failure of a page that nobody expected. */
interface PageFailure {
  /** The page's path, or its route where the path holds a secret. */
  readonly path: string | null;
  readonly error: string;
  /** Where it happened. */
  readonly side: "server" | "browser";
}

/** Writes the failure to the log and returns its reference there. */
export function logFailure(failure: PageFailure): string {
  const reference = randomUUID();
  process.stderr.write(`${JSON.stringify({ level: "error", reference, ...failure })}\n`);
  return reference;
}
