import { ErrorReason } from "@faultline/proto";
import { CallError } from "@faultline/proto/grpc";
import * as assert from "uvu/assert";
import type { GrpcClient } from "../support/core/grpc.ts";
import type { Project } from "../support/core/project.ts";
import { bytesOf } from "../support/http/raw-request.ts";
import { openSocket, type Answer, type RawSocket } from "../support/http/raw-socket.ts";
import { rejects } from "../support/assert/rejects.ts";
import { newEventId } from "../support/sentry/send.ts";
import type { Server } from "../support/service/server.ts";
import { until } from "../support/run/until.ts";
import type { EnvelopeShape } from "./envelope-shape.ts";
import { damagedWire, envelopeWire, type Carriage, type Sent, type Wire } from "./request.ts";
import { writeEnvelope, type Meaning } from "./write-envelope.ts";
import type { Names } from "./write-item.ts";

/** Every so many requests a sound event goes the same way. */
const controlEvery = 50;
const allowed = new Set([200, 400, 401, 403, 413, 415, 429]);
const readOfRefusedBytes = 4 * 1024 * 1024;
const release = "fuzz@1";

/** The parts that lanes share. */
export interface Target {
  readonly server: Server;
  readonly client: GrpcClient;
  /** The project of the control events. */
  readonly control: Project;
}

/** The answers on a lane. */
export interface Tally {
  readonly statuses: Map<number, number>;
  readonly controlIds: Set<string>;
  storedCount: number;
  sessionCount: number;
  slowest: { readonly ms: number; readonly request: string };
}

/** A kept connection to a separate project, for one request after the other. */
export class Lane {
  readonly tally: Tally = {
    statuses: new Map(),
    controlIds: new Set(),
    storedCount: 0,
    sessionCount: 0,
    slowest: { ms: 0, request: "" },
  };
  readonly #target: Target;
  readonly #project: Project;
  readonly #number: number;
  #socket: RawSocket | undefined;
  #sent = 0;

  constructor(target: Target, project: Project, number: number) {
    this.#target = target;
    this.#project = project;
    this.#number = number;
  }

  /** Sends it, and asserts all that must hold of the answer and of what is stored then. */
  async send(sent: Sent): Promise<void> {
    if (this.#sent++ % controlEvery === 0) await this.#sendControl();
    await (sent.shape ? this.#roundTrip(sent.shape, sent.carriage) : this.#sendDamaged(sent));
  }

  close(): void {
    this.#socket?.destroy();
  }

  async #roundTrip(shape: EnvelopeShape, carriage: Carriage): Promise<void> {
    const names = this.#names();
    const { body, meaning } = writeEnvelope(shape, names);
    const wire = envelopeWire(this.#project, body, carriage);
    await replayable(wire, async () => {
      const [answer] = await this.#exchange(wire);
      assert.is(answer?.status, meaning.status, answer?.text);
      const { id } = JSON.parse(answer?.text ?? "") as { id?: string };
      if (meaning.id === "new") assert.match(id ?? "", /^[0-9a-f]{32}$/);
      else assert.is(id, meaning.id);
      await this.#assertStored(meaning, id ?? names.id);
      if (shape.items.some(({ content }) => content.kind.startsWith("session"))) await this.#assertCounted(meaning);
    });
  }

  async #sendDamaged({ damaged }: Sent & { shape?: never }): Promise<void> {
    const wire = damagedWire(this.#project, damaged);
    await replayable(wire, async () => {
      const answers = await this.#exchange(wire);
      for (const { status, text } of answers) assert.ok(allowed.has(status), `${status}: ${text}`);
      // Of a refused body 4 MiB are read; behind them the reset of its connection may overtake the 413.
      assert.ok(answers.length > 0 || wire.isLast || wire.body.length > readOfRefusedBytes, "no answer");
    });
  }

  async #sendControl(): Promise<void> {
    const id = newEventId();
    this.tally.controlIds.add(id);
    this.#socket ??= await openSocket(this.#target.server);
    this.#socket.write(bytesOf(this.#target.control, { body: JSON.stringify({ event_id: id, message: "control" }) }));
    const answer = await this.#socket.answer();
    assert.is(answer?.status, 200, `control event: ${answer?.text}`);
  }

  async #exchange({ head, body, isLast }: Wire): Promise<Answer[]> {
    const startedAt = performance.now();
    const socket = (this.#socket ??= await openSocket(this.#target.server));
    socket.write(Buffer.concat([Buffer.from(head, "latin1"), body]));
    if (isLast) socket.end();
    const answers: Answer[] = [];
    for (let answer = await socket.answer(); answer; answer = await socket.answer()) {
      answers.push(answer);
      this.tally.statuses.set(answer.status, (this.tally.statuses.get(answer.status) ?? 0) + 1);
      if (!isLast) break;
    }
    if (isLast || answers.at(-1)?.closes !== false) {
      socket.destroy();
      this.#socket = undefined;
    }
    const ms = performance.now() - startedAt;
    if (ms > this.tally.slowest.ms) this.tally.slowest = { ms, request: shown({ head, body, isLast }) };
    return answers;
  }

  /** Reads the event back as a person would; without one, nothing may have been stored. */
  async #assertStored({ event }: Meaning, eventId: string): Promise<void> {
    const { client } = this.#target;
    const asked = client.errors.getEvent({ projectId: this.#project.id, eventId }, client.auth);
    if (!event) {
      await rejects(asked, "NOT_FOUND");
      return;
    }
    const { event: stored } = await asked;
    assert.is(stored?.message, event.message.replaceAll("\0", "").toWellFormed());
    assert.equal(JSON.parse(stored?.payloadJson ?? ""), JSON.parse(event.json));
    this.tally.storedCount++;
  }

  async #assertCounted({ sessionCount }: Meaning): Promise<void> {
    const { client } = this.#target;
    const window = { projectId: this.#project.id, version: release, hourCount: 72 };
    // All lanes read as one user, who may ask for little statistics at the same time.
    const { hours } = await until("its turn among the lanes", () =>
      client.releases.getSessionStats(window, client.auth).catch((refusal: unknown) => {
        if (refusal instanceof CallError && refusal.reason === ErrorReason.TOO_MANY_ATTEMPTS) return undefined;
        throw refusal;
      }),
    );
    const count = hours.reduce((sum, { total }) => sum + total, 0);
    const before = this.tally.sessionCount;
    this.tally.sessionCount = count; // also after a failure, so that the next request is judged by itself
    assert.is(count - before, sessionCount, "sessions");
  }

  #names(): Names {
    const id = `${this.#number.toString(16).padStart(4, "0")}${this.#sent.toString(16).padStart(27, "0")}`;
    return {
      id: `${id}0`,
      ownId: `${id}1`,
      sid: (index) => `${id}${index}`,
      dsn: this.#project.dsn,
      release,
      now: Date.now(),
    };
  }
}

/** A failure names its request. */
async function replayable(wire: Wire, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw new Error(`${String(error)}\n${shown(wire)}`, { cause: error });
  }
}

function shown({ head, body }: Wire): string {
  return `${head.trimEnd()}\n\n${body.toString("base64")} (base64 of ${body.length} bytes)`;
}
