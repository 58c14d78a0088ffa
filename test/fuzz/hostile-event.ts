import type { JsonObject, JsonValue } from "@faultline/sentry-event";
import * as fc from "fast-check";

/** Texts that readers stumble over, and any others. */
export const text = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
  fc.constantFrom("", " ", "\0", "\ud800", "__proto__", "{{auto}}", "{{ default }}", "%s %(a)d {} {a}", "1e400", "::1"),
  fc.constantFrom("2026-11-21T00:00:00Z", "9".repeat(30), "%%%.99f", "a\r\nb\u2028c", "<script>", "x".repeat(9_000)),
);

const scalar: fc.Arbitrary<JsonValue> = fc.oneof(
  text,
  fc.constantFrom<JsonValue>(null, true, false, 0, -1, 1.5, 1e308, -1e308, 2 ** 53, 1e-320, 1_795_215_516),
);

/** Names that readers look at, at any level. */
const name = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.constantFrom(
      ...(
        "values frames stacktrace raw_stacktrace mechanism type value vars pre_context context_line post_context in_app " +
        "params env data headers cookies formatted message id username email ip_address geo function module filename " +
        "abs_path lineno colno name version packages timestamp category level query_string url method feedback crashed " +
        "current synthetic handled release environment started exited errored quantity reason contact_email"
      ).split(" "),
    ),
  },
  text,
);

const { value } = fc.letrec<{ value: JsonValue; list: JsonValue[]; object: JsonObject }>((tie) => ({
  value: fc.oneof({ maxDepth: 5, depthSize: "small" }, scalar, tie("list"), tie("object")),
  list: fc.array(tie("value"), { maxLength: 4 }),
  object: fc.dictionary(name, tie("value"), { maxKeys: 4 }),
}));

/** Any JSON value, of parts that mean something to the readers. */
export const jsonValue = value;

const fields = (
  "event_id timestamp level platform release environment dist tags user message logentry exception threads stacktrace " +
  "breadcrumbs request contexts extra modules fingerprint checksum sdk logger transaction culprit title server_name " +
  "site type debug_meta _meta sentry.interfaces.Exception sentry.interfaces.Stacktrace sentry.interfaces.Message " +
  "sentry.interfaces.Http sentry.interfaces.User sentry.interfaces.Breadcrumbs sentry.interfaces.Contexts " +
  "sid did seq init started duration status errors attrs aggregates discarded_events comments associated_event_id"
).split(" ");

/** An event, a session or a report of any values: the names are right, the rest is as it comes. */
export const hostileObject: fc.Arbitrary<JsonObject> = fc.dictionary(
  fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...fields) }, text),
  jsonValue,
  { maxKeys: 8 },
);
