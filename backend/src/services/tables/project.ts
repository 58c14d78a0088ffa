import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestamp, ServiceError } from "@faultline/plugin";
import { type ProjectSchema, type Role, ErrorReason } from "@faultline/proto";
import { defineEntity, p, type InferEntity } from "@mikro-orm/core";

export const ProjectEntity = defineEntity({
  name: "Project",
  tableName: "project",
  properties: {
    id: p.integer().primary(),
    path: p.string(),
    name: p.string(),
    monitorEnabled: p.boolean(),
    createdAt: p.bigint("number"),
    /** The time of deletion. `path` is then a path that no project can have, and `deletedPath` is the former path. */
    deletedAt: p.bigint("number").nullable(),
    deletedPath: p.string().nullable(),
    /** Empty if frames and releases are not linked. */
    codeUrl: p.string().default(""),
    codeRoot: p.string().default(""),
  },
});
export type ProjectRow = InferEntity<typeof ProjectEntity>;

/** How long a deleted project can be restored. */
export const restorableMs = 7 * 24 * 3_600_000;

/** `capabilities` are not in the row: they come from the backend and the caller's role. */
export function projectToProto(
  { project, role }: { readonly project: ProjectRow; readonly role: Role },
  capabilities: MessageInitShape<typeof ProjectSchema>["capabilities"],
): MessageInitShape<typeof ProjectSchema> {
  return {
    projectId: project.id,
    path: project.deletedPath ?? project.path,
    name: project.name,
    monitorEnabled: project.monitorEnabled,
    codeUrl: project.codeUrl,
    codeRoot: project.codeRoot,
    createdTime: timestamp(project.createdAt),
    role,
    ...(capabilities && { capabilities }),
    ...(project.deletedAt != null && { removalTime: timestamp(project.deletedAt + restorableMs) }),
  };
}

/** The refusal for a project that is missing, or hidden from the caller. */
export function projectNotFound(): ServiceError {
  return new ServiceError(
    ErrorReason.PROJECT_NOT_FOUND,
    "This project does not exist, or you do not have access to it.",
  );
}
