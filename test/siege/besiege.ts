import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Role } from "@faultline/proto";
import { startChild } from "../bench/child.ts";
import { residentMiB } from "../bench/process-memory.ts";
import { asStarted } from "../bench/service.ts";
import { grpcClient } from "../support/core/grpc.ts";
import { newMember } from "../support/core/person.ts";
import { createProject } from "../support/core/project.ts";
import { rest } from "../support/rest/rest.ts";
import { newEventId, sendStore } from "../support/sentry/send.ts";
import { startServer } from "../support/service/server.ts";
import { smallDisk } from "../support/service/small-disk.ts";
import { tempDir } from "../support/service/temp-dir.ts";
import type { Attack, Field, Tally } from "./attack.ts";
import type { AttackerOptions } from "./attacker.ts";
import { mainThread } from "./main-thread.ts";
import type { MemoryLimit } from "./memory-limit.ts";
import type { VictimOptions, VictimResult } from "./victim.ts";

/** The effect of an attack on a separate service. */
export interface Siege {
  readonly attack: Attack;
  readonly isAlive: boolean;
  readonly quiet: VictimResult;
  readonly during: VictimResult;
  /** The shares of the event loop's time during the attack. */
  readonly loop: { readonly ran: number; readonly waited: number };
  /** Resident memory, at most. */
  readonly peakMiB: number;
  /** The size of the data directory: the most during the attack, and before it. */
  readonly diskMiB: number;
  readonly diskBeforeMiB: number;
  readonly tally: Tally;
}

export interface BesiegeOptions {
  readonly limit: MemoryLimit;
  /** The length of the attack. The victim's quiet seconds before are half as many. */
  readonly seconds: number;
}

const warmUpSeconds = 1;
const mebibyte = 1024 * 1024;

/** Starts a service as a user would, with a limit of memory, lets a victim use it, and attacks it. */
export async function besiege(attack: Attack, { limit, seconds }: BesiegeOptions): Promise<Siege> {
  const dataDir = attack.disk ? smallDisk(attack.disk.mebibytes).directory : tempDir();
  const server = await startServer({
    dataDir,
    ...(limit.prelude !== undefined && { prelude: limit.prelude }),
    env: {
      ...asStarted,
      FAULTLINE_RATE_LIMIT_KEY: "",
      FAULTLINE_RATE_LIMIT_PROJECT: "",
      FAULTLINE_API_RATE_LIMIT: "",
      ...attack.env,
    },
  });
  limit.watch(server.pid);
  try {
    const client = grpcClient(server);
    const victim = await createProject(server);
    const project = await createProject(server);
    const reader = await newMember(client, victim.id, Role.REPORTER);
    const attacker = await newMember(client, project.id, Role.MAINTAINER);
    client.close();
    await sendStore(server, victim, { event_id: newEventId(), message: "plain" });
    const list = await rest(server, `GET /projects/${victim.id}/error_tracking/errors`, reader);
    const [error] = list.json as { id: string }[]; // the shape is what rest.test.ts asserts
    const developer = {
      url: server.url,
      project: victim,
      token: reader.token,
      errorId: error?.id ?? "",
      warmUpSeconds,
    };

    const { url, grpcAddress } = server;
    const field: Field = { url, grpcAddress, dataDir, victim, project, token: attacker.token, seconds };
    const load = startChild<Tally>("../siege/attacker.ts", { name: attack.name, field } satisfies AttackerOptions);
    await load.ready;

    const before = startVictim(developer);
    await before.ready;
    before.go();
    await delay((warmUpSeconds + seconds / 2) * 1000);
    before.end();
    const quiet = await before.result;

    const { high, end } = watch(server.pid, dataDir);
    const diskBeforeMiB = high.diskMiB;
    const beside = startVictim({ ...developer, warmUpSeconds: 0 });
    await beside.ready;
    const loopBefore = mainThread(server.pid);
    const startedAt = performance.now();
    beside.go();
    load.go();
    const [tally] = await Promise.all([load.result, delay(seconds * 1000)]); // what it leaves behind counts as well
    const tookSeconds = (performance.now() - startedAt) / 1000;
    const { ranSeconds, waitedSeconds } = mainThread(server.pid);
    const loop = {
      ran: (ranSeconds - loopBefore.ranSeconds) / tookSeconds,
      waited: (waitedSeconds - loopBefore.waitedSeconds) / tookSeconds,
    };
    beside.end();
    const during = await beside.result;
    end();
    const isAlive = !limit.wasExceeded() && (await fetch(`${server.url}/-/health`).catch(() => undefined))?.ok === true;
    return { attack, isAlive, quiet, during, loop, ...high, diskBeforeMiB, tally };
  } finally {
    await server.stop().catch(() => undefined); // that it ended before is what `isAlive` says
    limit.remove();
  }
}

const startVictim = (options: VictimOptions) => startChild<VictimResult>("../siege/victim.ts", options);

/** Looks at memory and disk until it is ended. The kernel itself keeps the highest resident memory. */
function watch(pid: number, dataDir: string) {
  const high = { peakMiB: 0, diskMiB: 0 };
  const look = () => {
    high.diskMiB = Math.max(high.diskMiB, directoryMiB(dataDir));
    try {
      high.peakMiB = residentMiB(pid, "at most");
    } catch {
      // The process has ended, so the last reading counts.
    }
  };
  look();
  const timer = setInterval(look, 100);
  return {
    high,
    end() {
      clearInterval(timer);
      look();
    },
  };
}

/** The size of a directory with everything below it. */
export function directoryMiB(directory: string): number {
  const bytes = readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0);
  return Math.round(bytes.reduce((sum, size) => sum + size, 0) / mebibyte);
}
