/** The one schema of Faultline: every message and service of `faultline.v1`. */
export * from "./gen/faultline/v1/account_pb.ts";
export * from "./gen/faultline/v1/audit_pb.ts";
export * from "./gen/faultline/v1/client_key_pb.ts";
export * from "./gen/faultline/v1/deprecation_pb.ts";
export * from "./gen/faultline/v1/error_pb.ts";
export * from "./gen/faultline/v1/error_reason_pb.ts";
export * from "./gen/faultline/v1/filter_pb.ts";
export * from "./gen/faultline/v1/ingest_pb.ts";
export * from "./gen/faultline/v1/instance_pb.ts";
export * from "./gen/faultline/v1/member_pb.ts";
export * from "./gen/faultline/v1/outcome_pb.ts";
export * from "./gen/faultline/v1/project_pb.ts";
export * from "./gen/faultline/v1/quota_pb.ts";
export * from "./gen/faultline/v1/release_pb.ts";
export * from "./gen/faultline/v1/role_pb.ts";
export * from "./gen/faultline/v1/settings_pb.ts";
export * from "./gen/faultline/v1/user_pb.ts";
