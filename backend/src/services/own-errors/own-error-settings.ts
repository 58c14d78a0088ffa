import type { VersionStanding } from "../../host/own-errors/version-standing.ts";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { invalidField, ServiceError, type Database, type Deprecations, type Log } from "@faultline/plugin";
import {
  Backend,
  ErrorReason,
  ExternalVersionSource,
  type OwnErrorReportingSchema,
  type UpdateOwnErrorReportingRequest,
} from "@faultline/proto";
import type { MikroORM } from "@mikro-orm/sql";
import { sql } from "kysely";
import type { ClientKeys } from "../client-keys/client-keys.ts";
import { OwnErrorReportingEntity, ownErrorReportingToProto, type OwnErrorReportingRow } from "./own-error-reporting.ts";
import type { ProjectDirectory } from "../projects/project-directory.ts";
import { ownDsnPlace } from "../../storage/secrets/encrypted-columns.ts";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";
import { eventsRefused } from "../instance/integrated-offering.ts";
import { maskedDsn, readDsn, type Dsn } from "../../host/own-errors/dsn.ts";
import type { ExternalSystem } from "../../host/own-errors/external-system.ts";
import type { OwnErrors } from "../../host/own-errors/own-errors.ts";

const subject = "own error reporting";

const defaultEnvironment = "production";
const maxEnvironment = 64;
const maxVersion = 32;

/** The maximum age of a system's reported version, so that an upgrade is noticed without a save. */
const fresh = { toSave: 0, toRead: 10_000, toReport: 600_000 };

type Fields = Pick<OwnErrorReportingRow, "enabled" | "dsn" | "environment" | "externalVersion">;

