import { randomBytes } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  ClientKeyRefusal,
  dayMs,
  ServiceError,
  type Admission,
  type Announcements,
  type Clock,
  type Sender,
  invalidField,
} from "@faultline/plugin";
import { ErrorReason, type ClientKeySchema, type UpdateClientKeyRequest } from "@faultline/proto";
import type { EntityManager, MikroORM } from "@mikro-orm/sql";
import { senderNetwork } from "@faultline/plugin";
import { ProjectEntity } from "../tables/project.ts";
import { SettingsEntity } from "../tables/settings.ts";
import { ClientKeyEntity, clientKeyToProto, originsOf, type ClientKeyRow } from "../tables/client-key.ts";
import { FilterMemory } from "../filters/filter-memory.ts";
import { pairPlace } from "../../storage/secrets/encrypted-columns.ts";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";
import { eventsRefused } from "../instance/integrated-offering.ts";
import { closedByKey, closedByOrigin, closedProject } from "./closed-door.ts";
import { KeyMemory, type FoundKey, type Known } from "./key-memory.ts";
import type { KeyTraffic } from "./key-traffic.ts";

const publicKeyPurpose = "client key";

const keysOfProject = 50;

/** Announces the id of a deleted or disabled key, or nothing if any key or project may have changed. */
const subject = "client keys";

