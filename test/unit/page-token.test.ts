import { pageOfRows, pageSizeOf, pageToken, readPageToken, valuesOfToken } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { refusal } from "../support/assert/refusal.ts";

const tokens = suite("page token");

const shape = ["string", "number"] as const;
const good = pageToken("errors 1", ["after", 42]);

tokens("a token gives back the place it was made of", () => {
  assert.equal(readPageToken("errors 1", good, shape), ["after", 42]);
  const place = ["東京 \u0000", -Number.MAX_SAFE_INTEGER];
  assert.equal(readPageToken("errors 1", pageToken("errors 1", place), shape), place);
});

tokens("an empty token is the first page", () => assert.is(readPageToken("errors 1", "", shape), undefined));

tokens("a token can stand in an address as it is", () => {
  assert.match(pageToken("errors 1", ["?&=#/+ ", 1]), /^[\w-]+$/);
});

const [digest] = valuesOfToken(good);
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const wrong: [claim: string, token: string][] = [
  ["of another list", pageToken("errors 2", ["after", 42])],
  ["with a part too few", pageToken("errors 1", ["after"])],
  ["with a part too many", pageToken("errors 1", ["after", 42, 43])],
  ["with a number for a text", pageToken("errors 1", [1, 42])],
  ["with a text for a number", pageToken("errors 1", ["after", "42"])],
  ["with a fraction", pageToken("errors 1", ["after", 0.5])],
  ["with a number beyond the safe ones", pageToken("errors 1", ["after", 2 ** 53])],
  ["with null for a number", encoded([digest, "after", null])],
  ["with an object for a text", encoded([digest, { after: 1 }, 42])],
  ["that is an object", encoded({ 0: digest, 1: "after", 2: 42, length: 3 })],
  ["that is null", encoded(null)],
  ["cut short", good.slice(0, -3)],
  ["that is any text", "next please"],
  ["that is not even base64", "%%%"],
];

for (const [claim, token] of wrong) {
  tokens(`a token ${claim} is refused`, () => {
    const { reason, field } = refusal(() => readPageToken("errors 1", token, shape));
    assert.is(reason, ErrorReason.INVALID_PAGE_TOKEN);
    assert.is(field, "page_token");
  });
}

tokens.run();

const sizes = suite("page size");

for (const [asked, used] of [
  [0, 20],
  [1, 1],
  [100, 100],
  [101, 100],
  [4_294_967_295, 100],
] as const) {
  sizes(`${asked} rows asked for are ${used}`, () => assert.is(pageSizeOf({ pageSize: asked }), used));
}

sizes.run();

const pages = suite("page of rows");

for (const [rows, page, nextPageToken] of [
  [[], [], ""],
  [[1], [1], ""],
  [[1, 2], [1, 2], ""],
  [[1, 2, 3], [1, 2], "after 2"],
] as const) {
  pages(`${rows.length} rows read for a page of 2 are ${page.length}, ${nextPageToken || "the last"}`, () =>
    assert.equal(
      pageOfRows(rows, 2, (last) => `after ${last}`),
      { page: [...page], nextPageToken },
    ),
  );
}

pages.run();
