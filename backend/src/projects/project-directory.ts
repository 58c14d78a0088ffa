import { ServiceError, type ErrorBackend } from "@faultline/plugin";
import { Backend, ErrorReason, type CapabilitiesSchema } from "@faultline/proto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { MikroORM } from "@mikro-orm/sql";
import { ProjectEntity, SettingsEntity, type ProjectRow, type SettingsRow } from "../database/entities.ts";

export const monitorOff = "Monitor is turned off for this project. A maintainer can turn it on in Settings > General.";
export const trackingOff =
  "Error tracking is not active in this project. A maintainer can turn it on in Settings > Monitor > Error Tracking.";

type Capabilities = MessageInitShape<typeof CapabilitiesSchema>;

/** Projects with their settings, and the backend that serves each. */
export class ProjectDirectory {
  readonly #orm: MikroORM;
  readonly #backends: ReadonlyMap<Backend, ErrorBackend>;

  constructor(orm: MikroORM, backends: ReadonlyMap<Backend, ErrorBackend>) {
    this.#orm = orm;
    this.#backends = backends;
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
    if (!project.monitorEnabled) return nothing(monitorOff, backend);
    if (!settings?.active || !backend) return nothing(trackingOff, backend);
    return backend.capabilities;
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
    retentionDays: backend?.capabilities.retentionDays ?? 0,
  };
}