/** The client keys of all projects: creates, shows and changes keys, and looks up the key of every event. */
export class ClientKeys {
  readonly #orm: MikroORM;
  readonly #keyRing: KeyRing;
  readonly #clock: Clock;
  readonly #baseUrl: () => string;
  readonly #integratedOffered: boolean;
  readonly #announcements: Announcements;
  readonly #traffic: Pick<KeyTraffic, "eventsOfDay">;
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
    traffic: Pick<KeyTraffic, "eventsOfDay">;
  }) {
    this.#orm = parts.orm;
    this.#keyRing = parts.keyRing;
    this.#clock = parts.clock;
    this.#baseUrl = parts.baseUrl;
    this.#integratedOffered = parts.integratedOffered;
    this.#announcements = parts.announcements;
    this.#traffic = parts.traffic;
    this.#memory = new KeyMemory({
      find: (publicKey) => this.#lookUp(publicKey),
      clock: { now: () => performance.now() }, // measures the time of the database
    });
    parts.announcements.subscribe(subject, (keyId) =>
      keyId === "" ? this.doubt() : this.#memory.forget(Number(keyId)),
    );
    parts.announcements.onMissed(() => this.doubt());
  }

  /** See EventDoor.admit. */
  admit(publicKey: string, projectId?: number, sender?: Sender): Admission | Promise<Admission> {
    if (!isPublicKey(publicKey)) throw new ClientKeyRefusal();
    const known = this.#memory.get(publicKey);
    if (known instanceof Promise) return known.then((found) => this.#check(found, projectId, sender));
    return this.#check(known, projectId, sender);
  }

  /** Whether a key belongs to this installation, even if it accepts no events. Does not count as a use of the key. */
  async has(publicKey: string): Promise<boolean> {
    return isPublicKey(publicKey) && (await this.#memory.get(publicKey)) !== "unknown";
  }

  #check(known: Known, projectId: number | undefined, sender: Sender | undefined): Admission {
    if (known === "unknown" || (projectId !== undefined && known.projectId !== projectId)) throw new ClientKeyRefusal();
    const { keyId, limits, filters } = known;
    const closed = known.closed ?? (allowsOrigin(known.allowedOrigins, sender?.origin) ? undefined : closedByOrigin);
    if (closed) throw new ClientKeyRefusal({ ...closed, keyId });
    this.#lastUsed.set(keyId, this.#clock.now());
    const network = sender ? senderNetwork(sender.clientIp) : "";
    return { keyId, projectId: known.projectId, network, limits, filters };
  }

  async #lookUp(publicKey: string): Promise<Known> {
    const em = this.#orm.em.fork();
    const row = await em.findOne(ClientKeyEntity, { keyDigest: this.#keyRing.digest(publicKeyPurpose, publicKey) });
    const project = row && (await em.findOne(ProjectEntity, { id: row.projectId, deletedAt: null }));
    const settings = project && (await em.findOne(SettingsEntity, { id: project.id }));
    if (!row || !project) return "unknown";
    const closed = row.active
      ? closedProject(project, settings, { integratedOffered: this.#integratedOffered })
      : closedByKey;
    return {
      keyId: row.id,
      projectId: project.id,
      closed,
      allowedOrigins: originsOf(row),
      limits: await this.#limitsOf(row),
      filters: await this.#filters.read(em, project.id),
    };
  }

  async #limitsOf({ id, eventsPerMinute, eventsPerDay }: ClientKeyRow): Promise<FoundKey["limits"]> {
    if (eventsPerMinute === 0 && eventsPerDay === 0) return undefined;
    const day = Math.floor(this.#clock.now() / dayMs);
    const events = eventsPerDay === 0 ? 0 : await this.#traffic.eventsOfDay(id, day);
    return { perMinute: eventsPerMinute, perDay: eventsPerDay, counted: { day, events } };
  }

  /** Invalidates the cached lookups in all processes after a change of settings or keys. Call it after the commit. */
  projectChanged(): void {
    this.doubt();
    this.#announcements.announce(subject, "");
  }

  /** Invalidates all cached lookups. Changes are rare, so it does not matter which key changed. */
  doubt(): void {
    this.#memory.doubt();
  }

  /**
   * Creates a key. Refuses with LIMIT_REACHED if the project has the most keys it may have, and if no key would accept
   * events.
   */
  async create(projectId: number): Promise<MessageInitShape<typeof ClientKeySchema>> {
    if (!this.#integratedOffered) throw eventsRefused();
    const row = await this.#orm.em.fork().transactional(async (em) => {
      if ((await em.count(ClientKeyEntity, { projectId })) >= keysOfProject) {
        throw new ServiceError(
          ErrorReason.LIMIT_REACHED,
          `A project has at most ${keysOfProject} client keys. Delete a key that is no longer used.`,
        );
      }
      return this.#insert(em, projectId);
    });
    this.projectChanged();
    return this.#message(row);
  }

  /** Creates the first key of a project without keys. */
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

  /** Keys after `afterId`, oldest first. Without key and DSNs for callers who may not see them. */
  async list(projectId: number, page: { afterId: number; skip: number; limit: number; seesKeys: boolean }) {
    const rows = await this.#orm.em
      .fork()
      .find(
        ClientKeyEntity,
        { projectId, id: { $gt: page.afterId } },
        { orderBy: { id: "asc" }, limit: page.limit, offset: page.skip },
      );
    return rows.map((row) => this.#shown(row, page.seesKeys));
  }

  /** A key; refuses with CLIENT_KEY_NOT_FOUND. */
  async get(projectId: number, keyId: number, { seesKeys }: { seesKeys: boolean }) {
    const row = await this.#orm.em.fork().findOne(ClientKeyEntity, { id: keyId, projectId });
    if (!row) throw notFound();
    return this.#shown(row, seesKeys);
  }

  /** Changes a key's state, limits or origins; see UpdateClientKeyRequest for the refusals. */
  async update(request: UpdateClientKeyRequest) {
    // A transaction, so that the second of two concurrent changes sees the limits of the first.
    const { row, wasActive } = await this.#orm.em.fork().transactional(async (em) => {
      const found = await em.findOne(ClientKeyEntity, { id: request.keyId, projectId: request.projectId });
      if (!found) throw notFound();
      const before = found.active;
      applyChanges(found, request);
      return { row: found, wasActive: before };
    });
    if (wasActive && !row.active) this.#gone(row.id);
    else this.projectChanged();
    return this.#message(row);
  }

  count(projectId: number): Promise<number> {
    return this.#orm.em.fork().count(ClientKeyEntity, { projectId });
  }

  /** Deletes a key for good and returns it; refuses with CLIENT_KEY_NOT_FOUND. */
  async delete(projectId: number, keyId: number) {
    const em = this.#orm.em.fork();
    const row = await em.findOne(ClientKeyEntity, { id: keyId, projectId });
    if (!row) throw notFound();
    const message = this.#message(row);
    if ((await em.nativeDelete(ClientKeyEntity, { id: keyId, projectId })) === 0) throw notFound(); // already deleted
    this.#lastUsed.delete(keyId);
    this.#gone(keyId);
    return message;
  }

  /** Revokes a key in all processes, regardless of what their databases return. Call it after the commit. */
  #gone(keyId: number): void {
    this.#memory.forget(keyId);
    this.#announcements.announce(subject, String(keyId));
  }

  /**
   * Stores when keys were last used. Called once a minute because a write per event would cost more than it is worth.
   */
  async saveLastUsed(): Promise<void> {
    const used = [...this.#lastUsed];
    this.#lastUsed.clear();
    const em = this.#orm.em.fork();
    for (const [id, lastUsedAt] of used) await em.nativeUpdate(ClientKeyEntity, { id }, { lastUsedAt });
  }

  async #insert(em: EntityManager, projectId: number): Promise<ClientKeyRow> {
    const publicKey = newPublicKey();
    const secret = randomBytes(16).toString("hex"); // without a prefix because it grants nothing by itself
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

  #shown(row: ClientKeyRow, seesKeys: boolean) {
    return seesKeys ? this.#message(row) : clientKeyToProto(this.#used(row));
  }

  #message(row: ClientKeyRow) {
    if (!this.#integratedOffered) return clientKeyToProto(this.#used(row));
    const [publicKey = "", secret = ""] = this.#keyRing.decrypt(pairPlace(row.projectId), row.sealedPair).split(":");
    return clientKeyToProto(this.#used(row), { publicKey, secret, baseUrl: this.#baseUrl() });
  }

  /** The row with its last use, which may not be stored yet. */
  #used(row: ClientKeyRow): ClientKeyRow {
    return { ...row, lastUsedAt: this.#lastUsed.get(row.id) ?? row.lastUsedAt };
  }
}

function notFound(): ServiceError {
  return new ServiceError(ErrorReason.CLIENT_KEY_NOT_FOUND, "This project has no such client key.");
}

/** Lets secret scanners recognize a key. Word characters only because some SDKs accept no others in a DSN. */
const prefix = "flck_";

/** Keys created before the prefix was introduced remain valid. */
const form = /^(?:flck_)?[0-9a-f]{32}$/;

/** A new random public key of 128 bits. */
function newPublicKey(): string {
  return prefix + randomBytes(16).toString("hex");
}

/** Whether a text may be a public key; other texts need no lookup. */
function isPublicKey(text: string): boolean {
  return form.test(text);
}

const most = { perMinute: 1_000_000, perDay: 100_000_000 };

/** Applies the changes of a request to a key's row, or refuses them with INVALID_FIELD. */
export function applyChanges(row: ClientKeyRow, request: UpdateClientKeyRequest): void {
  const { active = row.active, eventsPerMinute = row.eventsPerMinute, eventsPerDay = row.eventsPerDay } = request;
  if (eventsPerMinute > most.perMinute) {
    throw invalidField("events_per_minute", "The limit per minute is 1 to 1,000,000 events; 0 means no limit.");
  }
  if (eventsPerDay > most.perDay) {
    throw invalidField("events_per_day", "The limit per day is 1 to 100,000,000 events; 0 means no limit.");
  }
  if (eventsPerDay > 0 && eventsPerMinute > eventsPerDay) {
    throw invalidField(
      request.eventsPerMinute === undefined ? "events_per_day" : "events_per_minute",
      `The limit per minute (${eventsPerMinute}) is above the limit per day (${eventsPerDay}). Lower the first or raise the second.`,
    );
  }
  const origins = request.allowedOrigins && readOrigins(request.allowedOrigins.origins).join(" ");
  Object.assign(row, {
    active,
    eventsPerMinute,
    eventsPerDay,
    ...(origins !== undefined && { allowedOrigins: origins }),
  });
}

const mostOrigins = 20;
const longestOrigin = 255;

const example = "such as https://example.com, https://*.example.com or http://localhost:3000";

/** Normalizes origins to the form that browsers send, without duplicates. Refuses invalid origins, and too many. */
export function readOrigins(entries: readonly string[]): string[] {
  const origins = [...new Set(entries.map((entry) => readOrigin(entry.trim())))];
  if (origins.length > mostOrigins) {
    throw invalidField("allowed_origins", `A client key has at most ${mostOrigins} allowed origins.`);
  }
  return origins;
}

function readOrigin(entry: string): string {
  const [, scheme = "", anyName = "", host = ""] = /^(https?:\/\/)(\*\.)?([^/?#@*\s]+)\/?$/i.exec(entry) ?? [];
  const url = entry.length > longestOrigin ? null : URL.parse(`${scheme}${host}`);
  if (host === "" || !url) {
    const shown = entry === "" ? "An empty line" : `"${entry.slice(0, longestOrigin)}"`;
    throw invalidField("allowed_origins", `${shown} is not an origin: write only the scheme and the host, ${example}.`);
  }
  return url.origin.replace("://", `://${anyName}`);
}

/**
 * Whether a page may send. `sent` is the header Origin, or Referer. Undefined if the sender is not a page, so origins
 * do not apply.
 */
export function allowsOrigin(allowed: readonly string[], sent: string | undefined): boolean {
  if (allowed.length === 0 || sent === undefined) return true;
  const origin = URL.parse(sent)?.origin;
  return origin !== undefined && allowed.some((entry) => isOf(entry, origin));
}

function isOf(entry: string, origin: string): boolean {
  const [scheme = "", below] = entry.split("*");
  if (below === undefined) return entry === origin;
  return origin.startsWith(scheme) && origin.endsWith(below) && origin.length > scheme.length + below.length;
}
