import type { DescMessage, DescMethod, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { ParameterFault, type RestAnswer, type RestOperation, type Sent } from "@faultline/plugin/rest";
import type { Project } from "@faultline/proto";
import { withFlags } from "./derived/names.ts";
import { CommandFault } from "./output.ts";
import type { Service } from "./service.ts";

/** All operations of REST. They load the plugins, which commands about the core do not need. */
export const restOperations = async (): Promise<readonly RestOperation[]> =>
  (await import("../built-in.ts")).restOperations();

/** Finds an operation of a plugin by its id. Commands import the operations of the core. */
export async function operationNamed(id: string): Promise<RestOperation> {
  const found = (await restOperations()).find((one) => one.id === id);
  if (!found) throw new Error(`There is no operation ${id}.`);
  return found;
}

/** The names in a call of an operation, and its parameters, which may be text like in a query. */
export interface Given {
  readonly project?: (Pick<Project, "projectId" | "path"> & Partial<Project>) | undefined;
  readonly path?: Readonly<Record<string, string>>;
  readonly sent?: Sent;
}

/** The parts of a REST operation that a call over gRPC needs. */
export type Callable = Pick<RestOperation, "id" | "run"> & { readonly method: DescMethod };

type Request = MessageInitShape<DescMessage>;
type Response = MessageShape<DescMessage>;

/**
 * Runs an operation of REST here, with its calls over gRPC. It reads the same parameters and answers with the same body
 * as over HTTP. `invoke` calls its method in another way.
 */
export async function call(
  service: Service,
  operation: Callable,
  { project, path = {}, sent = {} }: Given = {},
  invoke: (request: Request) => Promise<Response> = (request) => service.invoke(operation.method, request),
): Promise<RestAnswer> {
  const parts = Object.fromEntries(Object.entries(path).map(([name, part]) => [name, encodeURIComponent(part)]));
  const admitted = { project: project && { id: project.projectId, path: project.path }, invoke };
  try {
    const { host, context } = service;
    const address = { origin: "", target: "/" };
    const answer = await operation.run({ host, call: context(), admitted, path: parts, sent, address });
    return answer.json === undefined ? answer : { ...answer, body: JSON.parse(answer.json) as unknown };
  } catch (error) {
    throw error instanceof ParameterFault ? new CommandFault(`${withFlags(error.message, operation.id)}.`) : error;
  }
}

/** The same, but returns only the body. */
export const bodyOf = async (service: Service, operation: Callable, given?: Given): Promise<unknown> =>
  (await call(service, operation, given)).body;

/** A response of gRPC in the form of an operation with the same answer. */
export async function written(service: Service, operation: Callable, response: object): Promise<unknown> {
  const given = { project: { projectId: 0, path: "" } };
  return (await call(service, operation, given, () => Promise.resolve(response as Response))).body; // of its method
}
