import type { Message, MessageJsonType, MessageShape } from "@bufbuild/protobuf";
import type { DescMessage } from "@bufbuild/protobuf";
import type * as proto from "@faultline/proto";

/**
 * The JSON of a message in the form that the console's server emits: fields without presence always exist, so only
 * fields that the schema allows to be missing are optional. The generated Json types make all fields optional.
 */
export type JsonOf<S extends DescMessage> = Emitted<MessageShape<S>, MessageJsonType<S>>;

type Emitted<M, J> = M extends readonly (infer MessageItem)[]
  ? J extends readonly (infer JsonItem)[]
    ? Emitted<MessageItem, JsonItem>[]
    : never
  : M extends Message
    ? J extends object
      ? {
          [K in keyof J & keyof M as undefined extends M[K] ? never : K]-?: Emitted<M[K], NonNullable<J[K]>>;
        } & {
          [K in keyof J & keyof M as undefined extends M[K] ? K : never]?:
            Emitted<NonNullable<M[K]>, NonNullable<J[K]>> | undefined;
        }
      : J
    : J;

export type User = JsonOf<typeof proto.UserSchema>;
export type AccessToken = JsonOf<typeof proto.AccessTokenSchema>;
export type AuditEvent = JsonOf<typeof proto.AuditEventSchema>;
export type IngestLag = JsonOf<typeof proto.IngestLagSchema>;
export type QueueHealth = JsonOf<typeof proto.QueueHealthSchema>;
export type Mail = JsonOf<typeof proto.MailSchema>;
export type Health = JsonOf<typeof proto.HealthSchema>;
export type OwnErrorReporting = JsonOf<typeof proto.OwnErrorReportingSchema>;
export type Deprecation = JsonOf<typeof proto.DeprecationSchema>;
export type Session = JsonOf<typeof proto.SessionSchema>;
export type Member = JsonOf<typeof proto.MemberSchema>;
export type MemberRole = JsonOf<typeof proto.MemberRoleSchema>;
export type Invitation = JsonOf<typeof proto.InvitationSchema>;
export type Role = proto.RoleJson;
export type Permission = proto.PermissionJson;
export type Project = JsonOf<typeof proto.ProjectSchema>;
export type Capability = JsonOf<typeof proto.CapabilitySchema>;
export type Quota = JsonOf<typeof proto.QuotaSchema>;
export type Settings = JsonOf<typeof proto.SettingsSchema>;
export type InboundFilters = JsonOf<typeof proto.InboundFiltersSchema>;
export type SpikeBudget = JsonOf<typeof proto.SpikeBudgetSchema>;
export type ExternalProject = JsonOf<typeof proto.ExternalProjectSchema>;
export type ClientKey = JsonOf<typeof proto.ClientKeySchema>;
export type ClientKeyTraffic = JsonOf<typeof proto.GetClientKeyTrafficResponseSchema>;
export type TrackedError = JsonOf<typeof proto.ErrorSchema>;
export type RegroupedError = JsonOf<typeof proto.RegroupedErrorSchema>;
export type ErrorStatus = proto.ErrorStatusJson;
export type ErrorSort = proto.ErrorSortJson;
export type AskedProject = JsonOf<typeof proto.AskedProjectSchema>;
export type AskedProjects = JsonOf<typeof proto.AskedProjectsSchema>;
export type ProjectErrors = JsonOf<typeof proto.ProjectErrorsSchema>;
export type StatusChange = JsonOf<typeof proto.StatusChangeSchema>;
export type SearchHint = JsonOf<typeof proto.SearchHintSchema>;
export type StatusCounts = JsonOf<typeof proto.StatusCountsSchema>;
export type ErrorChanges = JsonOf<typeof proto.WatchErrorsResponseSchema>;
export type ActivityEntry = JsonOf<typeof proto.ActivityEntrySchema>;
export type NotificationChannel = JsonOf<typeof proto.NotificationChannelSchema>;
export type NotificationChannelKind = JsonOf<typeof proto.NotificationChannelKindSchema>;
export type NotificationRule = JsonOf<typeof proto.NotificationRuleSchema>;
export type NotificationTriggerState = JsonOf<typeof proto.NotificationTriggerStateSchema>;
export type UsualEventCounts = JsonOf<typeof proto.UsualEventCountsSchema>;
export type NotificationPreview = JsonOf<typeof proto.PreviewNotificationRuleResponseSchema>;
export type NotificationMaintenance = JsonOf<typeof proto.NotificationMaintenanceSchema>;
export type NotificationDelivery = JsonOf<typeof proto.NotificationDeliverySchema>;
export type Tracker = JsonOf<typeof proto.TrackerSchema>;
export type TrackerKind = JsonOf<typeof proto.TrackerKindSchema>;
export type TrackerIssue = JsonOf<typeof proto.TrackerIssueSchema>;
export type NotificationPreferences = JsonOf<typeof proto.NotificationPreferencesSchema>;
export type NotificationLevel = proto.NotificationLevelJson;
export type ProjectNotificationLevel = JsonOf<typeof proto.ProjectNotificationLevelSchema>;
export type ErrorSubscription = proto.ErrorSubscriptionJson;
export type ErrorSubscriptionAnswer = JsonOf<typeof proto.GetErrorSubscriptionResponseSchema>;
export type InboxEntry = JsonOf<typeof proto.InboxEntrySchema>;
export type SavedSearch = JsonOf<typeof proto.SavedSearchSchema>;
export type BulkUpdate = JsonOf<typeof proto.BulkUpdateSchema>;
export type Deletion = JsonOf<typeof proto.DeletionSchema>;
/** A oneof is flat in JSON. */
export type Discard = Omit<JsonOf<typeof proto.DiscardSchema>, "end"> & {
  readonly end?: proto.DiscardEndJson | undefined;
};
export type ErrorStats = JsonOf<typeof proto.GetErrorStatsResponseSchema>;
export type ErrorBreakdown = JsonOf<typeof proto.GetErrorBreakdownResponseSchema>;
export type ExplainedGrouping = JsonOf<typeof proto.ExplainGroupingResponseSchema>;
export type GroupingExplanation = JsonOf<typeof proto.GroupingExplanationSchema>;
export type GroupingPart = JsonOf<typeof proto.GroupingPartSchema>;
export type TagBreakdown = JsonOf<typeof proto.TagBreakdownSchema>;
export type TagValueBreakdown = JsonOf<typeof proto.TagValueBreakdownSchema>;
export type Release = JsonOf<typeof proto.ReleaseSchema>;
export type ReleaseRecord = JsonOf<typeof proto.ReleaseRecordSchema>;
export type Commit = JsonOf<typeof proto.CommitSchema>;
export type Deploy = JsonOf<typeof proto.DeploySchema>;
export type SessionCounts = JsonOf<typeof proto.SessionCountsSchema>;
export type Outcome = JsonOf<typeof proto.OutcomeSchema>;
export type UnstoredEvent = JsonOf<typeof proto.UnstoredEventSchema>;
export type UnstoredKind = proto.UnstoredKindJson;
export type OutcomeKind = proto.OutcomeKindJson;
export type Refusal = JsonOf<typeof proto.RefusalSchema>;
export type Refusals = JsonOf<typeof proto.WatchRefusalsResponseSchema>;
export type EventSummary = JsonOf<typeof proto.EventSummarySchema>;
export type EventAnswer = JsonOf<typeof proto.GetEventResponseSchema>;
export type TrackedEvent = JsonOf<typeof proto.EventSchema>;
export type UserFeedback = JsonOf<typeof proto.UserFeedbackSchema>;
export type Exception = JsonOf<typeof proto.ExceptionSchema>;
export type Thread = JsonOf<typeof proto.ThreadSchema>;
export type ArtifactBundle = JsonOf<typeof proto.ArtifactBundleSchema>;
export type SourceCoverage = JsonOf<typeof proto.GetSourceCoverageResponseSchema>;
export type Frame = JsonOf<typeof proto.FrameSchema>;
export type Breadcrumb = JsonOf<typeof proto.BreadcrumbSchema>;
export type EventUser = JsonOf<typeof proto.EventUserSchema>;
export type HttpRequest = JsonOf<typeof proto.HttpRequestSchema>;
