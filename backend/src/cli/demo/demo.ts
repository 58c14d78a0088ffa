import { randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { Backend, ErrorReason, type Project } from "@faultline/proto";
import { CallError } from "@faultline/proto/grpc";
import { InvalidArgumentError, type Command } from "commander";
import { OutboundFailure } from "@faultline/plugin";
import { getProject } from "../../services/projects/project-operations.ts";
import { written } from "../operations.ts";
import { CommandFault, print, progress, wholeNumber } from "../output.ts";
import { projectNamed, withService, type Service } from "../service.ts";
import { demoEvents, demoSessions, seededRandom } from "./demo-events.ts";
import { OutboundClient } from "../../host/outbound/outbound-client.ts";

/** The name by which a demo is recognized, so that no other project is removed. */
const demoName = "Faultline demo";
const maxEvents = 5000;

interface DemoOptions {
  readonly path: string;
  readonly events: number;
  readonly remove: boolean;
}

/** `faultline demo` */
export function demoCommand(command: Command): void {
  command
    .option("--path <path>", "Its path", "demo")
    .option("--events <number>", `How many events, at most ${maxEvents}`, eventCount, 2000)
    .option("--remove", "Delete it again", false)
    .action(({ path, events, remove }: DemoOptions) =>
      withService((service) => (remove ? removeDemo(service, path) : makeDemo(service, path, events))),
    );
}

function eventCount(text: string): number {
  const count = wholeNumber(text);
  if (count > maxEvents) throw new InvalidArgumentError(`Give at most ${maxEvents}.`);
  return count;
}

async function makeDemo(service: Service, path: string, count: number): Promise<void> {
  const { instance } = await service.instance.getInstance({}, service.call);
  if (instance?.offering !== "hosted") {
    throw new CommandFault(
      "A demo needs the integrated backend, which is offered on the hosted offering only. No project was made. Set FAULTLINE_OFFERING=hosted for an installation to look around in.",
    );
  }
  const project = await emptyProject(service, path);
  const active = { projectId: project.projectId, active: true, backend: Backend.INTEGRATED };
  const { settings } = await service.settings.updateSettings(active, service.call);
  if (!settings?.dsn) throw new CommandFault(settings?.dsnUnavailableReason || "The project has no DSN.");

  const now = Date.now();
  const random = seededRandom(randomInt(2 ** 31));
  const address = envelopeAddress(settings.dsn);
  const events = demoEvents(count, now, random);
  const bodies = [
    ...events.map(({ event }) => envelopeOf("event", event)),
    ...demoSessions(now, random).map((sessions) => envelopeOf("sessions", sessions)),
  ];
  progress(`Sending ${events.length} events to ${address.host}.`);
  await sendAll(address, bodies);
  progress(`Done. Open ${address.origin}/${path}/-/error_tracking in a browser.`);
  print(await written(service, getProject, { project }));
}

/** A new project, or the empty project of an unfinished demo. */
async function emptyProject(service: Service, path: string): Promise<Project> {
  const found = await existing(service, path);
  const isLeftOver = found?.name === demoName && found.capabilities?.read?.allowed === false;
  if (found && !isLeftOver) {
    throw new CommandFault(
      `There is a project ${path} already. Remove a demo with faultline demo --remove, or give another --path.`,
    );
  }
  if (found) return found;
  const { project } = await service.projects.createProject({ path, name: demoName }, service.call);
  if (!project) throw new CommandFault(`The project ${path} was not made.`);
  return project;
}

async function removeDemo(service: Service, path: string): Promise<void> {
  const project = await projectNamed(service, path);
  if (project.name !== demoName) {
    throw new CommandFault(
      `The project ${path} was not made by faultline demo. Use faultline projects delete ${path}.`,
    );
  }
  const { project: deleted } = await service.projects.deleteProject({ projectId: project.projectId }, service.call);
  print(await written(service, getProject, { project: deleted }));
}

/** Undefined if nothing has the path. */
async function existing(service: Service, path: string): Promise<Project | undefined> {
  try {
    return await projectNamed(service, path);
  } catch (error) {
    if (error instanceof CallError && error.reason === ErrorReason.PROJECT_NOT_FOUND) return undefined;
    throw error;
  }
}

const atOnce = 8;
const attempts = 5;
const longestWaitSeconds = 30;
const limits = { maxBytes: 64 * 1024, timeoutMs: 30_000 };

/** The envelope endpoint of a DSN, with its key. */
function envelopeAddress(dsn: string): URL {
  const { protocol, host, username, pathname } = new URL(dsn);
  const [, prefix = "", projectId = ""] = /^(.*)\/(\d+)$/.exec(pathname) ?? [];
  return new URL(`${protocol}//${host}${prefix}/api/${projectId}/envelope/?sentry_version=7&sentry_key=${username}`);
}

/** An envelope of one item. */
function envelopeOf(type: "event" | "sessions", payload: object): string {
  return [{ sent_at: new Date().toISOString() }, { type }, payload].map((line) => JSON.stringify(line)).join("\n");
}

/**
 * Sends all bodies in their order, a few simultaneously. Waits if a rate limit asks for it; fails with the first
 * refusal.
 */
async function sendAll(address: URL, bodies: readonly string[]): Promise<void> {
  // The service of the caller's token may run on this machine or in a private network.
  const rules = { networks: ["0.0.0.0/0", "::/0"], ports: [portOf(address)] };
  const outbound = new OutboundClient({ rules, own: () => [] });
  let next = 0;
  const sender = async () => {
    for (let body = bodies[next++]; body !== undefined; body = bodies[next++]) await send(outbound, address, body);
  };
  await Promise.all(Array.from({ length: atOnce }, sender));
}

async function send(outbound: OutboundClient, address: URL, body: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const answer = await outbound
      .request({ method: "POST", url: address.href, body, ...limits })
      .catch(unreached(address));
    if (answer.status === 200) return;
    const isLater = answer.status === 429 || answer.status === 503;
    if (!isLater || attempt === attempts) {
      throw new CommandFault(`An event was refused with ${answer.status}: ${answer.body.toString()}`);
    }
    const seconds = Number(answer.headers["retry-after"]) || 1;
    await pause(Math.min(seconds, longestWaitSeconds) * 1000);
  }
}

function unreached({ host }: URL): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof OutboundFailure)) throw error;
    throw new CommandFault(`${host}, the address in the DSN, cannot be reached: ${error.message}.`);
  };
}

function portOf({ port, protocol }: URL): number {
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
}
