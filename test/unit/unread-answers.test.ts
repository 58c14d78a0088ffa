import { UnreadAnswers, unreadMs } from "@faultline/plugin";
import { test } from "uvu";
import * as assert from "uvu/assert";

const mib = 1024 * 1024;

/** An answer with so many bytes that wait; `taken` changes when its reader takes something. */
function answer(bytes: number, taken: number | undefined = 0) {
  const made = {
    bytes,
    takenBytes: taken,
    isCut: false,
    unread: () => made.bytes,
    ...(taken !== undefined && { taken: () => made.takenBytes ?? 0 }),
    cut: () => {
      made.isCut = true;
    },
  };
  return made;
}

function watched(...answers: ReturnType<typeof answer>[]): UnreadAnswers {
  const unread = new UnreadAnswers();
  for (const one of answers) unread.add(one);
  return unread;
}

test("an answer of which nothing is taken for a while is cut, and one that is read slowly is not", () => {
  const [stalled, slow, read] = [answer(10), answer(10), answer(0)];
  const answers = watched(stalled, slow, read);
  answers.look(0);
  answers.look(unreadMs - 1);
  assert.is(stalled.isCut, false);
  slow.takenBytes = 1;
  answers.look(unreadMs);
  assert.equal([stalled.isCut, slow.isCut, read.isCut], [true, false, false]);
  answers.look(2 * unreadMs - 1);
  assert.is(slow.isCut, false);
  answers.look(2 * unreadMs);
  assert.is(slow.isCut, true);
});

test("an answer that waited and was read begins anew when it waits again", () => {
  const one = answer(10);
  const answers = watched(one);
  answers.look(0);
  one.bytes = 0;
  answers.look(unreadMs - 1);
  one.bytes = 10;
  answers.look(unreadMs);
  assert.is(one.isCut, false);
  answers.look(2 * unreadMs);
  assert.is(one.isCut, true);
});

test("beyond 64 MiB together the largest answers are cut until the others fit", () => {
  const sizes = [1, 30, 20, 40].map((size) => answer(size * mib, undefined));
  const answers = watched(...sizes);
  answers.look(0);
  assert.equal(
    sizes.map(({ isCut }) => isCut),
    [false, false, false, true],
  );
});

test("an answer that has ended is not read", () => {
  const one = answer(100 * mib);
  const answers = watched(one);
  answers.delete(one);
  answers.look(0);
  assert.is(one.isCut, false);
});

test.run();
