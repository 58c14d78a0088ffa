import { randomBytes } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { ClientKeyRefusal, ServiceError, type Admission, type Announcements, type Clock } from "@faultline/plugin";
import { ErrorReason, type ClientKeySchema } from "@faultline/proto";
import type { EntityManager, MikroORM } from "@mikro-orm/sql";
import { ClientKeyEntity, ProjectEntity, SettingsEntity, type ClientKeyRow } from "../database/entities.ts";
import { FilterMemory } from "../filters/filter-memory.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { eventsRefused } from "../settings/integrated-offering.ts";
import { clientKeyToProto } from "../to-proto.ts";
import { closedProject } from "./closed-project.ts";
import { KeyMemory, type Known } from "./key-memory.ts";
import { isPublicKey, newPublicKey } from "./public-key.ts";

const publicKeyPurpose = "client key";

const keysOfProject = 50;

/** Tells the id of a key that was deleted, or nothing: any key or project may have changed. */
const subject = "client keys";

/** The client keys of all projects: made, shown, and looked up for every event. */
export class ClientKeys {
  readonly #orm: MikroORM;
  readonly #keyRing: KeyRing;
  readonly #clock: Clock;
  readonly #baseUrl: () => string;
  readonly #integratedOffered: boolean;
  readonly #announcements: Announcements;
  readonly #memory: KeyMemory;
  readonly #filters = new FilterMemory();
  readonly #lastUsed = new Map<number, number>();

