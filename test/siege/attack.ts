import type { Target } from "../support/sentry/send.ts";

/** The surroundings of an attack. The suite sends them as JSON to the attacker's process. */
export interface Field {
  readonly url: string;
  readonly grpcAddress: string;
  readonly dataDir: string;
  /** Whom the attack is to hurt. */
  readonly victim: Target;
  /** The attacker's own project. */
  readonly project: Target;
  /** The attacker's access token: a Maintainer of the own project, and nothing elsewhere. */
  readonly token: string;
  /** How long the attack lasts. */
  readonly seconds: number;
}

/** The result of an attack. */
export interface Tally {
  /** The answers, by status or by what there was instead, such as `no answer`. */
  readonly answers: Readonly<Record<string, number>>;
  /** Sentences about violations of this attack, in addition to the general measures. */
  readonly faults: readonly string[];
}

/** One of the attacks of docs/security.md. */
export interface Attack {
  /** As the table names it. */
  readonly name: string;
  /** Beside the settings of a new installation. */
  readonly env?: Readonly<Record<string, string>>;
  /** It aims at a disk of this size; its project may take `quota` of it. */
  readonly disk?: { readonly mebibytes: number; readonly quotaMebibytes: number };
  /** Prepares what is sent and stored before it; what is returned is the attack itself, which ends by itself. */
  readonly arm: (field: Field) => Promise<() => Promise<Tally>> | (() => Promise<Tally>);
}
