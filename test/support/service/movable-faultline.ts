import { test } from "uvu";
import type { Config } from "../../../backend/src/config.ts";
import { startFaultline } from "../../../backend/src/main.ts";
import { grpcClient, type GrpcClient } from "../core/grpc.ts";
import { rootPassword } from "./server.ts";
import { tempDir } from "./temp-dir.ts";
import { testConfig } from "./test-config.ts";
import type { Faultline } from "../../../backend/src/serve.ts";

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** A clock that stops until the test moves it. */
export interface MovableClock {
  at: number;
  now(): number;
}

export function movableClock(): MovableClock {
  const clock = { at: Date.UTC(2026, 0, 10, 12), now: () => clock.at };
  return clock;
}

/** A service in the test's process, on a clock that the test moves. */
export interface MovableFaultline {
  readonly client: GrpcClient;
  readonly faultline: Faultline;
  readonly clock: MovableClock;
}

/**
 * Scheduled work runs this many times as often, so work that is due each second begins at most 100 ms after the clock
 * was moved.
 */
export const testPace = 10;

/**
 * Starts the service for all tests of a file, and stops it at its end. Await it before the first test. Pass a clock if
 * another part of the test uses the same clock. A pace of 1 / 20 keeps most scheduled work out of the test (a timer
 * takes no more than 24 days).
 */
export async function movableFaultline(
  config: Partial<Config> = {},
  clock: MovableClock = movableClock(),
  pace = testPace,
): Promise<MovableFaultline> {
  const faultline = await startFaultline({ ...testConfig(config.dataDir ?? tempDir()), ...config }, clock, { pace });
  const client = grpcClient(faultline);
  test.after(async () => {
    client.close();
    await faultline.stop();
  });
  return { client, faultline, clock };
}

/**
 * Lets time pass until `at` while the service runs on its data, because a clock that was moved while no service ran
 * counts as a jump.
 */
export async function passTime(config: Config, clock: MovableClock, at: number): Promise<void> {
  const faultline = await startFaultline(config, clock);
  clock.at = at;
  await faultline.stop();
}

/** The context of calls with a new session, by default the administrator's. */
export async function signIn(client: GrpcClient, username = "root", password = rootPassword) {
  const { sessionToken } = await client.accounts.signIn({ username, password });
  return { token: sessionToken };
}

let count = 0;

/** Makes a user with a password, a session and a personal access token. */
export async function newUser(client: GrpcClient, fields: { email?: string; isAdmin?: boolean } = {}) {
  count += 1;
  const username = `user-${count}`;
  const password = `a long password ${count}`;
  const { user } = await client.users.createUser({ username, password, ...fields }, client.auth);
  const session = await signIn(client, username, password);
  const { token, accessToken } = await client.accounts.createAccessToken({ name: "first", scopes: ["api"] }, session);
  return {
    userId: user?.userId ?? 0,
    username,
    password,
    session,
    auth: { token },
    tokenId: accessToken?.tokenId ?? 0,
  };
}
