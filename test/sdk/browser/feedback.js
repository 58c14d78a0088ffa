/** Sends with @sentry/browser what test/sdk/feedback-features.ts asserts: by the widget, a call and the dialog for reports. */
import * as Sentry from "@sentry/browser";

Sentry.init({
  dsn: window.dsn,
  release: "shop@1.2.3",
  environment: "staging",
  integrations: [Sentry.feedbackIntegration({ autoInject: false })],
});

/** Waits for an element of the page, or of a part of it that has a root of its own. */
async function found(find) {
  for (;;) {
    const element = find();
    if (element) return element;
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
}

function write(form, values) {
  for (const [name, value] of Object.entries(values)) form.elements.namedItem(name).value = value;
  form.requestSubmit();
}

const form = await Sentry.getFeedback().createForm();
form.appendToDom();
form.open();
const widget = await found(() => document.querySelector("#sentry-feedback")?.shadowRoot?.querySelector("form"));
write(widget, { name: "Ann", email: "ann@shop.example", message: "The till is empty." });
await found(() => !document.querySelector("#sentry-feedback")?.shadowRoot?.querySelector("dialog[open]"));

const associatedEventId = Sentry.captureException(new Error("the till fell down"));
Sentry.captureFeedback({ name: "Bo", email: "bo@shop.example", message: "It fell.", associatedEventId });
Sentry.showReportDialog({ eventId: associatedEventId, user: { name: "Cy", email: "cy@shop.example" } });
const hosts = () => [...document.body.children].map(({ shadowRoot }) => shadowRoot?.querySelector("form"));
const dialog = await found(() => hosts().find((one) => one?.elements.namedItem("comments")));
write(dialog, { comments: "On my foot." });
await found(() => dialog.querySelector("[role=status]"));
window.isDone = await Sentry.flush(10_000);
