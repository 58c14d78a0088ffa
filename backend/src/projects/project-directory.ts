import { ServiceError, type Capabilities, type ErrorBackend } from "@faultline/plugin";
import { ErrorReason, type Backend, type CapabilitySchema } from "@faultline/proto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { MikroORM } from "@mikro-orm/sql";
import { ProjectEntity, SettingsEntity, type ProjectRow, type SettingsRow } from "../database/entities.ts";

export const monitorOff = "Monitor is turned off for this project. A maintainer can turn it on in Settings > General.";
export const trackingOff =
  "Error tracking is not active in this project. A maintainer can turn it on in Settings > Monitor > Error Tracking.";

export const integratedNotOffered = "The integrated backend is offered on the hosted offering only.";

type Capability = MessageInitShape<typeof CapabilitySchema>;

/** Projects with their settings, and the backend that serves each. */
export class ProjectDirectory {
  readonly #orm: MikroORM;
  readonly #backends: ReadonlyMap<Backend, ErrorBackend>;
  readonly #integratedBackend: Capability;

  constructor(orm: MikroORM, backends: ReadonlyMap<Backend, ErrorBackend>, integratedOffered: boolean) {
    this.#orm = orm;
    this.#backends = backends;
    this.#integratedBackend = integratedOffered ? { allowed: true } : { allowed: false, reason: integratedNotOffered };
  }

  /** Refuses with PROJECT_NOT_FOUND; a project that is hidden from the caller looks the same. */
  async project(projectId: number): Promise<ProjectRow> {
    const found = await this.#orm.em.fork().findOne(ProjectEntity, { id: projectId });
    if (!found) throw projectNotFound();
    return found;
  }

  async settings(projectId: number): Promise<SettingsRow | null> {
    return this.#orm.em.fork().findOne(SettingsEntity, { id: projectId });
  }

  /** The backend of a project whose error tracking works; refuses in words where it does not. */
  async backend(projectId: number): Promise<ErrorBackend> {
    const project = await this.project(projectId);
    const settings = await this.settings(projectId);
    if (!project.monitorEnabled) throw new ServiceError(ErrorReason.MONITOR_DISABLED, monitorOff);
    const backend = settings?.active ? this.#backends.get(settings.backend) : undefined;
    if (!backend) throw new ServiceError(ErrorReason.ERROR_TRACKING_DISABLED, trackingOff);
    return backend;
  }

  /** What can be done with a project's errors now. */
  capabilities(project: ProjectRow, settings: SettingsRow | null): Capabilities {
    const backend = settings ? this.#backends.get(settings.backend) : undefined;
    const integratedBackend = this.#integratedBackend;
    if (!project.monitorEnabled) return { ...nothing(monitorOff, backend), integratedBackend };
    if (!settings?.active || !backend) return { ...nothing(trackingOff, backend), integratedBackend };
    return { ...backend.capabilities, integratedBackend };
  }
}

export function projectNotFound(): ServiceError {
  return new ServiceError(
    ErrorReason.PROJECT_NOT_FOUND,
    "This project does not exist, or you do not have access to it.",
  );
}

function nothing(reason: string, backend: ErrorBackend | undefined): Capabilities {
  const off = { allowed: false, reason };
  return {
    read: off,
    updateStatus: off,
    listEvents: off,
    affectedUsers: off,
    // Keys can be made before error tracking is on, as in the original.
    clientKeys: backend?.capabilities.clientKeys ?? { allowed: true },
    watch: off,
    releases: off,
    retentionDays: backend?.capabilities.retentionDays ?? 0,
  };
}
