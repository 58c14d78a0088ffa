import {
  CreateProjectRequestSchema,
  CreateProjectResponseSchema,
  DeleteProjectRequestSchema,
  DeleteProjectResponseSchema,
  GetProjectRequestSchema,
  GetProjectResponseSchema,
  ListDeletedProjectsRequestSchema,
  ListDeletedProjectsResponseSchema,
  ListProjectsRequestSchema,
  ListProjectsResponseSchema,
  RemoveDeletedProjectRequestSchema,
  RemoveDeletedProjectResponseSchema,
  RestoreProjectRequestSchema,
  RestoreProjectResponseSchema,
  UpdateProjectRequestSchema,
  UpdateProjectResponseSchema,
} from "@faultline/proto";
import { core } from "#lib/server/core.ts";
import { json, message, projectProcedure, router, signedInProcedure } from "./procedures.ts";

export const projectRouter = router({
  list: signedInProcedure
    .input(message(ListProjectsRequestSchema))
    .query(async ({ ctx, input }) =>
      json(ListProjectsResponseSchema, await core.projects.listProjects(input, ctx.call)),
    ),
  // Asked by path, so it cannot start from projectProcedure.
  get: signedInProcedure
    .input(message(GetProjectRequestSchema))
    .query(async ({ ctx, input }) => json(GetProjectResponseSchema, await core.projects.getProject(input, ctx.call))),
  create: signedInProcedure
    .input(message(CreateProjectRequestSchema))
    .mutation(async ({ ctx, input }) =>
      json(CreateProjectResponseSchema, await core.projects.createProject(input, ctx.call)),
    ),
  update: projectProcedure(UpdateProjectRequestSchema).mutation(async ({ ctx, input }) =>
    json(UpdateProjectResponseSchema, await core.projects.updateProject(input, ctx.call)),
  ),
  delete: projectProcedure(DeleteProjectRequestSchema).mutation(async ({ ctx, input }) =>
    json(DeleteProjectResponseSchema, await core.projects.deleteProject(input, ctx.call)),
  ),
  restore: projectProcedure(RestoreProjectRequestSchema).mutation(async ({ ctx, input }) =>
    json(RestoreProjectResponseSchema, await core.projects.restoreProject(input, ctx.call)),
  ),
  remove: projectProcedure(RemoveDeletedProjectRequestSchema).mutation(async ({ ctx, input }) =>
    json(RemoveDeletedProjectResponseSchema, await core.projects.removeDeletedProject(input, ctx.call)),
  ),
  deleted: signedInProcedure
    .input(message(ListDeletedProjectsRequestSchema))
    .query(async ({ ctx, input }) =>
      json(ListDeletedProjectsResponseSchema, await core.projects.listDeletedProjects(input, ctx.call)),
    ),
});
