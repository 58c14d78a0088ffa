import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { Clock } from "@faultline/plugin";
import type { MikroORM } from "@mikro-orm/sql";
import type { CoreCall } from "../core.ts";
import { AuditEventEntity } from "../database/entities.ts";
import { audited } from "./audited.ts";

/** Writes down administrative acts: who did what, when. Written before the act is answered. */
export class AuditLog {
  readonly #orm: MikroORM;
  readonly #clock: Clock;

  constructor(orm: MikroORM, clock: Clock) {
    this.#orm = orm;
    this.#clock = clock;
  }

  /** Notes a call that was done, if its method is an administrative act. */
  async note(
    method: string,
    request: MessageShape<DescMessage>,
    response: MessageShape<DescMessage>,
    { caller, grant }: Pick<CoreCall, "caller" | "grant">,
  ): Promise<void> {
    const tell = audited[method];
    if (!tell) return;
    const { user, tokenId = 0 } = caller;
    await this.#orm.em.fork().insert(AuditEventEntity, {
      at: this.#clock.now(),
      userId: user.id,
      username: user.username,
      tokenId,
      method,
      projectId: grant.project.id,
      projectPath: grant.project.path,
      summary: tell(request, response).slice(0, 1000),
    });
  }
}
