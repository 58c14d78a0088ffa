import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { checkServerIdentity, getCACertificates, type PeerCertificate } from "node:tls";
import { setTimeout as delay } from "node:timers/promises";
import type { DescMessage, DescMethod, MessageShape } from "@bufbuild/protobuf";
import type { ReadCall } from "@faultline/plugin/rest";
import { services, type Project, ErrorReason } from "@faultline/proto";
import { connect, type CallContext, CallError } from "@faultline/proto/grpc";
import { credentials, type ChannelCredentials, type ClientOptions } from "@grpc/grpc-js";
import { readCommandConfig, type CommandConfig } from "../config.ts";
import { CommandFault, progress } from "./output.ts";

/**
 * The same client with calls that wait while the token's limit is used up and then repeat. This is safe, because the
 * service did nothing for a refused call. An export, which calls once per event, continues at the pace of the limit and
 * loses nothing.
 */
function patientCalls<Client extends object>(client: Client): Client {
  return Object.fromEntries(
    Object.entries(client).map(([method, call]) => [
      method,
      (request: unknown, context?: CallContext) => {
        const answer: unknown = call(request, context);
        return answer instanceof Promise ? again(answer, () => call(request, context)) : answer; // streams pass
      },
    ]),
  ) as Client; // the same methods
}

let hasSaidSo = false;

async function again(first: Promise<unknown>, call: () => Promise<unknown>): Promise<unknown> {
  for (let answer = first; ; answer = call()) {
    try {
      return await answer;
    } catch (error) {
      if (!(error instanceof CallError) || error.reason !== ErrorReason.RATE_LIMITED) throw error;
      if (!hasSaidSo) progress(`the service limits calls, so this takes longer: ${error.message}`);
      hasSaidSo = true;
      await delay(Math.max(1, error.retryAfterSeconds) * 1000);
    }
  }
}

/** An event may have a payload of 1 MB before its JSON is escaped; the default limit of grpc-js is 4 MiB. */
const maxReceiveBytes = 16 * 1024 * 1024;

/** The services of a running Faultline, and the context of calls with the caller's token. */
export type Service = ReturnType<typeof open>;

/** Connects, runs the work and closes the connection. */
export async function withService<T>(work: (service: Service) => Promise<T>): Promise<T> {
  const service = open();
  try {
    return await work(service);
  } finally {
    service.close();
  }
}

function open() {
  const config = readCommandConfig();
  const { token, password, externalToken } = config;
  const [channelCredentials, options] = channelTo(config);
  const limits = { "grpc.max_receive_message_length": maxReceiveBytes };
  const connection = connect(config.grpcAddress, channelCredentials, { ...options, ...limits });
  const clients = patient(connection.services(services));
  /** The context of a call, with the token. No call is possible without a token. */
  const context = (): CallContext => {
    if (token === undefined) {
      throw new CommandFault("FAULTLINE_TOKEN is not set. Make a personal access token in the console and set it.");
    }
    return { token };
  };
  /** The function of a client that calls a method. */
  const callable = (method: DescMethod) => {
    const [name] = Object.entries(services).find(([, { typeName }]) => typeName === method.parent.typeName) ?? [];
    if (name === undefined) throw new Error(`${method.parent.typeName} is not in proto/gen/index.ts.`);
    const client: Readonly<Record<string, unknown>> = clients[name as keyof typeof services]; // a key, as found
    return client[method.localName] as (request: object, context: CallContext) => unknown; // each method has one
  };
  return {
    ...clients,
    address: config.grpcAddress,
    password,
    externalToken,
    context,
    get call() {
      return context();
    },
    invoke: (method: DescMethod, request: object) =>
      callable(method)(request, context()) as Promise<MessageShape<DescMessage>>, // unary
    watch: (method: DescMethod, request: object, signal: AbortSignal) =>
      callable(method)(request, { ...context(), signal }) as AsyncIterable<MessageShape<DescMessage>>, // a stream
    /** The host of operations: the same services over gRPC. No parameter is deprecated there. */
    host: {
      core: clients,
      clock: { now: Date.now },
      deprecations: { verdict: () => undefined },
    } as unknown as ReadCall["host"],
    close: () => connection.close(),
  };
}

/** Clients with calls that wait for the limits of the token. */
const patient = <Clients extends Readonly<Record<string, object>>>(clients: Clients): Clients =>
  Object.fromEntries(Object.entries(clients).map(([name, client]) => [name, patientCalls(client)])) as Clients; // the same names

/** The credentials and options of the connection. Plaintext stays on this machine, because calls carry the token. */
function channelTo(config: CommandConfig): readonly [ChannelCredentials, ClientOptions] {
  if (config.isGrpcPlaintext) return [credentials.createInsecure(), {}];
  const authorities = authoritiesOf(config);
  const address = config.grpcAddress.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
  if (isIP(address) === 0) return [credentials.createSsl(authorities), { "grpc.enable_http_proxy": 1 }];
  // grpc-js sends the address as the server's name in the handshake, but Node refuses an IP address there.
  const verify = { checkServerIdentity: (_: string, cert: PeerCertificate) => checkServerIdentity(address, cert) };
  const options = { "grpc.enable_http_proxy": 1, "grpc.ssl_target_name_override": "address.invalid" };
  return [credentials.createSsl(authorities, null, null, verify), options];
}

/** The named authority; by default the authorities of Node, of `NODE_EXTRA_CA_CERTS` and of the system. */
function authoritiesOf({ grpcTlsCa }: CommandConfig): Buffer {
  if (grpcTlsCa === undefined) {
    return Buffer.from([...getCACertificates("default"), ...getCACertificates("system")].join("\n"));
  }
  try {
    return readFileSync(grpcTlsCa);
  } catch (error) {
    throw new CommandFault(`FAULTLINE_GRPC_TLS_CA cannot be used: ${(error as Error).message}.`); // fs throws Errors
  }
}

/** Ends a stream on Ctrl-C, in order. */
export function untilInterrupted(): AbortSignal {
  const ended = new AbortController();
  process.once("SIGINT", () => ended.abort());
  return ended.signal;
}

/** The project with a path or an id. */
export async function projectNamed(service: Service, named: string): Promise<Project> {
  const isId = /^\d+$/.test(named);
  const { project } = await service.projects.getProject(
    { key: isId ? { case: "projectId", value: Number(named) } : { case: "path", value: named } },
    service.call,
  );
  if (!project) throw new CommandFault(`There is no project ${named}.`);
  return project;
}

/** The work of a command with the path or id of a project as its first argument. */
export function onProject<A extends unknown[]>(
  work: (service: Service, project: Project, ...rest: A) => Promise<void>,
): (named: string, ...rest: A) => Promise<void> {
  return (named, ...rest) => withService(async (service) => work(service, await projectNamed(service, named), ...rest));
}
