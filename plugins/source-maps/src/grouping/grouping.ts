import type { Host, ReadHeads } from "@faultline/plugin";
import { FairQueue, OncePer } from "@faultline/plugin/flow";
import { ArtifactBundleState, type ErrorEvent } from "@faultline/proto";
import { mayBeMinified } from "../events/frames.ts";
import type { Stored } from "../events/reading.ts";
import type { Tables } from "../tables.ts";
import { MappedHeads } from "./mapped-head.ts";

const subject = "source maps";

/** How long events wait for their sources. Events without sources by then are grouped as they were sent. */
const longestMs = 250;

/** Events with sources that are read concurrently, in all and of a project: each may have a long list of sources in memory. */
const atOnce = { atOnce: 4, ofOwner: 3 };

const loggedEachMs = 60_000;

/** How long a project waits for the next attempt if its errors could not be grouped; others continue. */
const againMs = 60_000;

/** Groups events by the frames of their sources, in the projects that have maps. */
export class SourceGrouping {
  readonly #host: Host;
  readonly #heads: MappedHeads;
  readonly #turns = new FairQueue(atOnce);
  readonly #logged = new OncePer(loggedEachMs);
  /** The projects with a failed last attempt. */
  readonly #triedAt = new Map<number, number>();
  #projects: ReadonlySet<number> = new Set();

  constructor(stored: Stored) {
    this.#host = stored.host;
    this.#heads = new MappedHeads(stored);
  }

  async start(): Promise<void> {
    const { database, log } = this.#host;
    await this.#load();
    const reload = () =>
      void this.#load().catch((error: unknown) => log.error({ err: error }, "the projects with maps are unknown"));
    database.announcements.subscribe(subject, reload);
    database.announcements.onMissed(reload);
  }

  /** See Plugin.readHeads. */
  readHeads: ReadHeads = (events) =>
    this.#projects.size > 0 && events.some((event) => this.#isDue(event)) ? this.#inTime(events) : events;

  /**
   * Groups by the bundles that were read meanwhile: first the errors that are there take the groups of their sources, so that
   * none of them begins once more as another one.
   */
  async useNewMaps(signal: AbortSignal): Promise<void> {
    const { database, clock, log } = this.#host;
    const due = await database
      .read<Tables>()
      .selectFrom("source_bundle")
      .select(["id", "project_id"])
      .where("state", "=", ArtifactBundleState.OK)
      .where("groups_since", "is", null)
      .where("mapped_file_count", ">", 0)
      .execute();
    const byProject = Map.groupBy(due, ({ project_id }) => Number(project_id));
    for (const [projectId, bundles] of byProject) {
      if (signal.aborted) return; // the next start begins once more
      if ((this.#triedAt.get(projectId) ?? -Infinity) > clock.now() - againMs) continue;
      this.#triedAt.set(projectId, clock.now());
      const ids = bundles.map(({ id }) => id);
      await this.#useMaps(projectId, ids, signal).catch((error: unknown) =>
        log.error({ err: error, projectId }, "the errors of a project could not be grouped by its new maps"),
      );
    }
  }

  async #useMaps(projectId: number, bundleIds: readonly number[], signal: AbortSignal): Promise<void> {
    const { database, clock } = this.#host;
    await this.#host.regroup(projectId, (events) => this.#map(events, "all"), signal);
    if (signal.aborted) return;
    await database
      .write<Tables>()
      .updateTable("source_bundle")
      .set({ groups_since: clock.now() })
      .where("id", "in", bundleIds)
      .execute();
    this.#triedAt.delete(projectId);
    await this.changed();
  }

  /** Bundles came into use or are gone. */
  async changed(): Promise<void> {
    await this.#load();
    this.#host.database.announcements.announce(subject, "");
  }

  async #inTime(events: readonly ErrorEvent[]): Promise<readonly ErrorEvent[]> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), longestMs);
    try {
      return await this.#map(events, "grouping", late.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Maps events, except the events that are not done when `late` is aborted. */
  #map(events: readonly ErrorEvent[], among: "all" | "grouping", late?: AbortSignal): Promise<readonly ErrorEvent[]> {
    const { promise: isLate, resolve } = Promise.withResolvers<undefined>();
    late?.addEventListener("abort", () => resolve(undefined), { once: true });
    return Promise.all(
      events.map(async (event) => {
        if (among === "grouping" ? !this.#isDue(event) : !mayHaveSource(event)) return event;
        const owners = [`project ${event.projectId}`] as const;
        const mapped = this.#turns.run({ owners }, () =>
          late?.aborted ? Promise.resolve(event) : this.#heads.of(event, among),
        );
        return (await Promise.race([mapped.catch((error: unknown) => this.#failed(error)), isLate])) ?? event;
      }),
    );
  }

  #isDue(event: ErrorEvent): boolean {
    return this.#projects.has(event.projectId) && mayHaveSource(event);
  }

  #failed(error: unknown): undefined {
    if (this.#logged.take())
      this.#host.log.error({ err: error }, "an event is grouped as it was sent, not by its sources");
  }

  async #load(): Promise<void> {
    const rows = await this.#host.database
      .read<Tables>()
      .selectFrom("source_bundle")
      .select("project_id")
      .distinct()
      .where("groups_since", "is not", null)
      .execute();
    this.#heads.forget();
    this.#projects = new Set(rows.map(({ project_id }) => Number(project_id)));
  }
}

const mayHaveSource = (event: ErrorEvent) => mayBeMinified(event) || event.platform === "java";
