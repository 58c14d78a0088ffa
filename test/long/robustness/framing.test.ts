import { test } from "uvu";
import * as assert from "uvu/assert";
import { createProject } from "../../support/core/project.ts";
import type { Answer } from "../../support/http/raw-socket.ts";
import { ask, onlyEvent, testCases, type Case, type Conversation } from "../../support/sentry/robustness.ts";
import { newEventId } from "../../support/sentry/send.ts";

const event = '{"message":"framed"}';
const item = `{"type":"event"}\n${event}`;
const session = `{"type":"session"}\n{"sid":"${"a".repeat(32)}","init":true,"started":"2026-11-20T22:58:00Z"}`;
const stored = { message: "framed" };
const id = "0123456789abcdef0123456789abcdef";
const otherId = "fedcba9876543210fedcba9876543210";
const hyphenated = "01234567-89AB-CDEF-0123-456789ABCDEF";
const withLength = (length: unknown, payload = event) =>
  `{}\n{"type":"event","length":${JSON.stringify(length)}}\n${payload}`;
const says =
  (answer: unknown) =>
  ({ text }: Answer) =>
    assert.equal(JSON.parse(text), answer);

interface Framing extends Omit<Case, "request"> {
  readonly body: string | Uint8Array;
}

/** Cases 35 to 60: the form of an envelope. sessions.test.ts tests its sessions. */
const framings: readonly Framing[] = [
  {
    number: 35,
    claim: "a session alone is answered {}",
    body: `{}\n${session}`,
    status: 200,
    stored: "nothing",
    answer: says({}),
  },
  { number: 36, claim: "a header alone is fine", body: "{}", status: 200, stored: "nothing", answer: says({}) },
  {
    number: 36,
    claim: "a header and a line feed is fine",
    body: "{}\n",
    status: 200,
    stored: "nothing",
    answer: says({}),
  },
  { number: 37, claim: "no line feed behind the last payload is fine", body: `{}\n${item}`, status: 200, stored },
  {
    number: 38,
    claim: "an attachment of several lines ends where it says",
    body: `{}\n{"type":"attachment","length":11}\n{}\n{"a":\n1}\n${item}`,
    status: 200,
    stored,
  },
  {
    number: 39,
    claim: "a length counts bytes",
    body: `${withLength(Buffer.byteLength('{"message":"東京 🗼"}'), '{"message":"東京 🗼"}')}\n${session}`,
    status: 200,
    stored: { message: "東京 🗼" },
  },
  { number: 40, claim: "a length that is one too small is refused", body: withLength(event.length - 1), status: 400 },
  { number: 40, claim: "a length that is one too large is refused", body: withLength(event.length + 1), status: 400 },
  {
    number: 41,
    claim: "two empty items are fine",
    body: '{}\n{"type":"attachment","length":0}\n\n{"type":"attachment","length":0}\n',
    status: 200,
    stored: "nothing",
  },
  {
    number: 42,
    claim: "an item header at the end is an empty item",
    body: `{}\n${item}\n{"type":"attachment"}`,
    status: 200,
    stored,
  },
  { number: 43, claim: "a length may be a numeric text", body: withLength(`${event.length}`), status: 200, stored },
  { number: 43, claim: "a length of null is none", body: withLength(null), status: 200, stored },
  { number: 43, claim: "a negative length is refused", body: withLength(-1), status: 400 },
  { number: 43, claim: "a broken length is refused", body: withLength(1.5), status: 400 },
  {
    number: 44,
    claim: "unknown items with and without length are passed over",
    body: `{}\n{"type":"foo","length":3}\na\nb\n{"type":"foo"}\nanything\n${item}`,
    status: 200,
    stored,
  },
  {
    number: 45,
    claim: "an item without type is passed over",
    body: `{}\n{}\n{"message":"not this"}\n${item}`,
    status: 200,
    stored,
  },
  { number: 46, claim: "an envelope header that is not JSON is refused", body: `{"event_id":\n${item}`, status: 400 },
  { number: 46, claim: "an envelope header that is a list is refused", body: `[]\n${item}`, status: 400 },
  { number: 46, claim: "an envelope header that is a text is refused", body: `"x"\n${item}`, status: 400 },
  {
    number: 47,
    claim: "a broken item header refuses the good item before it",
    body: `{}\n${item}\n{"type":\n{}`,
    status: 400,
  },
  {
    number: 48,
    claim: "lines may end with CR LF",
    body: `{}\r\n${item.replace("\n", "\r\n")}\r\n`,
    status: 200,
    stored,
  },
  { number: 49, claim: "three blank lines at the end are fine", body: `{}\n${item}\n\n\n\n`, status: 200, stored },
  {
    number: 50,
    claim: "the first of two events is stored",
    body: `{}\n${item}\n{"type":"event"}\n{"message":"second"}`,
    status: 200,
    stored,
  },
  { number: 51, claim: "an event that is not JSON is refused", body: `{}\n{"type":"event"}\n{"message":`, status: 400 },
  {
    number: 52,
    claim: "the id of the header wins",
    body: `{"event_id":"${id}"}\n{"type":"event"}\n{"event_id":"${otherId}"}`,
    status: 200,
    stored: { eventId: id },
    answer: says({ id }),
  },
  {
    number: 53,
    claim: "an id may be a UUID in capitals",
    body: `{"event_id":"${hyphenated}"}\n${item}`,
    status: 200,
    stored: { eventId: id },
    answer: says({ id }),
  },
  {
    number: 54,
    claim: "an event without an id gets one",
    body: `{}\n${item}`,
    status: 200,
    answer: ({ text }) => assert.match(text, /^\{"id":"[0-9a-f]{32}"\}$/),
  },
  {
    number: 55,
    claim: "an event with an id that is none gets one",
    body: `{"event_id":"not-a-uuid"}\n${item}`,
    status: 200,
    answer: ({ text }) => assert.match(text, /^\{"id":"[0-9a-f]{32}"\}$/),
  },
  {
    number: 58,
    claim: "a transaction is no error",
    body: `{}\n{"type":"transaction"}\n{"type":"transaction"}`,
    status: 200,
    stored: "nothing",
  },
  {
    number: 59,
    claim: "101 sessions are taken",
    body: `{}\n${`${session}\n`.repeat(101)}`,
    status: 200,
    stored: "nothing",
  },
  { number: "A41", claim: "a million empty items are refused", body: `{}\n${"{}\n\n".repeat(1_000_000)}`, status: 400 },
  {
    number: "A41",
    claim: "a header of 1 MB is refused",
    body: `{"x":"${"x".repeat(1_000_000)}"}\n${item}`,
    status: 400,
  },
  {
    number: "A41",
    claim: "a million blank lines are passed over",
    body: `{}\n${item}${"\n".repeat(1_000_000)}`,
    status: 200,
    stored,
  },
  {
    number: "A41",
    claim: "a length beyond all numbers is refused",
    body: `{}\n{"type":"event","length":9007199254740993}\n{}`,
    status: 400,
  },
  { number: "A41", claim: "a length of 1e9 is refused", body: `{}\n{"type":"event","length":1e9}\n{}`, status: 400 },
  { number: "A41", claim: "zero bytes are no envelope", body: Buffer.alloc(100), status: 400 },
  {
    number: "A49",
    claim: "an id that is a path is none",
    body: `{"event_id":"../../etc/passwd"}\n${item}`,
    status: 200,
    stored,
  },
  {
    number: "A49",
    claim: "an id of a million characters is none",
    body: `{}\n{"type":"event"}\n{"message":"framed","event_id":"${"a".repeat(900_000)}"}`,
    status: 200,
    stored,
  },
];

