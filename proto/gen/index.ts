// Written by write-index.ts.
import { AccountService } from "./faultline/v1/account_pb.ts";
import { ActivityService } from "./faultline/v1/activity_pb.ts";
import { AuditService } from "./faultline/v1/audit_pb.ts";
import { BulkUpdateService } from "./faultline/v1/bulk_update_pb.ts";
import { ClientKeyService } from "./faultline/v1/client_key_pb.ts";
import { CommentService } from "./faultline/v1/comment_pb.ts";
import { DeletionService } from "./faultline/v1/deletion_pb.ts";
import { DeprecationService } from "./faultline/v1/deprecation_pb.ts";
import { ErrorService } from "./faultline/v1/error_pb.ts";
import { FilterService } from "./faultline/v1/filter_pb.ts";
import { InboxService } from "./faultline/v1/inbox_pb.ts";
import { IngestService } from "./faultline/v1/ingest_pb.ts";
import { InstanceService } from "./faultline/v1/instance_pb.ts";
import { MemberService } from "./faultline/v1/member_pb.ts";
import { NotificationChannelService } from "./faultline/v1/notification_channel_pb.ts";
import { NotificationDeliveryService } from "./faultline/v1/notification_delivery_pb.ts";
import { NotificationMailService } from "./faultline/v1/notification_mail_pb.ts";
import { NotificationMaintenanceService } from "./faultline/v1/notification_maintenance_pb.ts";
import { NotificationPreferenceService } from "./faultline/v1/notification_preference_pb.ts";
import { NotificationRuleService } from "./faultline/v1/notification_rule_pb.ts";
import { OutcomeService } from "./faultline/v1/outcome_pb.ts";
import { ProjectService } from "./faultline/v1/project_pb.ts";
import { QuotaService } from "./faultline/v1/quota_pb.ts";
import { ReleaseService } from "./faultline/v1/release_pb.ts";
import { ReleaseRecordService } from "./faultline/v1/release_record_pb.ts";
import { MemberRoleService } from "./faultline/v1/role_pb.ts";
import { SavedSearchService } from "./faultline/v1/saved_search_pb.ts";
import { SettingsService } from "./faultline/v1/settings_pb.ts";
import { SourceMapService } from "./faultline/v1/source_map_pb.ts";
import { TrackerIssueService } from "./faultline/v1/tracker_issue_pb.ts";
import { TrackerService } from "./faultline/v1/tracker_pb.ts";
import { UserService } from "./faultline/v1/user_pb.ts";

export * from "./faultline/v1/account_pb.ts";
export * from "./faultline/v1/activity_pb.ts";
export * from "./faultline/v1/audit_pb.ts";
export * from "./faultline/v1/bulk_update_pb.ts";
export * from "./faultline/v1/client_key_pb.ts";
export * from "./faultline/v1/comment_pb.ts";
export * from "./faultline/v1/deletion_pb.ts";
export * from "./faultline/v1/deprecation_pb.ts";
export * from "./faultline/v1/error_pb.ts";
export * from "./faultline/v1/error_reason_pb.ts";
export * from "./faultline/v1/filter_pb.ts";
export * from "./faultline/v1/inbox_pb.ts";
export * from "./faultline/v1/ingest_pb.ts";
export * from "./faultline/v1/instance_pb.ts";
export * from "./faultline/v1/member_pb.ts";
export * from "./faultline/v1/notification_channel_pb.ts";
export * from "./faultline/v1/notification_delivery_pb.ts";
export * from "./faultline/v1/notification_mail_pb.ts";
export * from "./faultline/v1/notification_maintenance_pb.ts";
export * from "./faultline/v1/notification_preference_pb.ts";
export * from "./faultline/v1/notification_rule_pb.ts";
export * from "./faultline/v1/outcome_pb.ts";
export * from "./faultline/v1/project_pb.ts";
export * from "./faultline/v1/quota_pb.ts";
export * from "./faultline/v1/release_pb.ts";
export * from "./faultline/v1/release_record_pb.ts";
export * from "./faultline/v1/role_pb.ts";
export * from "./faultline/v1/saved_search_pb.ts";
export * from "./faultline/v1/settings_pb.ts";
export * from "./faultline/v1/source_map_pb.ts";
export * from "./faultline/v1/tracker_issue_pb.ts";
export * from "./faultline/v1/tracker_pb.ts";
export * from "./faultline/v1/user_pb.ts";

/** The services of the core and of the product's plugins, by the names that code gives them. */
export const services = {
  accounts: AccountService,
  activity: ActivityService,
  audit: AuditService,
  bulkUpdates: BulkUpdateService,
  clientKeys: ClientKeyService,
  comments: CommentService,
  deletions: DeletionService,
  deprecations: DeprecationService,
  errors: ErrorService,
  filters: FilterService,
  inbox: InboxService,
  ingest: IngestService,
  instance: InstanceService,
  members: MemberService,
  notificationChannels: NotificationChannelService,
  notificationDeliveries: NotificationDeliveryService,
  notificationMail: NotificationMailService,
  notificationMaintenance: NotificationMaintenanceService,
  notificationPreferences: NotificationPreferenceService,
  notificationRules: NotificationRuleService,
  outcomes: OutcomeService,
  projects: ProjectService,
  quotas: QuotaService,
  releases: ReleaseService,
  releaseRecords: ReleaseRecordService,
  memberRoles: MemberRoleService,
  savedSearches: SavedSearchService,
  settings: SettingsService,
  sourceMaps: SourceMapService,
  trackerIssues: TrackerIssueService,
  trackers: TrackerService,
  users: UserService,
} as const;
