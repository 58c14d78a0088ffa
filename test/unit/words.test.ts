import {
  ErrorSort,
  ErrorSortSchema,
  ErrorStatus,
  ErrorStatusSchema,
  ErrorSubscription,
  ErrorSubscriptionSchema,
  NotificationTriggerSchema,
  NotificationTrigger,
  services,
  wordOf,
  words,
} from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";

const test = suite("words of enums");

test("are the names in lower case, in the order of the proto file", () => {
  const { UNRESOLVED, RESOLVED, IGNORED } = ErrorStatus;
  assert.equal(Object.entries(words(ErrorStatusSchema)), [
    ["unresolved", UNRESOLVED],
    ["resolved", RESOLVED],
    ["ignored", IGNORED],
  ]);
  assert.is(words(NotificationTriggerSchema)["quota_near"], NotificationTrigger.QUOTA_NEAR);
});

test("are the words of the option if a value has one", () => {
  assert.is(words(ErrorSortSchema)["frequency"], ErrorSort.EVENT_COUNT);
  assert.is(wordOf(ErrorSortSchema, ErrorSort.USER_COUNT), "users");
  assert.is(wordOf(ErrorSubscriptionSchema, ErrorSubscription.UNSPECIFIED), "none");
});

test("leave out UNSPECIFIED, which a filter may name", () => {
  assert.is(wordOf(ErrorStatusSchema, ErrorStatus.UNSPECIFIED), undefined);
  assert.is(words(ErrorStatusSchema)["unspecified"], undefined);
  assert.is(words(ErrorStatusSchema, "all")["all"], ErrorStatus.UNSPECIFIED);
  assert.is(wordOf(ErrorStatusSchema, 99), undefined);
});

test("are each of one value", () => {
  for (const file of new Set(Object.values(services).map((service) => service.file)))
    for (const desc of file.enums)
      assert.is(Object.keys(words(desc)).length, new Set(valuesWithWords(desc)).size, desc.name);
});

const valuesWithWords = (desc: (typeof ErrorStatusSchema.file.enums)[number]) =>
  desc.values.map(({ number }) => number).filter((number) => wordOf(desc, number) !== undefined);

test.run();
