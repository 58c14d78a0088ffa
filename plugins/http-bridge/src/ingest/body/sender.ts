import type { Cost } from "@faultline/plugin";
import { FairParse } from "./fair-parse.ts";

/** The sender of a body: its project, and the account that pays for the body. */
export interface Sender {
  readonly projectId: number;
  charge(cost: Cost): void;
}

const turns = new FairParse();

/** Resolves when the sender's body may be decoded and parsed, and charges the sender for the time that takes. */
export function nextTurn(sender: Sender): Promise<void> {
  return turns.next(sender.projectId, (ms) => sender.charge({ ms }));
}
