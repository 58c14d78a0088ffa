import type { Plugin } from "@faultline/plugin";
import type { BuiltIn } from "../built-in.ts";
import type { GroupCommit } from "../host/ingest/group-commit.ts";
import type { Ingestion } from "./open-ingestion.ts";
import { storingTrial } from "../host/plugins/boot-checks.ts";
import { does, type Role } from "../roles.ts";
import type { DiskSpace } from "../storage/database/disk-space.ts";
import type { Storage } from "./open-storage.ts";

/** How long an answer is valid. A longer wait for the database means that it is not ready. */
const freshMs = 1_000;

/** How long a refused batch counts. Afterwards a probe decides, because a balancer sends no events meanwhile. */
const refusedMs = 2_000;

/** Decides whether an event would be stored now, by the disk's free space and the last batch, otherwise by a probe. */
export class Readiness {
  readonly #disk: DiskSpace;
  readonly #queue: GroupCommit;
  readonly #canWrite: () => Promise<boolean>;
  #last: { at: number; answer: Promise<boolean> } | undefined;

  constructor(parts: { disk: DiskSpace; queue: GroupCommit; canWrite: () => Promise<boolean> }) {
    this.#disk = parts.disk;
    this.#queue = parts.queue;
    this.#canWrite = parts.canWrite;
  }

  isReady(): Promise<boolean> {
    if (this.#disk.isLow) return Promise.resolve(false);
    const now = performance.now();
    if (this.#queue.isFailing && now - this.#queue.lastRefusedAt < refusedMs) return Promise.resolve(false);
    if (!this.#queue.isFailing && now - this.#queue.lastStoredAt < freshMs) return Promise.resolve(true);
    if (!this.#last || now - this.#last.at >= freshMs) this.#last = { at: now, answer: this.#probe() };
    return this.#last.answer;
  }

  #probe(): Promise<boolean> {
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), freshMs);
    return Promise.race([this.#canWrite(), late]).finally(() => clearTimeout(timer));
  }
}

/**
 * The readiness of a process with the role: whether it would store an event now. It is reported while the process
 * serves.
 */
export function readinessOf(
  role: Role,
  {
    storage,
    ingestion,
    plugins,
    jetstream,
  }: { storage: Storage; ingestion: Ingestion; plugins: readonly Plugin[]; jetstream: BuiltIn["jetstream"] },
): { isReady(): Promise<boolean>; setServing(isServing: boolean): void } {
  const { disk, database } = storage;
  const tryStoring = storingTrial(plugins);
  // The trial is undone, so it reveals missing rights and damaged tables, but not a disk that refuses writes.
  const canWrite = () =>
    tryStoring().then(
      () => database.canWrite(),
      () => false, // the events that could not be stored report the cause
    );
  const readiness = new Readiness({ disk, queue: ingestion.groupCommit, canWrite });
  const accepts = does(role, "bridge") || does(role, "core");
  const isAble = () => {
    if (jetstream && accepts) return jetstream.isAccepting; // even if the database does not answer
    if (jetstream && does(role, "worker") && !jetstream.isStoring) return false;
    return readiness.isReady();
  };
  let isServing = false;
  return {
    isReady: async () => isServing && isAble(),
    setServing: (now) => {
      isServing = now;
    },
  };
}
