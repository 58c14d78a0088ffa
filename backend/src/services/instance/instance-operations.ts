import { bodyOf, operation, paramsOf, single } from "@faultline/plugin/rest";
import {
  DeleteDeadLettersResponseSchema,
  GetIngestLagResponseSchema,
  HealthSchema,
  IngestLagSchema,
  InstanceSchema,
  InstanceService,
  ListDeadLettersResponseSchema,
  OwnErrorReportingSchema,
  QueueHealthSchema,
  ReplayDeadLettersResponseSchema,
  RotateEncryptionKeyResponseSchema,
} from "@faultline/proto";
import { unstoredEvent } from "../outcomes/outcome-operations.ts";

const tag = "Installation";
const { method } = InstanceService;

const lag = bodyOf(IngestLagSchema, { storedUntilTime: null });
const queue = bodyOf(QueueHealthSchema, { lag: { of: lag, orNull: true } });
const health = bodyOf(HealthSchema, { oldestEventTime: null, queue: { of: queue, orNull: true } });

export const getHealth = operation(method.getHealth, "GET /application/health", {
  tag,
  summary: "Read the health of the installation",
  answer: single(200, "Its health.", health),
});

export const rotateEncryptionKey = operation(method.rotateEncryptionKey, "POST /application/encryption_key/rotate", {
  tag,
  summary: "Replace the encryption key of the installation",
  more: "Every stored secret is encrypted with the new key in the background. Refused with 400 while other processes run on the same database.",
  answer: single(
    202,
    "How many secrets wait for the new key.",
    bodyOf(RotateEncryptionKeyResponseSchema, {}, { name: "KeyRotation" }),
  ),
});

export const getIngestLag = operation(method.getIngestLag, "GET /application/ingest_lag", {
  tag,
  summary: "Read how far storing is behind accepting",
  answer: single(
    200,
    "How far it is.",
    bodyOf(GetIngestLagResponseSchema, { ingestLag: { of: lag, orNull: true } }, { name: "IngestLagNow" }),
  ),
});

const deadLetters = "/application/dead_letters" as const;

export const listDeadLetters = operation(method.listDeadLetters, `GET ${deadLetters}`, {
  tag,
  summary: "List the dead letters of the installation",
  more: "Items that the queue accepted and no worker could store.",
  answer: single(
    200,
    "The dead letters, the newest first.",
    bodyOf(ListDeadLettersResponseSchema, { deadLetters: { of: unstoredEvent } }, { name: "DeadLetters" }),
  ),
});

export const replayDeadLetters = operation(method.replayDeadLetters, `POST ${deadLetters}/replay`, {
  tag,
  summary: "Send dead letters to the queue again",
  answer: single(200, "The result.", bodyOf(ReplayDeadLettersResponseSchema, {}, { name: "ReplayedDeadLetters" })),
});

export const deleteDeadLetters = operation(method.deleteDeadLetters, `DELETE ${deadLetters}`, {
  tag,
  summary: "Delete dead letters",
  answer: single(
    200,
    "How many were deleted.",
    bodyOf(DeleteDeadLettersResponseSchema, {}, { name: "DeletedDeadLetters" }),
  ),
});

const reporting = bodyOf(OwnErrorReportingSchema, {
  dsn: null,
  externalVersion: null,
  externalVersionSource: null,
  externalVersionNotice: null,
  askedVersion: null,
  suggestedProjectId: null,
  suggestedProjectPath: null,
});

const reportingAnswer = single(200, "Where failures are reported.", reporting);

export const getOwnErrorReporting = operation(method.getOwnErrorReporting, "GET /application/error_reporting", {
  tag,
  summary: "Read where the installation reports its own failures",
  answer: reportingAnswer,
});

export const updateOwnErrorReporting = operation(method.updateOwnErrorReporting, "PUT /application/error_reporting", {
  tag,
  summary: "Set where the installation reports its own failures",
  more: "Omitted fields keep their values. The system behind the DSN is asked for its version, within three seconds: what it reports counts more than `external_version`, and a version before 21.5.0 is refused from platform release 17.0 on.",
  params: paramsOf(method.updateOwnErrorReporting.input, {
    dsn: { maxLength: 1024 },
    environment: { maxLength: 64 },
    externalVersion: { maxLength: 64 },
  }),
  answer: reportingAnswer,
  refuses: [404],
});

const metadata = bodyOf(
  InstanceSchema,
  { offering: { schema: { enum: ["hosted", "self_managed", "dedicated"] } } },
  {
    name: "Metadata",
    description: "What is offered here.",
    further: {
      revision: [{ type: "null", description: "Here for clients of the original." }, () => null],
      enterprise: [{ type: "boolean", const: false, description: "Here for clients of the original." }, () => false],
    },
  },
);

function readingAt(route: `GET /${string}`, words: { readonly id: string; readonly more?: string }) {
  return operation(method.getInstance, route, {
    ...words,
    tag,
    summary: "Read what is offered here",
    answer: single(200, "What is offered.", metadata),
  });
}

export const getMetadata = readingAt("GET /metadata", { id: "getMetadata" });
export const getVersion = readingAt("GET /version", { id: "getVersion", more: "As /metadata." });
