/**
 * The answer in the log: without secrets of the channel, even if the receiver repeats them, and without anything from a
 * private network.
 */
import type { Outbound } from "@faultline/plugin";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { callChannel } from "../../../plugins/notifier/src/channels/call-channel.ts";
import { testMessage } from "../../../plugins/notifier/src/channels/channel-service.ts";
import { kindNamed } from "../../../plugins/notifier/src/channels/channel.ts";

const key = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;
const fields = {
  url: "https://hooks.example.com/services/T000/B000/very-secret-path?token=query-secret",
  headers: "Authorization: Bearer header-secret-1\nX-Api-Key: header-secret-2",
};

/** The receiver behind the guarded client. */
const answering = (body: string, isPublic: boolean): Outbound => ({
  request: () => Promise.resolve({ status: 500, headers: {}, body: Buffer.from(body), isPublic }),
});

const answerOf = async (body: string, isPublic = true) => {
  const message = testMessage({ path: "acme/shop", url: "https://errors.example.com" }, { by: "root", at: 0 });
  const config = { fields, signing: { current: key, previous: { key: `${key}x`, until: 1 } } };
  const parts = { message, config, delivery: { uid: "msg_1", at: 0 } };
  return (await callChannel(answering(body, isPublic), kindNamed("webhook"), parts)).answer;
};

const repeated = [
  fields.url,
  new URL(fields.url).pathname,
  encodeURIComponent(fields.url),
  JSON.stringify(fields.url),
  fields.headers,
  "Bearer header-secret-1",
  "header-secret-2",
  key,
  `${key}x`,
];
for (const text of repeated) {
  test(`an answer that repeats ${text.slice(0, 30)} is shown without it`, async () => {
    const answer = await answerOf(`cannot post to ${text}, sorry`);
    assert.match(answer, /^cannot post to .*, sorry$/s);
    assert.not.match(answer, /very-secret|header-secret|CQkJCQ/);
  });
}

test("of an answer from a private network only the length is shown, and of a long answer the beginning", async () => {
  assert.is(await answerOf("the inner page", false), "14 bytes");
  assert.is((await answerOf("x".repeat(60_000))).length, 2_000);
});

test.run();
