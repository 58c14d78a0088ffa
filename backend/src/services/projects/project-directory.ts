import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  ServiceError,
  type BackendCall,
  type Capabilities,
  type ErrorBackend,
  type ShowEvent,
} from "@faultline/plugin";
import { Backend, ErrorReason, Permission, type CapabilitySchema } from "@faultline/proto";
import type { MikroORM } from "@mikro-orm/sql";
import type { KeyRing } from "../../storage/secrets/key-ring.ts";
import type { AccessMemory } from "../access/access-memory.ts";
import type { Grant } from "../access/grants.ts";
import { needsRole } from "../access/roles.ts";
import { linkedBackend } from "../code-links/linked-backend.ts";
import { externalLink } from "./external-project.ts";
import { integratedNotOffered, noEventsTaken } from "../instance/integrated-offering.ts";
import { SettingsEntity, type SettingsRow } from "../tables/settings.ts";
import { projectNotFound, ProjectEntity, type ProjectRow } from "../tables/project.ts";

export const monitorOff = "Monitor is turned off for this project. A maintainer can turn it on in Settings > General.";
export const trackingOff =
  "Error tracking is not active in this project. A maintainer can turn it on in Settings > Monitor > Error Tracking.";

type Capability = MessageInitShape<typeof CapabilitySchema>;

/** Projects with their settings, and their backends. */
export class ProjectDirectory {
  readonly #orm: MikroORM;
  readonly #memory: AccessMemory;
  readonly #backends: ReadonlyMap<Backend, ErrorBackend>;
  readonly #keyRing: KeyRing;
  readonly #integratedOffered: boolean;
  readonly #show: readonly ShowEvent[];

  constructor(parts: {
    orm: MikroORM;
    memory: AccessMemory;
    keyRing: KeyRing;
    backends: ReadonlyMap<Backend, ErrorBackend>;
    integratedOffered: boolean;
    show: readonly ShowEvent[];
  }) {
    this.#orm = parts.orm;
    this.#memory = parts.memory;
    this.#keyRing = parts.keyRing;
    this.#backends = parts.backends;
    this.#integratedOffered = parts.integratedOffered;
    this.#show = parts.show;
  }

  /** The row of a project. Refuses with PROJECT_NOT_FOUND, also if the project is hidden from the caller. */
  async project(projectId: number): Promise<ProjectRow> {
    const found = await this.#orm.em.fork().findOne(ProjectEntity, { id: projectId, deletedAt: null });
    if (!found) throw projectNotFound();
    return found;
  }

  async settings(projectId: number): Promise<SettingsRow | null> {
    return this.#orm.em.fork().findOne(SettingsEntity, { id: projectId });
  }

  /**
   * The backend of a project with working error tracking, with the context of a call to it. Otherwise refuses with a
   * sentence.
   */
  async backend(
    project: ProjectRow,
    carried: Pick<BackendCall, "userId" | "username" | "signal"> = {},
  ): Promise<readonly [ErrorBackend, BackendCall]> {
    const settings = await this.#memory.remembered(`settings ${project.id}`, () => this.settings(project.id));
    if (!project.monitorEnabled) throw new ServiceError(ErrorReason.MONITOR_DISABLED, monitorOff);
    const backend = settings?.active ? this.#backends.get(settings.backend) : undefined;
    if (!settings || !backend) throw new ServiceError(ErrorReason.ERROR_TRACKING_DISABLED, trackingOff);
    if (backend.kind !== Backend.EXTERNAL) return [linkedBackend(backend, project, this.#show), carried];
    return [linkedBackend(backend, project), { ...carried, link: externalLink(settings, this.#keyRing) }];
  }

  /**
   * The current capabilities of a caller in a project, limited first by backend and settings, then by the caller's
   * role.
   */
  capabilities({ project, permissions }: Grant, settings: SettingsRow | null): Capabilities {
    const may = (permission: Permission, otherwise: Capability = { allowed: true }): Capability =>
      permissions.has(permission) ? otherwise : { allowed: false, reason: needsRole(permission, project.path) };
    const { READ_ERROR_TRACKING, UPDATE_ERROR_TRACKING, ADMIN_ERROR_TRACKING } = Permission;
    const can = this.#backendCapabilities(project, settings);
    return {
      ...can,
      read: may(READ_ERROR_TRACKING, can.read),
      updateStatus: may(UPDATE_ERROR_TRACKING, can.updateStatus),
      listEvents: may(READ_ERROR_TRACKING, can.listEvents),
      affectedUsers: may(READ_ERROR_TRACKING, can.affectedUsers),
      watch: may(READ_ERROR_TRACKING, can.watch),
      releases: may(READ_ERROR_TRACKING, can.releases),
      feedback: may(READ_ERROR_TRACKING, can.feedback),
      explainGrouping: may(READ_ERROR_TRACKING, can.explainGrouping),
      updateMatching: may(UPDATE_ERROR_TRACKING, can.updateMatching),
      deleteErrors: may(ADMIN_ERROR_TRACKING, can.deleteErrors),
      clientKeys: may(ADMIN_ERROR_TRACKING, this.#whereOffered(noEventsTaken, can.clientKeys)),
      integratedBackend: this.#whereOffered(integratedNotOffered),
      adminErrorTracking: may(ADMIN_ERROR_TRACKING),
      adminProject: may(Permission.ADMIN_PROJECT),
      adminMembers: may(Permission.ADMIN_MEMBERS),
      removeProject: may(Permission.REMOVE_PROJECT),
    };
  }

  /** Denies a capability of the integrated backend if that backend is not offered. */
  #whereOffered(reason: string, capability: Capability = { allowed: true }): Capability {
    return this.#integratedOffered || capability.allowed === false ? capability : { allowed: false, reason };
  }

  #backendCapabilities(project: ProjectRow, settings: SettingsRow | null): Capabilities {
    const backend = settings ? this.#backends.get(settings.backend) : undefined;
    if (!project.monitorEnabled) return nothing(monitorOff, backend);
    if (!settings?.active || !backend) return nothing(trackingOff, backend);
    return backend.capabilities;
  }
}

function nothing(reason: string, backend: ErrorBackend | undefined): Capabilities {
  const off = { allowed: false, reason };
  return {
    read: off,
    updateStatus: off,
    listEvents: off,
    affectedUsers: off,
    // Like the original, allows creating keys before error tracking is on.
    clientKeys: backend?.capabilities.clientKeys ?? { allowed: true },
    watch: off,
    releases: off,
    feedback: off,
    explainGrouping: off,
    updateMatching: off,
    deleteErrors: off,
    retentionDays: backend?.capabilities.retentionDays ?? 0,
  };
}
