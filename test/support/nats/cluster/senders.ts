import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Ledger } from "../../database/ledger/ledger.ts";
import type { LedgerProject } from "../../database/ledger/traffic.ts";
import { startWorkers } from "../../database/ledger/workers.ts";
import { tempDir } from "../../service/temp-dir.ts";
import { until } from "../../run/until.ts";
import type { Part } from "./cluster.ts";

/**
 * The connections of each sender, and the time between their requests. All senders together send some hundred events a
 * second.
 */
const connections = 4;
const everyMs = 40;

/** After each round a sender chooses a bridge again, as behind a load balancer. */
const roundMs = 1_000;

/** Clients in separate processes, one for each bridge, that record what they sent and what was acknowledged. */
export class Senders {
  readonly ledger: Ledger;
  readonly #bridges: readonly Part[];
  readonly #lanes: readonly { readonly own: Part; readonly workers: ReturnType<typeof startWorkers> }[];
  #isSending = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor(bridges: readonly Part[], projects: readonly LedgerProject[], seed: number) {
    const directory = tempDir();
    this.#bridges = bridges;
    this.#lanes = bridges.map((own, n) => {
      const ownDirectory = join(directory, String(n));
      mkdirSync(ownDirectory);
      const workers = startWorkers({ count: 1, connections, seed: seed + n, directory: ownDirectory, projects });
      return { own, workers };
    });
    this.ledger = new Ledger(this.#lanes.flatMap(({ workers }) => workers.files));
  }

  start(): void {
    this.#isSending = true;
    this.#running = Promise.all(
      this.#lanes.map(async ({ own, workers }) => {
        while (this.#isSending) {
          const bridge = own.isUp
            ? own
            : await until("a bridge to send to", () => this.#bridges.find((one) => one.isUp));
          await workers.round({ url: bridge.server.url, era: 0, forMs: roundMs, everyMs }).over;
        }
      }),
    );
    this.#running.catch(() => undefined); // reported by `pause`
  }

  /** Resolves when all requests under way were answered and the ledger has read all records. */
  async pause(): Promise<void> {
    this.#isSending = false;
    await this.#running;
    this.ledger.read();
  }

  end(): void {
    this.#isSending = false;
    for (const { workers } of this.#lanes) workers.end();
  }
}
