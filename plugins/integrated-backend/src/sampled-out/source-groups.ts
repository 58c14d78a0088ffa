import type { ReadHeads } from "@faultline/plugin";
import { BoundedMap, OncePer } from "@faultline/plugin/flow";
import type { ErrorEvent } from "@faultline/proto";
import { errorKey } from "../grouping/group-events.ts";
import { groupHash } from "../grouping/group-hash.ts";

/** Groups that are remembered, of all projects together. */
const groupsKnown = 2_000;

/** A group is read again after this time: minified code of several errors can be one group as it was sent. */
const knownMs = 1_000;

/** To read the source of an event costs a parse of it, so a flood gets 20 a second, whatever its events are. */
const readEachMs = 50;

interface Known {
  readonly hash: string;
  readonly readAt: number;
}

/**
 * Which group the events of a group have once their stacks are read in their sources, as a stored event is. Of events that
 * are not stored, one of each group is read each second, and the others follow it.
 */
export class SourceGroups {
  readonly #known = new BoundedMap<string, Known>(groupsKnown);
  readonly #turns = new OncePer(readEachMs);

  /** The group of the sources, where it is known by now; otherwise the group itself. */
  groupOf(projectId: number, hash: string): string {
    return this.#known.get(errorKey(projectId, hash))?.hash ?? hash;
  }

  /** Reads the source of an event of the group `hash`, where it is due. */
  learn(event: ErrorEvent, { hash, read }: { readonly hash: string; readonly read: ReadHeads | undefined }): void {
    if (!read) return;
    const key = errorKey(event.projectId, hash);
    const now = performance.now();
    const known = this.#known.get(key);
    if ((known && now - known.readAt < knownMs) || !this.#turns.take()) return;
    const remember = ([head]: readonly ErrorEvent[]) =>
      this.#known.set(key, { hash: head === undefined || head === event ? hash : groupHash(head), readAt: now });
    const heads = read([event]);
    if (heads instanceof Promise) {
      if (known) this.#known.set(key, { ...known, readAt: now });
      heads.then(remember, () => undefined); // the group stays what it was; its reader reports why
    } else remember(heads);
  }
}
