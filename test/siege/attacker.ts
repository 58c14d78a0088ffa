/**
 * The attacker, a separate process (test/bench/child.ts), so that its load does not disturb the measuring process. Its
 * argument is an AttackerOptions as JSON; it prints a Tally.
 */
import { once } from "node:events";
import { setPriority } from "node:os";
import type { Field } from "./attack.ts";
import { attacks } from "./attacks.ts";

export interface AttackerOptions {
  readonly name: string;
  readonly field: Field;
}

/** It represents other machines, so the service and the victim take precedence on few cores. */
setPriority(10);

const { name, field } = JSON.parse(process.argv[2] ?? "{}") as AttackerOptions;
const attack = attacks.find((one) => one.name === name);
if (!attack) throw new Error(`no such attack: ${name}`);
const strike = await attack.arm(field);
console.log("ready");
await once(process.stdin.resume(), "end");
console.log(JSON.stringify(await strike()));
process.exit(); // connections that were never answered may be open still
