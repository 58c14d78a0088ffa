import {
  ScalarType,
  type DescField,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import type { AdmittedProject, AdmittedRequest, Call } from "../core.ts";
import type { Host } from "../host/host.ts";
import type { Answer, RestAnswer } from "./answer.ts";
import type { FieldOf } from "./body.ts";
import { byCursor, cursorOf, numbered, pageOf, type Address } from "./pages.ts";
import { readParameters, type Parameters, type Sent, type Values } from "./parameter.ts";
import { paramsOf, requestOf } from "./request.ts";

export type Verb = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Refusals that only some operations have. */
export type OwnRefusal = 404 | 409 | 422 | 429;

/** A call that the bridge has read and the guard has admitted. */
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
  /** `:name` stands for one segment. `:project` is the id or the path of a project. */
  readonly path: string;
  /** Its name in the document, unique. */
  readonly id: string;
  /** Its heading in the document. */
  readonly tag: string;
  readonly summary: string;
  /** Further sentences of its description. */
  readonly more?: string;
  readonly inPath: Parameters;
  readonly params: Parameters;
  /** Sets of parameters. A call must give at least one complete set, in addition to the required parameters. */
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
  /** Calls the operation's method, which the guard has admitted. The path fills in a `project_id`. */
  invoke(request: MessageInitShape<M["input"]>): Promise<MessageShape<M["output"]>>;
}

/** An operation without its code. */
interface Definition<Path extends Parameters, Params extends Parameters, A> {
  /** The name of the method if undefined. */
  readonly id?: string;
  readonly tag: string;
  readonly summary: string;
  readonly more?: string;
  readonly path?: Path;
  readonly params?: Params;
  /** See RestOperation. The method refuses a call without such a set. */
  readonly oneOf?: readonly (readonly (keyof Params & string)[])[];
  readonly answer: A;
  readonly refuses?: readonly OwnRefusal[];
}

/** An operation that only gives its method another address. */
interface DerivedDefinition<M extends DescMethodUnary> extends Definition<
  Parameters,
  Parameters,
  Answer<never, never>
> {
  readonly run?: never;
  /** The fields of the request that have the same value in every call. */
  readonly fixed?: MessageInitShape<M["input"]>;
  /**
   * The message field of the request that the path and the parameters fill in. If undefined, they fill in the request.
   */
  readonly into?: FieldOf<M["input"]>;
}

/**
 * Defines an operation over a method of a service: the route, the words of the document, and the differences from the
 * method. Without `params`, the parameters are the fields of the request, and the parameters of a page if the method
 * has pages. Without `run`, the path and the parameters fill in the request, and the answer takes its part of the
 * response; the answer must then be derived from a message (`bodyOf`). The rights follow from the method.
 */
export function operation<M extends DescMethodUnary>(
  method: M,
  route: `${Verb} ${string}`,
  definition: DerivedDefinition<M>,
): RestOperation;
export function operation<
  M extends DescMethodUnary,
  Path extends string,
  Result,
  InPath extends Parameters = Record<never, never>,
  Params extends Parameters = Record<never, never>,
>(
  method: M,
  route: `${Verb} ${Path}`,
  definition: Definition<InPath, Params, Answer<Result, Values<Params>>> & {
    run(call: RestCall<M, ProjectIn<Path>, Values<InPath>, Values<Params>>): Promise<Result>;
  },
): RestOperation;
export function operation(
  method: DescMethodUnary,
  route: `${Verb} ${string}`,
  definition:
    DerivedDefinition<DescMethodUnary> | (Omit<DerivedDefinition<DescMethodUnary>, "run"> & { readonly run: Run }),
): RestOperation {
  const [verb, path] = route.split(" ") as [Verb, string]; // guaranteed by its type
  const { id = method.localName, path: inPath = {}, oneOf = [], refuses = [] } = definition;
  const { tag, summary, more, answer } = definition;
  const { params, run } = definition.run
    ? { params: definition.params ?? {}, run: definition.run }
    : derived(method, inPath, definition);
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
      const named = readParameters(inPath, parts); // before the parameters, because a missing resource has none
      const read = readParameters(params, sent);
      const invoke = (request: Record<string, unknown>) =>
        admitted.invoke({ ...projectOf(method, project), ...request });
      const parsed = { host, call, sent, address, project, path: named, params: read, invoke };
      const result = await run(parsed as never); // the definition's type guarantees this, and the result
      return answer.write(result as never, { params: read as never, address });
    },
  };
}

type Run = (call: never) => Promise<unknown>;

/** The field of a request that names its project, if the path names a project. */
function projectOf({ input }: DescMethodUnary, project: AdmittedProject | undefined): Record<string, unknown> {
  const field = input.field["projectId"];
  if (!project || !field) return {};
  const { oneof } = field;
  return oneof ? { [oneof.localName]: { case: field.localName, value: project.id } } : { projectId: project.id };
}

/** The parameters and the code of a derived operation. Throws if the path or the answer does not fit. */
function derived(
  { input, output }: DescMethodUnary,
  inPath: Parameters,
  { params: given, answer, fixed = {}, into }: DerivedDefinition<DescMethodUnary>,
): { readonly params: Parameters; readonly run: Run } {
  const filled = into === undefined ? input : input.field[into]?.message;
  if (!filled) throw new Error(`${input} has no message ${into}.`);
  const fieldsInPath = Object.entries(inPath).map(([name, { field }]) => {
    const found = filled.fields.find((one) => (field === undefined ? one.name === name : one.localName === field));
    if (!found) throw new Error(`${filled} has no ${name}, which a path names.`);
    return [name, found] as const;
  });
  const taken = new Set([...fieldsInPath.map(([, { localName }]) => localName), ...Object.keys(fixed)]);
  const params = Object.fromEntries(
    Object.entries(given ?? paramsOf(filled)).filter(([, { field = "" }]) => !taken.has(field)),
  );
  const pages = input.field["skip"] ? numbered : input.field["pageToken"] ? byCursor : {};
  const take = answer.taking?.(output);
  if (!take) throw new Error(`An answer of ${output} needs a form that is derived from a message.`);
  return {
    params: { ...params, ...pages },
    async run({ path, params: sent, invoke }: RestCall<DescMethodUnary, unknown, Given, Given>) {
      const named = fieldsInPath.map(([name, field]) => [field.localName, idOf(field, path[name])]);
      const fields = { ...Object.fromEntries(named), ...requestOf(params, sent) };
      const page = pages === numbered ? pageOf(sent as never) : pages === byCursor ? cursorOf(sent as never) : {};
      const request = { ...fixed, ...(into === undefined ? fields : { [into]: fields }), ...page };
      return take((await invoke(request)) as never); // by its field names
    },
  };
}

type Given = Readonly<Record<string, unknown>>;

/** A segment of the path in the type of its field: a 64-bit id is a bigint. */
const idOf = ({ scalar }: DescField, value: unknown): unknown =>
  typeof value === "number" && (scalar === ScalarType.UINT64 || scalar === ScalarType.INT64) ? BigInt(value) : value;

/** The operations that modules export. */
export const operationsOf = (...modules: readonly object[]): readonly RestOperation[] =>
  modules.flatMap((module) => Object.values(module)).filter(isOperation);

const isOperation = (exported: unknown): exported is RestOperation =>
  typeof exported === "object" && exported !== null && "verb" in exported && "inPath" in exported;
