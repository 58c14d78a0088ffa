import { startChild } from "./child.ts";
import type { GeneratorOptions, GeneratorResult } from "./generator.ts";

/** Runs one round of load. */
export function generate(options: GeneratorOptions): Promise<GeneratorResult> {
  const generator = startGenerator(options);
  generator.go();
  return generator.result;
}

/** Starts the load generator; it makes its requests and waits. */
export function startGenerator(options: GeneratorOptions) {
  return startChild<GeneratorResult>("generator.ts", options);
}

/** Fails when anything but acknowledgements came: such a rate would be no rate of stored events. */
export function allAcknowledged(result: GeneratorResult): GeneratorResult {
  const { acknowledged, sent, refused, unanswered, unsent } = result;
  if (acknowledged > 0 && acknowledged === sent && unsent === 0) return result;
  const text = JSON.stringify({ sent, acknowledged, refused, unanswered, unsent });
  throw new Error(`not all events were acknowledged: ${text}`);
}

/** Acknowledged events a second. */
export function rateOf({ acknowledged, seconds }: GeneratorResult): number {
  return acknowledged / seconds;
}
