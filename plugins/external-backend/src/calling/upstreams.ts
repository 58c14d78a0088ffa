import type { Clock, ExternalLink, Log, Outbound } from "@faultline/plugin";
import { Upstream } from "./upstream.ts";

/** For all projects together; one project may have 2 MiB. */
const maxBytes = 32 * 1024 * 1024;

/** A project whose errors nobody reads for this long is forgotten. */
const idleMs = 900_000;

interface Entry {
  readonly upstream: Upstream;
  readonly revision: number;
  usedAt: number;
}

/** The external systems of all projects. Each is on its own: no project waits for another. */
export class Upstreams {
  readonly #parts: { outbound: Outbound; clock: Clock; log: Log };
  /** By our project id; the least recently used first. */
  readonly #entries = new Map<number, Entry>();

  constructor({ outbound, clock, log }: { outbound: Outbound; clock: Clock; log: Log }) {
    this.#parts = { outbound, clock, log };
  }

  /** The external system of a project. A change of the settings starts from an empty memory. */
  of(projectId: number, { revision }: ExternalLink): Upstream {
    const known = this.#entries.get(projectId);
    this.#entries.delete(projectId);
    const remembered = () => this.#makeRoom();
    const upstream =
      known?.revision === revision ? known.upstream : new Upstream({ ...this.#parts, projectId, remembered });
    this.#entries.set(projectId, { upstream, revision, usedAt: this.#parts.clock.now() });
    return upstream;
  }

  /** Forgets the projects that nobody has read in the last minutes. */
  forgetIdle(): void {
    for (const [projectId, { usedAt }] of this.#entries) {
      if (this.#parts.clock.now() - usedAt <= idleMs) return;
      this.#entries.delete(projectId);
    }
  }

  #makeRoom(): void {
    const entries = [...this.#entries.values()];
    let bytes = entries.reduce((sum, { upstream }) => sum + upstream.bytes, 0);
    for (const { upstream } of entries) {
      if (bytes <= maxBytes) return;
      bytes -= upstream.bytes;
      upstream.forget();
    }
  }
}
