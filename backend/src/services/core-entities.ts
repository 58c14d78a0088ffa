import { OwnErrorReportingEntity } from "./own-errors/own-error-reporting.ts";
import { AccessTokenEntity } from "./accounts/access-token.ts";
import { SessionEntity } from "./access/session.ts";
import { AuditEventEntity } from "./audit/audit-event.ts";
import { ClientKeyEntity } from "./client-keys/client-key.ts";
import { InboundFilterEntity } from "./filters/inbound-filters.ts";
import { InvitationEntity } from "./members/invitation.ts";
import { MemberRoleEntity } from "./members/member-role.ts";
import { MemberEntity } from "./members/member.ts";
import { ProjectEntity } from "./projects/project.ts";
import { SettingsEntity } from "./settings/settings.ts";
import { PasswordResetEntity } from "./users/password-reset.ts";
import { UserEntity } from "./users/user.ts";

/** The rows of the core, for the ORM. */
export const coreEntities = [
  UserEntity,
  SessionEntity,
  AccessTokenEntity,
  ProjectEntity,
  SettingsEntity,
  InboundFilterEntity,
  ClientKeyEntity,
  MemberRoleEntity,
  MemberEntity,
  InvitationEntity,
  PasswordResetEntity,
  AuditEventEntity,
  OwnErrorReportingEntity,
];
