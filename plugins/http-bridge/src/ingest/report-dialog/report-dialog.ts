import { emptyIntake } from "@faultline/plugin";
import { setHeaders, sendJson, type Handler } from "../../request-context.ts";
import { admitDsn } from "../admission.ts";
import { readDecodedBody } from "../body/decoded-body.ts";
import { readFeedback } from "../items/feedback.ts";
import { isLeftAside } from "../items/left-aside.ts";
import { maxItemBytes } from "../limits.ts";
import { RateLimitUse } from "../rate-limit-use.ts";
import { IngestRefusal } from "../refusal.ts";
import { dialogScript } from "./dialog-script.ts";

/**
 * `GET .../embed/error-page/?dsn=&eventId=`: the dialog of `Sentry.showReportDialog` for the page that asks for it. The
 * script is the same for all, and reads what the page says from its own address.
 */
export const sendReportDialog: Handler = async (context) => {
  const { response, query, headers } = context;
  await admitDsn(context, query.get("dsn") ?? "");
  setHeaders(response, headers);
  response.writeHead(200, {
    "content-type": "text/javascript; charset=utf-8",
    "content-length": Buffer.byteLength(dialogScript),
    "cache-control": "no-store",
  });
  response.end(dialogScript);
};

/** `POST` to the same address: what the user wrote, as a form. */
export const receiveReport: Handler = async (context) => {
  const { host, request, response, query, headers, clientIp } = context;
  const admission = await admitDsn(context, query.get("dsn") ?? "");
  const refusal = host.events.quotaRefusal(admission);
  if (refusal) throw refusal;
  const rateLimits = new RateLimitUse(context, admission);
  rateLimits.checkCost();
  rateLimits.take("feedback"); // before the body is read, so that a refusal costs next to nothing
  const max = { compressed: maxItemBytes.user_report, decoded: maxItemBytes.user_report };
  const { decoded } = await readDecodedBody(request, max, rateLimits);
  const form = new URLSearchParams(decoded.toString());
  const field = (name: string) => form.get(name) ?? "";
  const feedback = readFeedback(
    {
      event_id: query.get("eventId"),
      name: field("name"),
      email: field("email"),
      comments: field("comments"),
      url: field("url"),
      source: "report dialog",
    },
    { ...admission, receivedAt: host.clock.now(), clientIp },
  );
  if (isLeftAside(feedback))
    throw new IngestRefusal(400, "The report has no text. Describe in comments what happened.");
  await host.events.accept({ ...emptyIntake, feedback: [feedback] }, admission);
  host.events.received(admission, { events: 0, bytes: decoded.length });
  sendJson(response, 200, {}, headers);
};
