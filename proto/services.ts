import { AccountService } from "./gen/faultline/v1/account_pb.ts";
import { AuditService } from "./gen/faultline/v1/audit_pb.ts";
import { ClientKeyService } from "./gen/faultline/v1/client_key_pb.ts";
import { DeletionService } from "./gen/faultline/v1/deletion_pb.ts";
import { DeprecationService } from "./gen/faultline/v1/deprecation_pb.ts";
import { ErrorService } from "./gen/faultline/v1/error_pb.ts";
import { FilterService } from "./gen/faultline/v1/filter_pb.ts";
import { IngestService } from "./gen/faultline/v1/ingest_pb.ts";
import { InstanceService } from "./gen/faultline/v1/instance_pb.ts";
import { MemberService } from "./gen/faultline/v1/member_pb.ts";
import { OutcomeService } from "./gen/faultline/v1/outcome_pb.ts";
import { ProjectService } from "./gen/faultline/v1/project_pb.ts";
import { QuotaService } from "./gen/faultline/v1/quota_pb.ts";
import { ReleaseService } from "./gen/faultline/v1/release_pb.ts";
import { MemberRoleService } from "./gen/faultline/v1/role_pb.ts";
import { SettingsService } from "./gen/faultline/v1/settings_pb.ts";
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
  deletions: DeletionService,
  releases: ReleaseService,
  outcomes: OutcomeService,
  ingest: IngestService,
} as const;
