import type { MessageInitShape } from "@bufbuild/protobuf";
import { invalidField, ServiceError, type Database, type Deprecations, type Log } from "@faultline/plugin";
import {
  Backend,
  ErrorReason,
  type OwnErrorReportingSchema,
  type UpdateOwnErrorReportingRequest,
} from "@faultline/proto";
import type { MikroORM } from "@mikro-orm/sql";
import { sql } from "kysely";
import type { ClientKeys } from "../client-keys/client-keys.ts";
import { OwnErrorReportingEntity, type OwnErrorReportingRow } from "../database/entities.ts";
import type { ProjectDirectory } from "../projects/project-directory.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { eventsRefused } from "../settings/integrated-offering.ts";
import { ownErrorReportingToProto } from "../to-proto.ts";
import { maskedDsn, readDsn, type Dsn } from "./dsn.ts";
import type { OwnErrors } from "./own-errors.ts";

/** The place the DSN is encrypted for, see KeyRing.encrypt. */
export const ownDsnPlace = "own_error_reporting:1:dsn";

const subject = "own error reporting";

const defaultEnvironment = "production";
const maxEnvironment = 64;
const maxVersion = 32;

/** Where the service reports its own failures, as administrators set it (specification 9.1). */
export class OwnErrorSettings {
  readonly #orm: MikroORM;
  readonly #database: Database;
  readonly #keyRing: KeyRing;
  readonly #projects: ProjectDirectory;
  readonly #clientKeys: ClientKeys;
  readonly #rules: Deprecations;
  readonly #ownErrors: OwnErrors;
  readonly #integratedOffered: boolean;
  readonly #log: Log;

  constructor(parts: {
    orm: MikroORM;
    database: Database;
    keyRing: KeyRing;
    projects: ProjectDirectory;
    clientKeys: ClientKeys;
    rules: Deprecations;
    ownErrors: OwnErrors;
    integratedOffered: boolean;
    log: Log;
  }) {
    this.#orm = parts.orm;
    this.#database = parts.database;
    this.#keyRing = parts.keyRing;
    this.#projects = parts.projects;
    this.#clientKeys = parts.clientKeys;
    this.#rules = parts.rules;
    this.#ownErrors = parts.ownErrors;
    this.#integratedOffered = parts.integratedOffered;
    this.#log = parts.log;
    // What fails here is done by the next look at the stored settings.
    this.#database.announcements.hear(subject, () => void this.apply().catch(() => undefined));
  }

  /** Sends reports where the stored settings say. Called at the start and after each change. */
  async apply(): Promise<void> {
    const row = await this.#row();
    const dsn = this.#dsnOf(row);
    // A release of the platform may have dropped a version that it took before.
    const isSupported = row.externalVersion === "" || this.#verdict(row.externalVersion).isSupported;
    this.#ownErrors.sendTo(row.enabled && dsn && isSupported ? { dsn, environment: row.environment } : undefined);
  }

  async read(): Promise<MessageInitShape<typeof OwnErrorReportingSchema>> {
    const row = await this.#row();
    const dsn = this.#dsnOf(row);
    return ownErrorReportingToProto(row, {
      dsn: dsn ? maskedDsn(dsn) : "",
      externalVersionNotice: row.externalVersion === "" ? "" : this.#verdict(row.externalVersion).notice,
      suggested: await this.#suggestedProject(),
      counts: this.#ownErrors.counts,
    });
  }

