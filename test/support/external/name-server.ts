import { createSocket } from "node:dgram";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

export type RecordType = "A" | "AAAA" | "CNAME";

/** The answer for a name. `silence` means no answer. */
export type NameAnswer =
  | {
      readonly records: readonly (readonly [type: RecordType, value: string, owner?: string])[];
      readonly afterMs?: number;
    }
  | { readonly code: "SERVFAIL" | "NXDOMAIN" | "REFUSED" }
  | "silence"
  | "noise"
  | "other question"
  | "truncated";

/**
 * A name server, by default on loopback. Its answers live for 0 seconds, and names that it does not know do not exist.
 */
export interface NameServer {
  /** Such as `127.0.0.1:40123`. */
  readonly address: string;
  /** The names that were asked for, with the type, in the order of asking: `a.test A`. */
  readonly questions: readonly string[];
  close(): void;
}

const typeNumbers = { A: 1, CNAME: 5, AAAA: 28 };
const codes = { SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 };

/** Starts a name server. It calls `answerOf` for each question. */
export async function nameServer(
  answerOf: (name: string, type: RecordType) => NameAnswer | undefined,
  host = "127.0.0.1",
): Promise<NameServer> {
  const socket = createSocket("udp4");
  const questions: string[] = [];
  let isOpen = true;
  socket.on("message", async (query, { port, address }) => {
    const { name, type, end } = questionOf(query);
    questions.push(`${name} ${type}`);
    const answer = answerOf(name, type) ?? { code: "NXDOMAIN" };
    if (answer === "silence") return;
    if (typeof answer === "object" && "records" in answer && answer.afterMs) await delay(answer.afterMs);
    if (isOpen) socket.send(packet(query, end, answer, name, type), port, address);
  });
  socket.bind(0, host);
  await once(socket, "listening");
  return {
    address: `${host}:${socket.address().port}`,
    questions,
    close: () => {
      isOpen = false;
      socket.close();
    },
  };
}

function questionOf(query: Buffer): { name: string; type: RecordType; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = query.readUInt16BE(at + 1) === typeNumbers.AAAA ? "AAAA" : "A";
  return { name: labels.join(".").toLowerCase(), type, end: at + 5 };
}

/** RFC 1035, section 4. */
function packet(query: Buffer, end: number, answer: Exclude<NameAnswer, "silence">, name: string, type: RecordType) {
  if (answer === "noise") return Buffer.from("this is no answer of a name server");
  const records =
    typeof answer === "object" && "records" in answer
      ? answer.records.filter(([one]) => one === type || one === "CNAME")
      : [];
  const header = Buffer.from(query.subarray(0, 12));
  const code = typeof answer === "object" && "code" in answer ? codes[answer.code] : 0;
  header.writeUInt16BE(0x8180 | (answer === "truncated" ? 0x0200 : 0) | code, 2);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt16BE(0, 8);
  header.writeUInt16BE(0, 10);
  const question =
    answer === "other question"
      ? Buffer.concat([nameBytes("other.test"), query.subarray(end - 4, end)])
      : query.subarray(12, end);
  return Buffer.concat([
    header,
    question,
    ...records.map(([one, value, owner]) => recordBytes(owner ?? name, one, value)),
  ]);
}

function recordBytes(owner: string, type: RecordType, value: string): Buffer {
  const data =
    type === "A" ? Buffer.from(value.split(".").map(Number)) : type === "AAAA" ? ipv6Bytes(value) : nameBytes(value);
  const fixed = Buffer.alloc(10); // type, class, seconds to live, length
  fixed.writeUInt16BE(typeNumbers[type], 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([nameBytes(owner), fixed, data]);
}

function nameBytes(name: string): Buffer {
  const labels = name.split(".").map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, "latin1"));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

/** The bytes of an IPv6 address in hexadecimal groups, with or without `::`. */
function ipv6Bytes(text: string): Buffer {
  const [head = [], tail = []] = text.split("::").map((half) => half.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => "0");
  return Buffer.from([...head, ...zeros, ...tail].map((group) => group.padStart(4, "0")).join(""), "hex");
}
