import { cookiesSet, signInByForm } from "../../support/console/console.ts";
import { rest } from "../../support/rest/rest.ts";
import { rootPassword } from "../../support/service/server.ts";
import type { Attack, Field, Tally } from "../attack.ts";
import { Answers } from "../flood.ts";
import { setTimeout as delay } from "node:timers/promises";

const env = { FAULTLINE_TRUSTED_PROXIES: "127.0.0.1" };

/** A browser that signed in before waits for the checks that have begun. */
const ownerWaitsMs = 2_000;

/** Wrong passwords for a name that every installation has, from 60 networks; its owner signs in meanwhile, on a known device. */
async function lockOut(field: Field): Promise<Tally> {
  const answers = new Answers();
  const stopAt = performance.now() + field.seconds * 1000;
  const from = (address: string) => ({ "X-Forwarded-For": address });
  const before = await signInByForm(field, { password: rootPassword }, from("203.0.113.77"));
  const device = cookiesSet(before).find((cookie) => cookie.includes("faultline_device=")) ?? "";
  const known = { ...from("203.0.113.77"), Cookie: device.split(";", 1)[0] ?? "" };
  const guesser = async (_: unknown, n: number) => {
    while (performance.now() < stopAt) {
      const guess = signInByForm(field, { password: "guess" }, from(`198.51.${n}.1`));
      answers.add(
        await guess.then(
          ({ status }) => status,
          () => "no answer",
        ),
      );
      await delay(200);
    }
  };
  const guessers = Promise.all(Array.from({ length: 60 }, guesser));
  await delay(Math.min(1_000, field.seconds * 500));
  const startedAt = performance.now();
  const { status } = await signInByForm(field, { password: rootPassword }, known);
  const waited = performance.now() - startedAt;
  if (status !== 303) answers.faults.push(`the owner of the name was answered ${status}`);
  if (waited > ownerWaitsMs) answers.faults.push(`the owner of the name waited ${Math.round(waited)} ms`);
  await guessers;
  return answers.tally();
}

/** Tokens that nobody has, from one network, in which the right one is used as well. */
async function guessTokens(field: Field): Promise<Tally> {
  const answers = new Answers();
  const stopAt = performance.now() + field.seconds * 1000;
  const call = `GET /projects/${field.project.id}/error_tracking/errors`;
  const guesser = async (_: unknown, lane: number) => {
    for (let n = 0; performance.now() < stopAt; n++) {
      const token = `flp_${`${lane}x${n}`.padEnd(42, "0")}`;
      answers.add(
        await rest(field, call, { token }).then(
          ({ status }) => status,
          () => "no answer",
        ),
      );
      await delay(20);
    }
  };
  await Promise.all(Array.from({ length: 16 }, guesser));
  const { answers: counts } = answers.tally();
  if ((counts["401"] ?? 0) > 25) answers.faults.push(`${counts["401"]} wrong tokens were looked at in a minute`);
  const { status } = await rest(field, call, { token: field.token });
  if (status !== 200) answers.faults.push(`a right token from the same network was answered ${status}`);
  return answers.tally();
}

export const signIn: readonly Attack[] = [
  { name: "M1 wrong passwords for root from 60 networks", env, arm: (field) => () => lockOut(field) },
  { name: "M4 wrong tokens from one network", arm: (field) => () => guessTokens(field) },
];
