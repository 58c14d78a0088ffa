import type { ErrorStatus, GetProjectResponse } from "@faultline/proto";
import { CallError, reasonName } from "@faultline/proto/grpc";
import type { GrpcClient } from "../support/core/grpc.ts";

/** The system behind a world. */
export type WorldKind = "integrated" | "faultline" | "sentry";

/** A project with the errors of data.ts, as a caller of the service sees it. */
export interface World {
  readonly kind: WorldKind;
  readonly client: GrpcClient;
  readonly projectId: number;
  /** Another project of the same backend with a different error and event. */
  readonly other: { readonly projectId: number; readonly errorId: string; readonly eventId: string };
}

type Errors = GrpcClient["errors"];
type Request<Method extends keyof Errors> = Omit<Parameters<Errors[Method]>[0], "projectId" | "$typeName">;

/** The calls of the contract, about the project of a world. */
export class Project {
  readonly world: World;
  readonly #titles = new Map<string, string>();

  constructor(world: World) {
    this.world = world;
  }

  list(request: Request<"listErrors"> = {}) {
    return this.world.client.errors.listErrors({ ...this.#named, ...request }, this.#auth);
  }

  get(errorId: string) {
    return this.world.client.errors.getError({ ...this.#named, errorId }, this.#auth);
  }

  getMany(request: Request<"getErrors">) {
    return this.world.client.errors.getErrors({ ...this.#named, ...request }, this.#auth);
  }

  stats(request: Request<"getErrorStats">) {
    return this.world.client.errors.getErrorStats({ ...this.#named, ...request }, this.#auth);
  }

  breakdown(errorId: string) {
    return this.world.client.errors.getErrorBreakdown({ ...this.#named, errorId }, this.#auth);
  }

  update(changes: readonly (readonly [errorId: string, status: ErrorStatus])[]) {
    const asked = changes.map(([errorId, status]) => ({ errorId, status }));
    return this.world.client.errors.updateErrors({ ...this.#named, changes: asked }, this.#auth);
  }

  events(request: Request<"listEvents">) {
    return this.world.client.errors.listEvents({ ...this.#named, ...request }, this.#auth);
  }

  event(request: Request<"getEvent">) {
    return this.world.client.errors.getEvent({ ...this.#named, ...request }, this.#auth);
  }

  async capabilities(): Promise<NonNullable<NonNullable<GetProjectResponse["project"]>["capabilities"]> | undefined> {
    const key = { case: "projectId" as const, value: this.world.projectId };
    return (await this.world.client.projects.getProject({ key }, this.#auth)).project?.capabilities;
  }

  /** The id of an error by the beginning of its title, which is the same in every world. */
  async id(title: string): Promise<string> {
    if (this.#titles.size === 0) {
      const { errors } = await this.list({ pageSize: 100 });
      for (const error of errors) this.#titles.set(error.errorId, error.title);
    }
    for (const [id, known] of this.#titles) if (known.startsWith(title)) return id;
    throw new Error(`no error is called ${title}`);
  }

  get #named() {
    return { projectId: this.world.projectId };
  }

  get #auth() {
    return this.world.client.auth;
  }
}

/** The result of a call that may be refused: `read` of the answer, or the refusal's reason and field. */
export async function seen<Answer>(call: Promise<Answer>, read: (answer: Answer) => unknown): Promise<unknown> {
  const answer = await call.catch((thrown: unknown) => {
    if (thrown instanceof CallError) return thrown;
    throw thrown;
  });
  if (!(answer instanceof CallError)) return read(answer);
  const reason = reasonName(answer.reason);
  return answer.field === "" ? reason : `${reason} of ${answer.field}`;
}
