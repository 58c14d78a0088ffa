/**
 * The form in which Sentry SDKs send an event, and its two readings: the head that counts, groups and finds it, and the
 * details that are shown of it. Pure: no I/O, no clock, no new ids.
 */
export {
  type Arrival,
  type StoredPayload,
  readErrorEvent,
  sentExceptions,
  sentStacks,
  withFramesOf,
} from "./error-event.ts";
export { commitOf, readEventId, readLevel, readPlatform, readRelease, readServerName } from "./fields.ts";
export { type EventDetails, type StoredHead, readEvent } from "./event-details.ts";
export { type EventFacts, filteredFields, readEventFacts, readStoredTags } from "./event-facts.ts";
export { explainGroup, groupParts, type ExplainedGroup } from "./grouping/group-parts.ts";
export { differenceOf, type GroupDifference, type GroupingReason } from "./grouping/reasons.ts";
export { isFunctionName } from "./generated-names/names.ts";
export { hideSecrets, isSecretName } from "./hide-secrets.ts";
export { type JsonField, type JsonObject, type JsonValue, asObject, parsedEvent, readText } from "./json.ts";
export { limits } from "./limits.ts";
export { readRequestUrl, readUserAgent } from "./request.ts";
export { isPlaceTag, isUserTag, readEnvironment } from "./tags.ts";
export { isLibrary } from "./stack/libraries.ts";
export { boundedTime, readSentTime, readTime } from "./time.ts";
export { mainException, shownException } from "./exceptions.ts";
export { publicName } from "./naming/public-name.ts";
export { namingException, titleOf } from "./naming/title.ts";
export { isTransaction } from "./naming/culprit.ts";
export {
  type UserNames,
  canonicalName,
  readUserKey,
  readUserNames,
  unheldAddress,
  userKey,
  withSendersAddress,
} from "./user.ts";