  async update(request: UpdateOwnErrorReportingRequest): Promise<void> {
    const ownDsn = await this.#ownDsn(request);
    await this.#orm.em.fork().transactional(async (em) => {
      const stored = await em.findOne(OwnErrorReportingEntity, { id: 1 });
      this.#change(stored ?? em.create(OwnErrorReportingEntity, blank()), { ...request, ...ownDsn });
    });
    this.#database.announcements.tell(subject, "");
    await this.apply();
  }

  #change(row: OwnErrorReportingRow, request: UpdateOwnErrorReportingRequest): void {
    const { enabled, dsn, environment, externalVersion } = request;
    const stored = this.#dsnOf(row);
    // The masked DSN that was read may come back with a form; it means no change.
    if (dsn !== undefined && !(stored && dsn === maskedDsn(stored))) {
      if (dsn !== "") readDsn(dsn);
      row.dsn = dsn === "" ? null : this.#keyRing.encrypt(ownDsnPlace, dsn);
      if (dsn === "") row.enabled = false;
    }
    if (environment !== undefined) row.environment = checkedEnvironment(environment);
    if (externalVersion !== undefined) row.externalVersion = this.#checkedVersion(externalVersion);
    if (enabled !== undefined) row.enabled = enabled;
    if (row.enabled && row.dsn === null) {
      throw invalidField("enabled", "There is no DSN to report to. Give one, or the project whose DSN is to be taken.");
    }
  }

  /** The fields that `project_id` stands for. Faultline itself has no version that could be too old. */
  async #ownDsn({ projectId, dsn, externalVersion }: UpdateOwnErrorReportingRequest) {
    if (projectId === undefined) return {};
    if (dsn !== undefined) throw invalidField("project_id", "Give a DSN or a project, not both.");
    if (projectId === 0) throw invalidField("project_id", "Give the number of a project of this installation.");
    await this.#projects.project(projectId);
    if (!this.#integratedOffered) throw eventsRefused("project_id");
    await this.#clientKeys.ensureOne(projectId);
    const newest = await this.#clientKeys.newest(projectId);
    return { dsn: newest?.dsn ?? "", externalVersion: externalVersion ?? "" };
  }

  #checkedVersion(text: string): string {
    const version = text.trim();
    if (version === "") return "";
    if (version.length > maxVersion) throw invalidField("external_version", "A version looks like 24.1.0.");
    const { isSupported, notice } = this.#verdict(version);
    if (isSupported) return version;
    throw new ServiceError(ErrorReason.EXTERNAL_VERSION_UNSUPPORTED, notice, { field: "external_version" });
  }

  #verdict(version: string): ReturnType<Deprecations["externalVersion"]> {
    try {
      return this.#rules.externalVersion(version);
    } catch (error) {
      const { reason, message } = ServiceError.from(error);
      throw new ServiceError(reason, message, { field: "external_version", cause: error });
    }
  }

  /** The stored DSN. One that cannot be read is as good as none: the service starts, and a new one can be set. */
  #dsnOf({ dsn }: { dsn?: string | null | undefined }): Dsn | undefined {
    if (dsn === null || dsn === undefined) return undefined;
    try {
      return readDsn(this.#keyRing.decrypt(ownDsnPlace, dsn));
    } catch (error) {
      this.#log.warn({ err: error }, "the stored DSN for the service's own failures cannot be read");
      return undefined;
    }
  }

  async #row() {
    return (await this.#orm.em.fork().findOne(OwnErrorReportingEntity, { id: 1 })) ?? blank();
  }

  /** The first project that takes events, else the first of all; none where no project can take events. */
  async #suggestedProject(): Promise<{ id: number; path: string } | undefined> {
    if (!this.#integratedOffered) return undefined;
    const { rows } = await sql<{ id: number; path: string }>`
      select project.id, project.path from project left join settings on settings.id = project.id
      where project.deleted_at is null
      order by case when project.monitor_enabled and settings.active and settings.backend = ${Backend.INTEGRATED}
        then 0 else 1 end, project.id
      limit 1`.execute(this.#database.read());
    return rows[0];
  }
}

function blank() {
  return { id: 1, enabled: false, dsn: null, environment: defaultEnvironment, externalVersion: "" };
}

function checkedEnvironment(text: string): string {
  const environment = text.trim();
  if (environment.length > maxEnvironment || /[\p{Cc}/]/u.test(environment)) {
    throw invalidField(
      "environment",
      `An environment has at most ${maxEnvironment} characters, and no / or line break.`,
    );
  }
  return environment || defaultEnvironment;
}
