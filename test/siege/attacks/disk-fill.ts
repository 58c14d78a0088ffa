import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { bytesOf } from "../../support/http/raw-request.ts";
import { newEventId } from "../../support/sentry/send.ts";
import { noisyBundle } from "../../support/source-maps/noisy-bundle.ts";
import { uploadBundle } from "../../support/source-maps/upload.ts";
import type { Attack, Field } from "../attack.ts";
import { Answers, flood } from "../flood.ts";

const mebibyte = 1024 * 1024;

/** By default a project may keep a quarter of the disk. */
const disk = { mebibytes: 512, quotaMebibytes: 128 };
const gzip = { "Content-Encoding": "gzip" };

/** A mebibyte of one letter and a second item, which prevents storing the body as it came. */
const letters = ({ project }: Field) => {
  const text = "A".repeat(mebibyte - 1_000);
  return () => {
    const id = newEventId();
    const event = `{"event_id":"${id}","message":"x","extra":{"text":"${text}"}}`;
    const body = gzipSync(`{}\n{"type":"event"}\n${event}\n{"type":"client_report"}\n{"discarded_events":[]}`, {
      level: 1,
    });
    return bytesOf(project, { door: "envelope", headers: gzip, body });
  };
};

/** 100 tags of 190 letters, and all else new each time: rows that nothing packs. */
const tags = ({ project }: Field) => {
  const filler = "x".repeat(180);
  return (n: number) => {
    const id = newEventId();
    const all = Object.fromEntries(
      Array.from({ length: 100 }, (_, tag) => [`${tag}-${n % 50}`, `${id}${tag}${filler}`.slice(0, 190)]),
    );
    const event = {
      event_id: id,
      message: "x",
      fingerprint: [id],
      release: id,
      environment: id.slice(0, 20),
      tags: all,
    };
    return bytesOf(project, { headers: gzip, body: gzipSync(JSON.stringify(event), { level: 1 }) });
  };
};

/** A mebibyte that nothing packs. */
const noise = ({ project }: Field) => {
  const text = randomBytes(mebibyte * 0.7).toString("base64");
  return () => {
    const event = `{"event_id":"${newEventId()}","message":"x","extra":{"text":"${text}"}}`;
    return bytesOf(project, { body: event });
  };
};

const ways = [
  { name: "1 MiB of one letter in 1 kB", make: letters, connections: 4, everyMs: 0 },
  { name: "100 new tags an event", make: tags, connections: 8, everyMs: 25 },
  { name: "events of 1 MiB that nothing compresses", make: noise, connections: 4, everyMs: 0 },
];

const events = ways.map(({ name, make, connections, everyMs }): Attack => ({
  name: `H2 a disk of ${disk.mebibytes} MiB: ${name}`,
  disk,
  arm(field) {
    const next = make(field);
    return () => flood(field, { connections, everyMs, next });
  },
}));

/** Bundles of source maps that nothing compresses, one after the other in each lane, whatever becomes of them. */
const uploads: Attack = {
  name: `H7 a disk of ${disk.mebibytes} MiB: uploads of source maps`,
  // Chunks are of a person, and count for no project: uploads end where half of the disk is left.
  disk: { ...disk, quotaMebibytes: disk.mebibytes / 2 },
  arm: (field) => async () => {
    const answers = new Answers();
    const stopAt = performance.now() + field.seconds * 1000;
    const upload = { token: field.token, organization: "-", projects: [String(field.project.id)] };
    const lane = async () => {
      while (performance.now() < stopAt) {
        const sent = uploadBundle(field, noisyBundle(8 * mebibyte), { ...upload, version: newEventId() });
        answers.add(
          await sent.then(
            ({ state }) => state,
            () => "refused",
          ),
        );
      }
    };
    await Promise.race([Promise.all([lane(), lane()]), delay(field.seconds * 1000)]);
    return answers.tally();
  },
};

export const diskFill: readonly Attack[] = [...events, uploads];
