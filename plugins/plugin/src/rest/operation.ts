import type { DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import type { AdmittedProject, AdmittedRequest, Call } from "../core.ts";
import type { Host } from "../host/host.ts";
import type { Answer, RestAnswer } from "./answer.ts";
import type { Address } from "./pages.ts";
import { readParameters, type Parameters, type Sent, type Values } from "./parameter.ts";

export type Verb = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Refusals that only some operations have. */
export type OwnRefusal = 404 | 409 | 422 | 429;

/** A call as the bridge has read it, after the guard has admitted it. */
export interface ReadCall {
  readonly host: Pick<Host, "core" | "clock" | "deprecations">;
  readonly call: Call;
  readonly admitted: AdmittedRequest;
  /** The path segments that the route names, with their percent-encoding. */
  readonly path: Readonly<Record<string, string>>;
  readonly sent: Sent;
  /** The address of the call. */
  readonly address: Address;
}

/** An operation of the REST API below /api/v4, made by `operation`. */
export interface RestOperation {
  /** Its options say who may use the operation and what the audit log records. */
  readonly method: DescMethodUnary;
  readonly verb: Verb;
  /** In it `:name` stands for one part. `:project` is the id or the path of a project. */
  readonly path: string;
  /** Its name in the document, unique. */
  readonly id: string;
  /** The heading it stands under. */
  readonly tag: string;
  readonly summary: string;
  /** More than the summary says. */
  readonly more?: string;
  readonly inPath: Parameters;
  readonly params: Parameters;
  /** Sets of parameters of which a call gives at least one whole, beside those that are required; empty: none. */
  readonly oneOf: readonly (readonly string[])[];
  readonly answer: Pick<Answer<never>, "status" | "description" | "schema" | "pages" | "headers">;
  readonly refuses: readonly OwnRefusal[];
  run(call: ReadCall): Promise<RestAnswer>;
}

type ProjectIn<Path extends string> = Path extends `${string}/:project${"" | `/${string}`}`
  ? AdmittedProject
  : undefined;

/** The arguments of an operation's code. */
export interface RestCall<M extends DescMethodUnary, Project, InPath, Params> extends Pick<
  ReadCall,
  "host" | "call" | "sent" | "address"
> {
  /** The project that the path names. */
  readonly project: Project;
  readonly path: InPath;
  readonly params: Params;
  /** Calls the operation's method, which the guard has admitted; the path fills in a `project_id`. */
  invoke(request: MessageInitShape<M["input"]>): Promise<MessageShape<M["output"]>>;
}

/**
 * Defines an operation over a method of a service: the route, the words of the document, the parameters, the shape of the
 * answer and the code between them. The rights follow from the method.
 */
export function operation<
  M extends DescMethodUnary,
  Path extends string,
  Result,
  InPath extends Parameters = Record<never, never>,
  Params extends Parameters = Record<never, never>,
>(
  method: M,
  route: `${Verb} ${Path}`,
  definition: {
    /** Absent: the name of the method. */
    readonly id?: string;
    readonly tag: string;
    readonly summary: string;
    readonly more?: string;
    readonly path?: InPath;
    readonly params?: Params;
    /** See RestOperation; the method refuses a call without one. */
    readonly oneOf?: readonly (readonly (keyof Params & string)[])[];
    readonly answer: Answer<Result, Values<Params>>;
    readonly refuses?: readonly OwnRefusal[];
    run(call: RestCall<M, ProjectIn<Path>, Values<InPath>, Values<Params>>): Promise<Result>;
  },
): RestOperation {
  const [verb, path] = route.split(" ") as [Verb, Path]; // as its type says
  const {
    id = method.localName,
    path: inPath = {} as InPath,
    params = {} as Params,
    oneOf = [],
    refuses = [],
  } = definition;
  const { tag, summary, more, answer, run } = definition;
  const hasProject = method.input.field["projectId"] !== undefined;
  return {
    method,
    verb,
    path,
    id,
    tag,
    summary,
    ...(more !== undefined && { more }),
    inPath,
    params,
    oneOf,
    answer,
    refuses,
    async run({ host, call, admitted, path: parts, sent, address }) {
      const { project } = admitted;
      const named = readParameters(inPath, parts); // before the parameters: a missing resource has none
      const read = readParameters(params, sent);
      const invoke = (request: MessageInitShape<M["input"]>) =>
        admitted.invoke(project && hasProject ? { projectId: project.id, ...request } : request);
      const result = await run({
        host,
        call,
        sent,
        address,
        project: project as ProjectIn<Path>, // there is one where the path has it
        path: named,
        params: read,
        invoke: invoke as RestCall<M, unknown, unknown, unknown>["invoke"], // of the same method
      });
      return answer.write(result, { params: read, address });
    },
  };
}

/** A part of a response that is always present. Throws where it is absent. */
export function present<Part>(found: Part | undefined): Part {
  if (found === undefined) throw new Error("A response lacks a part that it always has.");
  return found;
}
