import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Outcome, OutcomeKind } from "../../../console/src/lib/messages.ts";
import { categoryName, outcomeWords } from "../../../console/src/lib/ingestion/outcome-words.ts";
import { quantityOf, refusedSummary } from "../../../console/src/lib/ingestion/refused-summary.ts";

const words = suite("outcome words");

const unknown = "This console does not know the reason yet.";

/** The reasons that outcome.proto names for a kind of outcome. */
const reasonsOfKind: [kind: OutcomeKind, reasons: string[]][] = [
  [
    "OUTCOME_KIND_REFUSED",
    [
      "no_key",
      "unknown_key",
      "not_active",
      "monitor_off",
      "external_backend",
      "not_offered",
      "rate_limit",
      "too_large",
      "too_deep",
      "too_many_values",
      "malformed",
      "cut_off",
      "encoding",
      "two_dsns",
      "unavailable",
      "quota",
      "disk_full",
      "key_disabled",
      "key_limit",
      "origin",
    ],
  ],
  [
    "OUTCOME_KIND_LEFT_ASIDE",
    [
      "not_kept",
      "extra",
      "too_many",
      "no_text",
      "no_release",
      "no_start",
      "too_old",
      "in_future",
      "no_counts",
      "minidump",
      "other_report",
      "unreadable",
    ],
  ],
  [
    "OUTCOME_KIND_NOT_SENT",
    [
      "ratelimit_backoff",
      "network_error",
      "before_send",
      "sample_rate",
      "queue_overflow",
      "event_processor",
      "send_error",
      "internal_sdk_error",
      "buffer_overflow",
      "cache_overflow",
      "insufficient_data",
      "backpressure",
      "other",
    ],
  ],
  [
    "OUTCOME_KIND_FILTERED",
    [
      "filter_address",
      "filter_release",
      "filter_environment",
      "filter_message",
      "filter_type",
      "crawler",
      "old_browser",
      "browser_extension",
      "localhost",
      "spike",
    ],
  ],
];

for (const [kind, reasons] of reasonsOfKind)
  for (const reason of reasons) {
    words(`${kind} ${reason} has words of its own, with what to do`, () => {
      const shown = outcomeWords({ kind, reason });
      assert.not.match(shown.reason, /^$|[A-Z_].*\.$/);
      assert.is.not(shown.advice, unknown);
      assert.match(shown.advice, /^[A-Z].*\.$/);
    });
  }

words("the words are those that outcome.proto names for this service", () => {
  const proto = readFileSync(join(import.meta.dirname, "../../../proto/faultline/v1/outcome.proto"), "utf8");
  const [, refused = "", aside = ""] = /Refused: (.*?) Left aside: (.*?) Not sent: /s.exec(proto) ?? [];
  const named = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, word = ""]) => word);
  assert.equal(named(refused), reasonsOfKind[0]?.[1]);
  assert.equal(named(aside), reasonsOfKind[1]?.[1]);
  const [, filtered = ""] = /Filtered: (.*?)\n *string reason/s.exec(proto) ?? [];
  assert.equal(named(filtered), reasonsOfKind[3]?.[1]);
});

words("what a filter stopped is shown with the setting that lets it in", () => {
  const shown = outcomeWords({ kind: "OUTCOME_KIND_FILTERED", reason: "crawler" });
  assert.is(shown.setting?.address("acme/web"), "/acme/web/-/settings/monitor/inbound_filters#web_crawlers");
});

words("a reason of another kind, or of none, is shown as it is", () => {
  for (const reason of ["no_key", "some_new_word", "constructor", "__proto__", "toString"]) {
    const shown = outcomeWords({ kind: "OUTCOME_KIND_NOT_SENT", reason });
    assert.equal(shown, { reason: reason.replaceAll("_", " ").trim(), advice: unknown });
  }
  assert.is(outcomeWords({ kind: "OUTCOME_KIND_UNSPECIFIED", reason: "" }).reason, "no reason given");
});

for (const [category, name] of [
  ["error", "Errors"],
  ["log_item", "Logs"],
  ["default", "Not known"],
  ["", "Not known"],
  ["new_kind", "new kind"],
  ["constructor", "constructor"],
] as const) {
  words(`the category ${JSON.stringify(category)} is called ${name}`, () => assert.is(categoryName(category), name));
}

words.run();

const summary = suite("summary of what was refused");

const outcome = (quantity: number, reason: string, more: Partial<Outcome> = {}): Outcome => ({
  kind: "OUTCOME_KIND_REFUSED",
  category: "error",
  reason,
  quantity: String(quantity),
  ...more,
});

for (const [claim, outcomes, line] of [
  ["nothing is no line", [], ""],
  ["what was left aside or not sent is not counted", [outcome(9, "extra", { kind: "OUTCOME_KIND_LEFT_ASIDE" })], ""],
  [
    "one reason needs no number",
    [outcome(1204, "rate_limit")],
    "1,204 events refused in the last 24 hours: rate limit",
  ],
  ["one is singular", [outcome(1, "unknown_key")], "1 event refused in the last 24 hours: unknown key in DSN"],
  [
    "the same reason of several categories is added up, and what is no event is an item",
    [outcome(2, "rate_limit"), outcome(3, "rate_limit", { category: "session" })],
    "5 items refused in the last 24 hours: rate limit",
  ],
  [
    "several reasons have their numbers, the largest first",
    [outcome(54, "unknown_key"), outcome(1150, "rate_limit")],
    "1,204 events refused in the last 24 hours: rate limit (1,150), unknown key in DSN (54)",
  ],
  [
    "after the third reason the rest is counted",
    [outcome(5, "no_key"), outcome(4, "too_large"), outcome(3, "malformed"), outcome(2, "rate_limit"), outcome(1, "x")],
    "15 events refused in the last 24 hours: no key (5), too large (4), could not be read (3), 2 other reasons",
  ],
] as const) {
  summary(claim, () => assert.is(refusedSummary(outcomes), line));
}

summary("quantities beyond 32 bits add up", () => {
  assert.is(quantityOf([outcome(2 ** 40, "x"), outcome(1, "x")]), 2 ** 40 + 1);
});

summary.run();
