import type { Host } from "@faultline/plugin";
import { errorKey, type GroupedEvent } from "./group-events.ts";
import type { Storage } from "../storage.ts";

const subject = "aliases";

/**
 * Maximum groups of a project that belong to another group's error. Every storing process keeps all of them in memory.
 */
export const aliasesOfProject = 10_000;

/** The events of `hash` belong to the error of `ofHash`. Both are in hexadecimal digits. */
export interface Alias {
  readonly projectId: number;
  readonly hash: string;
  readonly ofHash: string;
}

/**
 * Assigns the events of a group to the error of another group because both are the same error, read in different ways.
 * Each batch passes here after grouping; a project without aliases costs one look into a map.
 */
export class Aliases {
  readonly #storage: Pick<Storage, "read" | "write">;
  readonly #host: Host;
  #byProject = new Map<number, Map<string, string>>();
  #last: Promise<void> = Promise.resolve();

  constructor(storage: Pick<Storage, "read" | "write">, host: Host) {
    this.#storage = storage;
    this.#host = host;
  }

  async start(): Promise<void> {
    const { database, log } = this.#host;
    await this.#load();
    const reload = () => void this.#load().catch((error: unknown) => log.error({ err: error }, "aliases are unknown"));
    database.announcements.subscribe(subject, reload);
    database.announcements.onMissed(reload);
  }

  /** Replaces the group of each event with the group of its error. */
  resolve(events: readonly GroupedEvent[]): readonly GroupedEvent[] {
    if (this.#byProject.size === 0) return events;
    return events.map((one) => {
      const { projectId } = one.event;
      const hash = this.groupOf(projectId, one.hash);
      return hash === one.hash ? one : { ...one, hash, key: errorKey(projectId, hash) };
    });
  }

  /** The group of the error that gets the events of a group: usually the same group. */
  groupOf(projectId: number, hash: string): string {
    return this.#byProject.get(projectId)?.get(hash) ?? hash;
  }

  has(projectId: number, hash: string): boolean {
    return this.#byProject.get(projectId)?.has(hash) ?? false;
  }

  /** The number of aliases that a project may still add. */
  roomOf(projectId: number): number {
    return aliasesOfProject - (this.#byProject.get(projectId)?.size ?? 0);
  }

  /** Stores an alias, unless its group already has an error. */
  add(alias: Alias): Promise<void> {
    return this.#inOrder(() => this.#add(alias));
  }

  async #add({ projectId, hash, ofHash }: Alias): Promise<void> {
    const [own, other] = [Buffer.from(hash, "hex"), Buffer.from(ofHash, "hex")];
    const added = await this.#storage.write.transaction().execute(async (transaction) => {
      const error = await transaction
        .selectFrom("integrated_error")
        .select("id")
        .where("project_id", "=", projectId)
        .where("group_hash", "=", own)
        .executeTakeFirst();
      if (error) return false;
      await transaction
        .insertInto("integrated_alias")
        .values({ project_id: projectId, group_hash: own, of_group_hash: other, created_at: this.#host.clock.now() })
        .onConflict((conflict) => conflict.columns(["project_id", "group_hash"]).doNothing())
        .execute();
      return true;
    });
    if (!added) return;
    this.#remember({ projectId, hash, ofHash });
    this.#host.database.announcements.announce(subject, "");
  }

  /** Deletes the aliases of a project that were created before a time and have no error anymore. */
  async deleteOld(projectId: number, before: number): Promise<void> {
    await this.#storage.write
      .deleteFrom("integrated_alias")
      .where("project_id", "=", projectId)
      .where("created_at", "<", before)
      .where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom("integrated_error as error")
              .select("error.id")
              .whereRef("error.project_id", "=", "integrated_alias.project_id")
              .whereRef("error.group_hash", "=", "integrated_alias.of_group_hash"),
          ),
        ),
      )
      .execute();
    await this.#load();
  }

  #load(): Promise<void> {
    return this.#inOrder(() => this.#read());
  }

  /** Runs one piece of work after another, so that a read from before an alias was added never replaces it. */
  #inOrder(work: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(work, work);
    return this.#last;
  }

  async #read(): Promise<void> {
    const rows = await this.#storage.read
      .selectFrom("integrated_alias")
      .select(["project_id", "group_hash", "of_group_hash"])
      .execute();
    this.#byProject = new Map();
    for (const { project_id, group_hash, of_group_hash } of rows)
      this.#remember({
        projectId: Number(project_id),
        hash: group_hash.toString("hex"),
        ofHash: of_group_hash.toString("hex"),
      });
  }

  #remember({ projectId, hash, ofHash }: Alias): void {
    const ofProject = this.#byProject.get(projectId) ?? new Map<string, string>();
    ofProject.set(hash, ofHash);
    this.#byProject.set(projectId, ofProject);
  }
}