  constructor(parts: {
    orm: MikroORM;
    keyRing: KeyRing;
    clock: Clock;
    baseUrl: () => string;
    integratedOffered: boolean;
    announcements: Announcements;
  }) {
    this.#orm = parts.orm;
    this.#keyRing = parts.keyRing;
    this.#clock = parts.clock;
    this.#baseUrl = parts.baseUrl;
    this.#integratedOffered = parts.integratedOffered;
    this.#announcements = parts.announcements;
    this.#memory = new KeyMemory({
      find: (publicKey) => this.#lookUp(publicKey),
      clock: { now: () => performance.now() }, // it measures how long the database takes
    });
    parts.announcements.hear(subject, (keyId) => (keyId === "" ? this.doubt() : this.#memory.forget(Number(keyId))));
    parts.announcements.missed(() => this.doubt());
  }

  /** See EventDoor.admit. */
  admit(publicKey: string, projectId?: number): Admission | Promise<Admission> {
    if (!isPublicKey(publicKey)) throw new ClientKeyRefusal();
    const known = this.#memory.get(publicKey);
    if (known instanceof Promise) return known.then((found) => this.#check(found, projectId));
    return this.#check(known, projectId);
  }

  /** Whether a key is one of this installation's, whether or not it takes events. To ask is no use of it. */
  async has(publicKey: string): Promise<boolean> {
    return isPublicKey(publicKey) && (await this.#memory.get(publicKey)) !== "unknown";
  }

  #check(known: Known, projectId: number | undefined): Admission {
    if (known === "unknown" || (projectId !== undefined && known.projectId !== projectId)) throw new ClientKeyRefusal();
    if (known.closed) throw new ClientKeyRefusal(known.closed);
    this.#lastUsed.set(known.keyId, this.#clock.now());
    return known;
  }

  async #lookUp(publicKey: string): Promise<Known> {
    const em = this.#orm.em.fork();
    const row = await em.findOne(ClientKeyEntity, { keyDigest: this.#keyRing.digest(publicKeyPurpose, publicKey) });
    const project = row && (await em.findOne(ProjectEntity, { id: row.projectId, deletedAt: null }));
    const settings = project && (await em.findOne(SettingsEntity, { id: project.id }));
    if (!row || !project) return "unknown";
    const closed = closedProject(project, settings, { integratedOffered: this.#integratedOffered });
    const filters = await this.#filters.read(em, project.id);
    return { keyId: row.id, projectId: project.id, closed, filters };
  }

  /** Settings or keys changed: every lookup is made anew, in all processes. To be called after the commit. */
  projectChanged(): void {
    this.doubt();
    this.#announcements.tell(subject, "");
  }

  /** Every lookup is made anew. Changes are rare, so nobody asks which. */
  doubt(): void {
    this.#memory.doubt();
  }

  /** Refuses with LIMIT_REACHED when the project has as many as it may, and where no key would take events. */
  async create(projectId: number): Promise<MessageInitShape<typeof ClientKeySchema>> {
    if (!this.#integratedOffered) throw eventsRefused();
    const row = await this.#orm.em.fork().transactional(async (em) => {
      if ((await em.count(ClientKeyEntity, { projectId })) >= keysOfProject) {
        throw new ServiceError(
          ErrorReason.LIMIT_REACHED,
          `A project has at most ${keysOfProject} client keys. Delete one that is no longer used.`,
        );
      }
      return this.#insert(em, projectId);
    });
    this.projectChanged();
    return this.#message(row);
  }

  /** Makes the first key of a project that has none. */
  async ensureOne(projectId: number): Promise<void> {
    await this.#orm.em.fork().transactional(async (em) => {
      if ((await em.count(ClientKeyEntity, { projectId })) === 0) await this.#insert(em, projectId);
    });
    this.projectChanged();
  }

  async newest(projectId: number) {
    const row = await this.#orm.em.fork().findOne(ClientKeyEntity, { projectId }, { orderBy: { id: "desc" } });
    return row ? this.#message(row) : undefined;
  }

  /** Keys after `afterId`, oldest first; without key and DSNs for a caller who may not see them. */
  async list(projectId: number, page: { afterId: number; skip: number; limit: number; seesKeys: boolean }) {
    const rows = await this.#orm.em
      .fork()
      .find(
        ClientKeyEntity,
        { projectId, id: { $gt: page.afterId } },
        { orderBy: { id: "asc" }, limit: page.limit, offset: page.skip },
      );
    return rows.map((row) => (page.seesKeys ? this.#message(row) : clientKeyToProto(this.#used(row))));
  }

  count(projectId: number): Promise<number> {
    return this.#orm.em.fork().count(ClientKeyEntity, { projectId });
  }

  /** Deletes for good and answers the key as it was; undefined when the project has no such key. */
  async delete(projectId: number, keyId: number) {
    const em = this.#orm.em.fork();
    const row = await em.findOne(ClientKeyEntity, { id: keyId, projectId });
    if (!row) return undefined;
    const message = this.#message(row);
    if ((await em.nativeDelete(ClientKeyEntity, { id: keyId, projectId })) === 0) return undefined; // of two at once
    this.#lastUsed.delete(keyId);
    this.#memory.forget(keyId);
    this.#announcements.tell(subject, String(keyId));
    return message;
  }

  /** Writes when keys were last used. Called once a minute, as a write an event would cost more than it tells. */
  async saveLastUsed(): Promise<void> {
    const used = [...this.#lastUsed];
    this.#lastUsed.clear();
    const em = this.#orm.em.fork();
    for (const [id, lastUsedAt] of used) await em.nativeUpdate(ClientKeyEntity, { id }, { lastUsedAt });
  }

  async #insert(em: EntityManager, projectId: number): Promise<ClientKeyRow> {
    const publicKey = newPublicKey();
    const secret = randomBytes(16).toString("hex"); // without a prefix: it opens nothing by itself
    const row = em.create(ClientKeyEntity, {
      projectId,
      keyDigest: this.#keyRing.digest(publicKeyPurpose, publicKey),
      sealedPair: this.#keyRing.encrypt(pairPlace(projectId), `${publicKey}:${secret}`),
      createdAt: this.#clock.now(),
      lastUsedAt: null,
    });
    await em.flush();
    return row;
  }

  #message(row: ClientKeyRow) {
    if (!this.#integratedOffered) return clientKeyToProto(this.#used(row));
    const [publicKey = "", secret = ""] = this.#keyRing.decrypt(pairPlace(row.projectId), row.sealedPair).split(":");
    return clientKeyToProto(this.#used(row), { publicKey, secret, baseUrl: this.#baseUrl() });
  }

  /** The row with its last use, which may not be written yet. */
  #used(row: ClientKeyRow): ClientKeyRow {
    return { ...row, lastUsedAt: this.#lastUsed.get(row.id) ?? row.lastUsedAt };
  }
}

/** Where a pair is encrypted for, see KeyRing.encrypt. The key's own id is not known before it is stored. */
export function pairPlace(projectId: number): string {
  return `client_key:${projectId}:sealed_pair`;
}
