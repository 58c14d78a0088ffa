/**
 * The form in which Sentry SDKs send an event, and its two readings: the head that counts, groups and finds it, and the
 * details that are shown of it. Pure: no I/O, no clock, no ids of its own.
 */
export type { Arrival, StoredPayload } from "./error-event.ts";
export { readErrorEvent, sentExceptions, sentStacks, withFramesOf } from "./error-event.ts";
export { commitOf } from "./commit.ts";
export type { EventDetails, StoredHead } from "./event-details.ts";
export type { EventFacts } from "./event-facts.ts";
export { readEventFacts, readStoredTags } from "./event-facts.ts";
export { readEvent } from "./event-details.ts";
export { filteredFields } from "./filtered-fields.ts";
export { explainGroup, groupParts, type ExplainedGroup } from "./grouping/group-parts.ts";
export { differenceOf, type GroupDifference } from "./grouping/difference.ts";
export type { GroupingReason } from "./grouping/reasons.ts";
export { isFunctionName } from "./generated-names/folded-names.ts";
export { hideSecrets, isSecretName } from "./hide-secrets.ts";
export { readEventId } from "./event-id.ts";
export type { JsonField, JsonObject, JsonValue } from "./json/json.ts";
export { asObject } from "./json/json.ts";
export { parsedEvent } from "./json/parsed-event.ts";
export { readLevel } from "./level.ts";
export { limits } from "./limits.ts";
export { readPlatform, readRelease, readServerName } from "./names.ts";
export { readRequestUrl, readUserAgent } from "./request.ts";
export { isPlaceTag, isUserTag, readEnvironment } from "./tags.ts";
export { readText } from "./json/text.ts";
export { isLibrary } from "./stack/library-of.ts";
export { boundedTime, readSentTime, readTime } from "./time.ts";
export { mainException } from "./exceptions/fault-tree.ts";
export { shownException } from "./exceptions/shown-exception.ts";
export { publicName } from "./naming/public-name.ts";
export { namingException } from "./naming/naming-exception.ts";
export { titleOf } from "./naming/title.ts";
export { isTransaction } from "./naming/transaction.ts";
export type { UserNames } from "./user/user.ts";
export { canonicalName, readUserKey, readUserNames, unheldAddress, userKey } from "./user/user.ts";
export { withSendersAddress } from "./user/address.ts";
