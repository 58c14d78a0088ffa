import { bodyOf, operation, single } from "@faultline/plugin/rest";
import {
  DeleteDeadLettersResponseSchema,
  GetIngestLagResponseSchema,
  HealthSchema,
  IngestLagSchema,
  InstanceService,
  ListDeadLettersResponseSchema,
  QueueHealthSchema,
  ReplayDeadLettersResponseSchema,
  RotateEncryptionKeyResponseSchema,
} from "@faultline/proto";
import { unstoredEvent } from "../outcomes/unstored-event-operations.ts";

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
