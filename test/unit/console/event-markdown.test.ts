import { suite } from "uvu";
import * as assert from "uvu/assert";
import { eventMarkdown } from "../../../console/src/routes/[...project]/-/error_tracking/[id]/(error)/details/event/event-markdown.ts";
import { exception, frame } from "../../support/console/console-messages.ts";

const markdown = suite("event as Markdown");

const error = {
  title: "PricingError: no price",
  eventCount: 1204,
  affectedUserCount: 1,
  firstSeenTime: "2026-11-20T08:00:00Z",
  firstRelease: "shop@1.4.0",
};
const own = frame({
  filename: "shop/pricing.py",
  absPath: "/srv/shop/pricing.py",
  function: "price_of",
  lineno: 23,
  inApp: true,
  contextLine: "    raise PricingError(sku)",
});
const library = frame({ filename: "django/core/handlers.py", function: "inner", lineno: 55 });
const event = {
  eventId: "a".repeat(32),
  occurredTime: "2026-11-24T10:00:00Z",
  exceptions: [exception({ type: "PricingError", value: "no price", frames: [library, own] })],
  threads: [],
  platform: "python",
  release: "shop@1.4.1",
  environment: "production",
  transaction: "/checkout",
};
const link = "https://errors.example/shop/-/error_tracking/1/details?event=a";

markdown("holds the title, the facts, the frames of the application and the link", () => {
  assert.is(
    eventMarkdown(error, event, link),
    `### PricingError: no price

- Seen: 1,204 events, 1 user
- Raised at: \`shop/pricing.py:23 in price_of\`
- Transaction: \`/checkout\`
- Release: \`shop@1.4.1\`
- Environment: \`production\`
- First seen: \`2026-11-20T08:00:00Z in shop@1.4.0\`
- This event: \`${"a".repeat(32)}, 2026-11-24T10:00:00Z\`

\`\`\`
Traceback (most recent call last):
  File "shop/pricing.py", line 23, in price_of
    raise PricingError(sku)
PricingError: no price
\`\`\`

<${link}>`,
  );
});

markdown("a message without a stack has no block and no facts that are not known", () => {
  const bare = { ...event, exceptions: [], release: "", environment: "", transaction: "" };
  const plain = { ...error, title: "disk full", affectedUserCount: 0, firstRelease: "" };
  assert.is(
    eventMarkdown(plain, bare, link),
    `### disk full

- Seen: 1,204 events
- First seen: \`2026-11-20T08:00:00Z\`
- This event: \`${"a".repeat(32)}, 2026-11-24T10:00:00Z\`

<${link}>`,
  );
});

markdown("no text of an event ends the block, or becomes markup", () => {
  const value = "a ``` b";
  const hostile = { ...event, transaction: "/a`b", exceptions: [exception({ type: "E", value })] };
  const text = eventMarkdown({ ...error, title: "E: ![x](http://evil.example/y)\n# big" }, hostile, link);
  assert.ok(text.startsWith(String.raw`### E: \!\[x\]\(http://evil.example/y\) \# big` + "\n"));
  assert.ok(text.includes("````\nE: a ``` b\n````"));
  assert.ok(text.includes("- Transaction: `` /a`b ``"));
});

markdown.run();
