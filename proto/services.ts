import { AccountService } from "./gen/faultline/v1/account_pb.ts";
import { ActivityService } from "./gen/faultline/v1/activity_pb.ts";
import { AuditService } from "./gen/faultline/v1/audit_pb.ts";
import { BulkUpdateService } from "./gen/faultline/v1/bulk_update_pb.ts";
import { ClientKeyService } from "./gen/faultline/v1/client_key_pb.ts";
import { DeletionService } from "./gen/faultline/v1/deletion_pb.ts";
import { DeprecationService } from "./gen/faultline/v1/deprecation_pb.ts";
import { ErrorService } from "./gen/faultline/v1/error_pb.ts";
import { FilterService } from "./gen/faultline/v1/filter_pb.ts";
import { InboxService } from "./gen/faultline/v1/inbox_pb.ts";
import { IngestService } from "./gen/faultline/v1/ingest_pb.ts";
import { InstanceService } from "./gen/faultline/v1/instance_pb.ts";
import { MemberService } from "./gen/faultline/v1/member_pb.ts";
import { NotificationChannelService } from "./gen/faultline/v1/notification_channel_pb.ts";
import { NotificationDeliveryService } from "./gen/faultline/v1/notification_delivery_pb.ts";
import { NotificationMaintenanceService } from "./gen/faultline/v1/notification_maintenance_pb.ts";
import { NotificationMailService } from "./gen/faultline/v1/notification_mail_pb.ts";
import { NotificationPreferenceService } from "./gen/faultline/v1/notification_preference_pb.ts";
import { NotificationRuleService } from "./gen/faultline/v1/notification_rule_pb.ts";
import { OutcomeService } from "./gen/faultline/v1/outcome_pb.ts";
import { ProjectService } from "./gen/faultline/v1/project_pb.ts";
import { QuotaService } from "./gen/faultline/v1/quota_pb.ts";
import { ReleaseService } from "./gen/faultline/v1/release_pb.ts";
import { ReleaseRecordService } from "./gen/faultline/v1/release_record_pb.ts";
import { MemberRoleService } from "./gen/faultline/v1/role_pb.ts";
import { SavedSearchService } from "./gen/faultline/v1/saved_search_pb.ts";
import { SettingsService } from "./gen/faultline/v1/settings_pb.ts";
import { SourceMapService } from "./gen/faultline/v1/source_map_pb.ts";
import { TrackerService } from "./gen/faultline/v1/tracker_pb.ts";
import { TrackerIssueService } from "./gen/faultline/v1/tracker_issue_pb.ts";
import { UserService } from "./gen/faultline/v1/user_pb.ts";

/** The services of the core, by the name that code gives each. Their order has no meaning. */
export const services = {
  accounts: AccountService,
  users: UserService,
  members: MemberService,
  memberRoles: MemberRoleService,
  audit: AuditService,
  instance: InstanceService,
  deprecations: DeprecationService,
  projects: ProjectService,
  quotas: QuotaService,
  settings: SettingsService,
  filters: FilterService,
  clientKeys: ClientKeyService,
  errors: ErrorService,
  savedSearches: SavedSearchService,
  notificationChannels: NotificationChannelService,
  notificationRules: NotificationRuleService,
  notificationMaintenance: NotificationMaintenanceService,
  notificationDeliveries: NotificationDeliveryService,
  trackers: TrackerService,
  trackerIssues: TrackerIssueService,
  notificationMail: NotificationMailService,
  notificationPreferences: NotificationPreferenceService,
  inbox: InboxService,
  bulkUpdates: BulkUpdateService,
  deletions: DeletionService,
  activity: ActivityService,
  releases: ReleaseService,
  releaseRecords: ReleaseRecordService,
  sourceMaps: SourceMapService,
  outcomes: OutcomeService,
  ingest: IngestService,
} as const;
