import {
  AccountService,
  AuditService,
  ClientKeyService,
  DeprecationService,
  ErrorService,
  FilterService,
  IngestService,
  InstanceService,
  MemberRoleService,
  MemberService,
  OutcomeService,
  ProjectService,
  QuotaService,
  ReleaseService,
  SettingsService,
  UserService,
} from "@faultline/proto";
import { connect } from "@faultline/proto/grpc";
import { credentials } from "@grpc/grpc-js";
import { rootToken, type Server } from "./server.ts";

/** All services of a server; `auth` is the call context of the administrator. */
export function grpcClient(server: Pick<Server, "grpcAddress">) {
  const connection = connect(server.grpcAddress, credentials.createInsecure());
  return {
    accounts: connection.service(AccountService),
    users: connection.service(UserService),
    members: connection.service(MemberService),
    memberRoles: connection.service(MemberRoleService),
    audit: connection.service(AuditService),
    instance: connection.service(InstanceService),
    deprecations: connection.service(DeprecationService),
    projects: connection.service(ProjectService),
    quotas: connection.service(QuotaService),
    settings: connection.service(SettingsService),
    filters: connection.service(FilterService),
    clientKeys: connection.service(ClientKeyService),
    errors: connection.service(ErrorService),
    releases: connection.service(ReleaseService),
    outcomes: connection.service(OutcomeService),
    ingest: connection.service(IngestService),
    auth: { token: rootToken },
    close: connection.close,
  };
}

export type GrpcClient = ReturnType<typeof grpcClient>;
