import { emptyIntake } from "@faultline/plugin";
import { setHeaders, sendJson, type Handler } from "../../request-context.ts";
import { admitDsn } from "../admission.ts";
import { readDecodedBody } from "../body/decoded-body.ts";
import { readFeedback } from "../items/feedback.ts";
import { isLeftAside } from "../items/left-aside.ts";
import { maxItemBytes } from "../limits.ts";
import { RateLimitUse } from "../rate-limit-use.ts";
import { IngestRefusal } from "../refusal.ts";

/**
 * The dialog in which the user of a page writes a report, as JavaScript for that page. The page's texts, such as
 * translated titles, are read from the script's own address and set as text, so none of them can be markup or code. The
 * styles work under a Content-Security-Policy without `unsafe-inline`.
 */
const dialogScript = String.raw`(() => {
  "use strict";
  const address = document.currentScript.src;
  const said = new URL(address).searchParams;
  const text = (name, usual) => said.get(name) || usual;
  const make = (tag, content = "") => Object.assign(document.createElement(tag), { textContent: content });

  const host = make("div");
  const root = host.attachShadow({ mode: "open" });
  const style = new CSSStyleSheet();
  style.replaceSync(
    "dialog { font: 16px/1.5 system-ui, sans-serif; color: #1b1f24; background: #fff; border: 1px solid #8b949e;" +
      " border-radius: 8px; padding: 24px; box-sizing: border-box; inline-size: min(480px, 94vw); max-block-size: 92vh; }" +
      "dialog::backdrop { background: rgb(0 0 0 / 50%); }" +
      "h2 { font-size: 20px; margin: 0 0 8px; } p { margin: 0 0 16px; }" +
      "label { display: block; margin-block-end: 12px; }" +
      "input, textarea { display: block; box-sizing: border-box; inline-size: 100%; font: inherit; color: inherit;" +
      " background: inherit; border: 1px solid #6e7781; border-radius: 4px; padding: 6px 8px; }" +
      "textarea { min-block-size: 96px; resize: vertical; }" +
      "button { font: inherit; padding: 6px 16px; border: 1px solid #6e7781; border-radius: 4px; cursor: pointer;" +
      " margin-inline-end: 8px; background: #f6f8fa; color: #1b1f24; }" +
      "button[type=submit] { background: #0b57d0; border-color: #0b57d0; color: #fff; }" +
      "[role=alert]:not(:empty) { color: #b3261e; }",
  );
  root.adoptedStyleSheets = [style];

  const dialog = make("dialog");
  const title = make("h2", text("title", "Something went wrong."));
  title.id = "title";
  dialog.setAttribute("aria-labelledby", "title");
  if (said.get("lang")) dialog.lang = said.get("lang");
  const intro = [text("subtitle", "Our team has been notified."), text("subtitle2", "Tell us what happened to help us.")];

  const field = (tag, name, label, more) => {
    const control = Object.assign(make(tag), { name, ...more });
    const around = make("label", label);
    around.append(control);
    return around;
  };
  const form = make("form");
  const fault = make("p");
  fault.setAttribute("role", "alert");
  const send = Object.assign(make("button", text("labelSubmit", "Send report")), { type: "submit" });
  const leave = Object.assign(make("button", text("labelClose", "Close")), { type: "button" });
  form.append(
    field("input", "name", text("labelName", "Name"), { value: text("name", ""), maxLength: 128, autocomplete: "name" }),
    field("input", "email", text("labelEmail", "E-mail"), {
      type: "email",
      value: text("email", ""),
      maxLength: 75,
      autocomplete: "email",
    }),
    field("textarea", "comments", text("labelComments", "What happened?"), { required: true, maxLength: 4096 }),
    fault,
    send,
    leave,
  );
  dialog.append(title, make("p", intro.join(" ")), form);
  root.append(dialog);

  leave.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => {
    host.remove();
    window.postMessage("__sentry_reportdialog_closed__", "*"); // for onClose of showReportDialog
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    send.disabled = true;
    fault.textContent = "";
    const body = new URLSearchParams(new FormData(form));
    body.set("url", location.href);
    try {
      const answer = await window.fetch(address, { method: "POST", body });
      if (answer.ok) {
        const done = make("p", text("successMessage", "Your report was sent. Thank you!"));
        done.setAttribute("role", "status");
        form.replaceChildren(done, leave);
        leave.focus();
        return;
      }
      fault.textContent =
        answer.status === 400
          ? text("errorFormEntry", "The report could not be read. Check the fields and send it again.")
          : text("errorGeneric", "The report could not be sent. Try again in a moment.");
    } catch {
      fault.textContent = text("errorGeneric", "The report could not be sent. Try again in a moment.");
    }
    send.disabled = false;
  });

  document.body.append(host);
  dialog.showModal();
  form.elements.namedItem("comments").focus();
})();
`;

/**
 * `GET .../embed/error-page/?dsn=&eventId=`: the dialog of `Sentry.showReportDialog` for the requesting page. The
 * script is the same for all pages, and reads a page's texts from its own address.
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

/** `POST` to the same address: the user's report, as a form. */
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