const cases: readonly Case[] = [
  ...framings.map(({ body, ...rest }) => ({ ...rest, request: () => ({ door: "envelope" as const, body }) })),
  {
    number: 60,
    claim: "an envelope may call itself JSON",
    request: () => ({ door: "envelope", headers: { "Content-Type": "application/json" }, body: `{}\n${item}` }),
    status: 200,
    stored,
  },
  {
    number: 60,
    claim: "the store takes an envelope that says so",
    request: () => ({ headers: { "Content-Type": "application/x-sentry-envelope" }, body: `{}\n${item}` }),
    status: 200,
    stored,
  },
  {
    number: 60,
    claim: "the store takes an event that calls itself an envelope",
    request: () => ({ headers: { "Content-Type": "application/x-sentry-envelope" }, body: event }),
    status: 200,
    stored,
  },
];

const conversations: readonly Conversation[] = [
  {
    number: 56,
    claim: "the same event ten times at once and once more is one event",
    async hold({ server, client, project }) {
      const request = { body: `{"event_id":"${newEventId()}","message":"again"}` };
      const answers = await Promise.all(Array.from({ length: 10 }, () => ask(server, project, request)));
      answers.push(await ask(server, project, request));
      assert.equal(
        answers.map((answer) => answer?.status),
        Array.from({ length: 11 }, () => 200),
      );
      await onlyEvent(client, project);
    },
  },
  {
    number: 57,
    claim: "the same id in another project is another event",
    async hold({ server, client, project }) {
      const other = await createProject(server);
      const request = { body: `{"event_id":"${newEventId()}","message":"twin"}` };
      for (const target of [project, other]) assert.is((await ask(server, target, request))?.status, 200);
      for (const target of [project, other]) await onlyEvent(client, target);
    },
  },
];

testCases(cases, conversations);
test.run();
