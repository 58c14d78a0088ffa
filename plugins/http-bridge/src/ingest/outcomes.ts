import { OutcomeKind } from "@faultline/proto";
import type { RequestContext } from "../request-context.ts";
import { admittedKey, refusedProject } from "./admission.ts";
import { readClientKey } from "./authentication.ts";
import type { IngestRefusal } from "./refusal.ts";

/**
 * Counts a refusal, and shows it to people who wait for the first event of the project. `bytes` is the size of the body
 * if the whole request was refused.
 */
export function noteRefusal(context: RequestContext, refusal: IngestRefusal, category = "default", bytes = 0): void {
  const { outcome: reason, message } = refusal;
  if (reason === undefined) return;
  const { request, query, host, clientIp } = context;
  host.events.note({
    projectId: refusedProject(context),
    kind: OutcomeKind.REFUSED,
    category: refusal.category ?? category,
    reason,
    quantity: refusal.quantity,
    keyId: refusal.keyId ?? admittedKey(request),
    bytes,
    refusal: {
      message,
      ipAddress: clientIp,
      sdk: (readClientKey(query, request.headers).client ?? request.headers["user-agent"] ?? "").slice(0, 100),
    },
  });
}