/** The settings for reports of the service's own failures, which administrators change (specification 9.1). */
export class OwnErrorSettings {
  readonly #orm: MikroORM;
  readonly #database: Database;
  readonly #keyRing: KeyRing;
  readonly #projects: ProjectDirectory;
  readonly #clientKeys: ClientKeys;
  readonly #rules: Deprecations;
  readonly #ownErrors: OwnErrors;
  readonly #integratedOffered: boolean;
  readonly #externalSystem: ExternalSystem;
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
    externalSystem: ExternalSystem;
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
    this.#externalSystem = parts.externalSystem;
    this.#log = parts.log;
    // After a failure here, the next check of the stored settings applies them.
    this.#database.announcements.subscribe(subject, () => void this.apply().catch(() => undefined));
  }

  /** Applies the stored settings. Called at the start and after each change. */
  async apply(): Promise<void> {
    const row = await this.#row();
    const dsn = this.#dsnOf(row);
    // Checked for each report: a later release of the platform may drop a version, and the system may be upgraded.
    const isSupported = async () => (await this.#versionOf(row, fresh.toReport)).isSupported;
    this.#ownErrors.sendTo(row.enabled && dsn ? { dsn, environment: row.environment, isSupported } : undefined);
  }

  async read(): Promise<MessageInitShape<typeof OwnErrorReportingSchema>> {
    const row = await this.#row();
    const dsn = this.#dsnOf(row);
    return ownErrorReportingToProto(row, {
      dsn: dsn ? maskedDsn(dsn) : "",
      version: await this.#versionOf(row, fresh.toRead),
      suggested: await this.#suggestedProject(),
      counts: this.#ownErrors.counts,
    });
  }

  /** Asks the external system first, for three seconds at most, and refuses a version that the platform has dropped. */
  async update(request: UpdateOwnErrorReportingRequest): Promise<void> {
    const change = { ...request, ...(await this.#ownDsn(request)) };
    const stored = await this.#row();
    const wanted = this.#changed(stored, change);
    const isOther = wanted.dsn !== null && wanted.dsn !== stored.dsn;
    // Reporting can be turned off, and the DSN removed, with any version.
    if (wanted.enabled || isOther || wanted.externalVersion !== stored.externalVersion) {
      await this.#refuseUnsupported(wanted);
    }
    await this.#orm.em.fork().transactional(async (em) => {
      const row = (await em.findOne(OwnErrorReportingEntity, { id: 1 })) ?? em.create(OwnErrorReportingEntity, blank());
      Object.assign(row, this.#changed(row, change));
    });
    this.#database.announcements.announce(subject, "");
    await this.apply();
  }

  /** The fields of a row after a change; refuses values that cannot work. */
  #changed(row: Fields, request: UpdateOwnErrorReportingRequest): Fields {
    const { enabled, dsn, environment, externalVersion } = request;
    const stored = this.#dsnOf(row);
    const changed = {
      enabled: row.enabled,
      dsn: row.dsn ?? null,
      environment: row.environment,
      externalVersion: row.externalVersion,
    };
    // A form may send back the masked DSN; it means no change.
    if (dsn !== undefined && !(stored && dsn === maskedDsn(stored))) {
      if (dsn !== "") readDsn(dsn);
      changed.dsn = dsn === "" ? null : this.#keyRing.encrypt(ownDsnPlace, dsn);
      if (dsn === "") changed.enabled = false;
    }
    if (environment !== undefined) changed.environment = checkedEnvironment(environment);
    if (externalVersion !== undefined) changed.externalVersion = this.#checkedVersion(externalVersion);
    if (enabled !== undefined) changed.enabled = enabled;
    if (changed.enabled && changed.dsn === null) {
      throw invalidField("enabled", "There is no DSN to report to. Enter a DSN, or choose a project.");
    }
    return changed;
  }

  /** The fields set by `project_id`. Faultline has no version that could be too old. */
  async #ownDsn({ projectId, dsn, externalVersion }: UpdateOwnErrorReportingRequest) {
    if (projectId === undefined) return {};
    if (dsn !== undefined) throw invalidField("project_id", "Enter a DSN or choose a project, not both.");
    if (projectId === 0) throw invalidField("project_id", "Enter the ID of a project of this installation.");
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
    try {
      this.#rules.externalVersion(version);
    } catch (error) {
      const { reason, message } = ServiceError.from(error);
      throw new ServiceError(reason, message, { field: "external_version", cause: error });
    }
    return version;
  }

  async #refuseUnsupported(row: Fields): Promise<void> {
    const { isSupported, notice, asked } = await this.#versionOf(row, fresh.toSave);
    if (isSupported) return;
    const isOverruled = asked !== "" && row.externalVersion !== "" && row.externalVersion !== asked;
    const why = isOverruled ? ` It reports this version itself, so ${row.externalVersion} is ignored.` : "";
    throw new ServiceError(ErrorReason.EXTERNAL_VERSION_UNSUPPORTED, notice + why, { field: "external_version" });
  }

  /**
   * The applicable version: the system's own report, otherwise the administrator's entry. ExternalSystem.says explains
   * `freshMs`.
   */
  async #versionOf(row: Fields, freshMs: number): Promise<VersionStanding> {
    const typed = row.externalVersion === "" ? undefined : row.externalVersion;
    const dsn = this.#dsnOf(row);
    if (dsn === undefined && typed === undefined) return concernsNobody(ExternalVersionSource.UNSPECIFIED);
    if (dsn !== undefined && (await this.#clientKeys.has(dsn.publicKey))) {
      return concernsNobody(ExternalVersionSource.EXEMPT);
    }
    const said = await (dsn && this.#externalSystem.says(dsn, freshMs));
    if (said?.kind === "exempt") return concernsNobody(ExternalVersionSource.EXEMPT);
    if (said?.kind === "version") {
      return { source: ExternalVersionSource.ASKED, asked: said.version, ...this.#rules.externalVersion(said.version) };
    }
    const source = typed === undefined ? ExternalVersionSource.UNKNOWN : ExternalVersionSource.TYPED;
    return { source, asked: "", ...this.#rules.externalVersion(typed) };
  }

  /** The stored DSN. An unreadable DSN counts as none: the service starts, and a new DSN can be set. */
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

  /**
   * The first project that accepts events, otherwise the first of all. Undefined without projects, or if the integrated
   * backend is not offered.
   */
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

function concernsNobody(source: ExternalVersionSource): VersionStanding {
  return { source, asked: "", isSupported: true, notice: "" };
}

function blank() {
  return { id: 1, enabled: false, dsn: null, environment: defaultEnvironment, externalVersion: "" };
}

function checkedEnvironment(text: string): string {
  const environment = text.trim();
  if (environment.length > maxEnvironment || /[\p{Cc}/]/u.test(environment)) {
    throw invalidField(
      "environment",
      `An environment has at most ${maxEnvironment} characters and no / or line break.`,
    );
  }
  return environment || defaultEnvironment;
}
