import type { DescMessage, DescMethod, MessageShape, MessageInitShape } from "@bufbuild/protobuf";
import { type Clock, timestamp, pageSizeOf, pageToken, readPageToken, type Handlers } from "@faultline/plugin";
import type {
  CreateProjectResponse,
  RegisterByInvitationResponse,
  ResetPasswordResponse,
  SignInResponse,
  AuditEventSchema,
  AuditService,
} from "@faultline/proto";
import { defineEntity, p, type InferEntity } from "@mikro-orm/core";
import type { EntityManager, MikroORM } from "@mikro-orm/sql";
import type { CoreCall } from "../access/guard.ts";
import { ProjectEntity } from "../tables/project.ts";
import { UserEntity } from "../tables/user.ts";
import { sentence } from "./sentence.ts";

const keptMs = 365 * 24 * 3_600_000;

type Response = MessageShape<DescMessage>;

/** Records who did which administrative act, and when. A record is written before the response is sent. */
export class AuditLog {
  readonly #orm: MikroORM;
  readonly #clock: Clock;

  constructor(orm: MikroORM, clock: Clock) {
    this.#orm = orm;
    this.#clock = clock;
  }

  /** Records an administrative act with the template of its sentence. An act without a sentence is not recorded. */
  async note(
    { method, template }: { method: DescMethod; template: string },
    request: MessageShape<DescMessage>,
    response: Response,
    { caller, grant }: Pick<CoreCall, "caller" | "grant">,
  ): Promise<void> {
    const summary = sentence(method, template, request, response).slice(0, 1000);
    if (summary === "") return;
    const em = this.#orm.em.fork();
    await em.insert(AuditEventEntity, {
      at: this.#clock.now(),
      ...(caller.user.username === ""
        ? await userIn(response, em)
        : { userId: caller.user.id, username: caller.user.username }),
      tokenId: caller.tokenId ?? 0,
      method: `${method.parent.name}.${method.name}`,
      ...(grant.project.id === 0
        ? await projectIn(response, em)
        : { projectId: grant.project.id, projectPath: grant.project.path }),
      summary,
    });
  }

  /** Deletes records older than a year. */
  async deleteExpired(now: number): Promise<void> {
    await this.#orm.em.fork().nativeDelete(AuditEventEntity, { at: { $lt: now - keptMs } });
  }
}

/** The user who acted, for a method that needs no token. */
async function userIn(response: Response, em: EntityManager): Promise<{ userId: number; username: string }> {
  if ("user" in response) {
    const { user } = response as unknown as SignInResponse | RegisterByInvitationResponse;
    return { userId: user?.userId ?? 0, username: user?.username ?? "" };
  }
  const { username = "" } = response as Partial<ResetPasswordResponse>;
  const row = await em.findOne(UserEntity, { username });
  return { userId: row?.id ?? 0, username };
}

/** The project of an act with no project in its request, such as the creation of a project. */
async function projectIn(response: Response, em: EntityManager): Promise<{ projectId: number; projectPath: string }> {
  if ("project" in response) {
    const { project } = response as unknown as CreateProjectResponse;
    return { projectId: project?.projectId ?? 0, projectPath: project?.path ?? "" };
  }
  const { projectPath = "" } = response as Partial<RegisterByInvitationResponse>;
  const row = projectPath === "" ? null : await em.findOne(ProjectEntity, { path: projectPath });
  return { projectId: row?.id ?? 0, projectPath };
}

export const AuditEventEntity = defineEntity({
  name: "AuditEvent",
  tableName: "audit_event",
  properties: {
    id: p.integer().primary(),
    at: p.bigint("number"),
    userId: p.integer(),
    username: p.string(),
    tokenId: p.integer(),
    method: p.string(),
    projectId: p.integer(),
    projectPath: p.string(),
    summary: p.text(),
  },
});
export type AuditEventRow = InferEntity<typeof AuditEventEntity>;

export function auditEventToProto(row: AuditEventRow): MessageInitShape<typeof AuditEventSchema> {
  return {
    auditEventId: BigInt(row.id),
    time: timestamp(row.at),
    userId: row.userId,
    username: row.username,
    method: row.method,
    projectId: row.projectId,
    projectPath: row.projectPath,
    summary: row.summary,
    tokenId: row.tokenId,
  };
}

export function auditService(orm: MikroORM): Handlers<typeof AuditService, CoreCall> {
  return {
    async listAuditEvents(request) {
      const { userId, projectId } = request;
      const list = `audit events ${userId} ${projectId}`;
      const place = readPageToken(list, request.pageToken, ["number"]);
      const size = pageSizeOf(request);
      const rows = await orm.em.fork().find(
        AuditEventEntity,
        {
          ...(userId !== 0 && { userId }),
          ...(projectId !== 0 && { projectId }),
          ...(place && { id: { $lt: place[0] } }),
        },
        { orderBy: { id: "desc" }, limit: size + 1 },
      );
      const page = rows.slice(0, size);
      const last = page.at(-1);
      return {
        auditEvents: page.map(auditEventToProto),
        nextPageToken: rows.length > size && last ? pageToken(list, [last.id]) : "",
      };
    },
  };
}
