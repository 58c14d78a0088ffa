import { bodyOf, operation, single } from "@faultline/plugin/rest";
import { MailSchema, NotificationMailService, SendTestMailResponseSchema } from "@faultline/proto";

const tag = "Installation";
const { method } = NotificationMailService;

const mail = bodyOf(MailSchema, {
  server: null,
  sender: null,
  lastSentTime: null,
  failingSinceTime: null,
  failure: null,
});

export const getMail = operation(method.getMail, "GET /application/mail", {
  tag,
  summary: "Read whether the installation sends mail",
  answer: single(200, "The state of mail.", mail),
});

export const sendTestMail = operation(method.sendTestMail, "POST /application/mail/test", {
  tag,
  summary: "Send a test mail to yourself",
  more: "To your confirmed address, at most five times an hour.",
  answer: single(200, "What the mail server answered.", bodyOf(SendTestMailResponseSchema, {}, { name: "TestMail" })),
});
