import type { Clock, ExternalLink, Log, Outbound } from "@faultline/plugin";
import { Upstream } from "./upstream.ts";

/** Of all projects together; a project alone may have 2 MiB. */
const maxBytes = 32 * 1024 * 1024;

/** A project whose errors nobody looks at for so long is forgotten. */
const idleMs = 900_000;

interface Entry {
  readonly upstream: Upstream;
  readonly revision: number;
  usedAt: number;
}

/** The external systems of all projects, each by itself: nothing of one project waits for another. */
export class Upstreams {
  readonly #parts: { outbound: Outbound; clock: Clock; log: Log };
  /** By our project; the least recently used first. */
  readonly #entries = new Map<number, Entry>();

  constructor({ outbound, clock, log }: { outbound: Outbound; clock: Clock; log: Log }) {
    this.#parts = { outbound, clock, log };
  }

  /** Of a project. With other settings nothing is known of its external system. */
  of(projectId: number, { revision }: ExternalLink): Upstream {
    const known = this.#entries.get(projectId);
    this.#entries.delete(projectId);
    const remembered = () => this.#makeRoom();
    const upstream =
      known?.revision === revision ? known.upstream : new Upstream({ ...this.#parts, projectId, remembered });
    this.#entries.set(projectId, { upstream, revision, usedAt: this.#parts.clock.now() });
    return upstream;
  }

  /** Forgets the projects that nobody has asked for in the last minutes. */
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
