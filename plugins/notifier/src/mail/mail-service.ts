import { type Host, isMailAddress, projectPath, serve, ServiceError, timestamp } from "@faultline/plugin";
import { ErrorReason, MailState, NotificationMailService, type User, UserService } from "@faultline/proto";
import { randomUUID } from "node:crypto";
import { RecentLimit } from "../channels/recent-limit.ts";
import { composeMail } from "./compose.ts";
import { confirmationLetter, type Letter, testLetter } from "./letters.ts";
import { confirmationUrl, readConfirmation, readUnsubscribe, wrongConfirmation } from "./links.ts";
import { hostOf, noteTried, serverHealth } from "./mail-transport.ts";
import { isSubscribed, unsubscribe } from "./recipients.ts";
import type { Smtp } from "./smtp.ts";
import type { Tables } from "../tables.ts";

/** The methods that the plugin calls as itself for the mail service. */
export const userCalls = [UserService.method.getUser, UserService.method.confirmUserEmail];

const ownMails = {
  atMost: 5,
  withinMs: 3_600_000,
  refusal: "You can send yourself five of these e-mails per hour. Try again later.",
};

/** Whether mail works, and the actions of links in mails. `smtp` is undefined if mail is not set up. */
export const mailService = (smtp: Smtp | undefined, baseUrl: () => string) =>
  serve(NotificationMailService, (host) => {
    const { database, secrets, clock } = host;
    const own = new RecentLimit(clock, ownMails);
    const links = { secrets, baseUrl };

    const mailTo = async (to: string, letter: Letter, signal: AbortSignal | undefined) => {
      const [at, name] = [clock.now(), hostOf(baseUrl())];
      const tried = await withSmtp(smtp).send(composeMail(letter, { to, uid: randomUUID(), host: name, at }), signal);
      await noteTried(database.write<Tables>(), tried, clock.now());
      return { accepted: tried.outcome.is === "sent", answer: tried.answer, recipient: to };
    };

    return {
      async getMail(_, { caller }) {
        return { mail: await mailState(host, smtp, caller.user.isAdmin) };
      },

      async sendTestMail(_, { caller, signal }) {
        withSmtp(smtp);
        const user = await userOf(host, caller.user.id);
        if (!user.isEmailConfirmed || !isMailAddress(user.email)) {
          throw notSetUp(
            "Your account has no confirmed e-mail address. Enter and confirm an address on your account page first.",
          );
        }
        own.spend(user.userId);
        const letter = testLetter({ username: user.username, url: baseUrl(), at: clock.now(), zone: "UTC" });
        return mailTo(user.email, letter, signal);
      },

      async sendAddressConfirmation(_, { caller, signal }) {
        withSmtp(smtp);
        const { userId, username, email } = await userOf(host, caller.user.id);
        if (!isMailAddress(email)) {
          throw notSetUp("Your account has no usable e-mail address. Enter an address first.");
        }
        own.spend(userId);
        const url = confirmationUrl(links, { userId, email, now: clock.now() });
        const { accepted, recipient } = await mailTo(email, confirmationLetter({ username, url }), signal);
        return { accepted, recipient };
      },

      async getAddressConfirmation({ token }) {
        const { username, email } = await confirmedBy(host, token);
        return { username, email };
      },

      async confirmAddress({ token }) {
        const { userId, email } = await confirmedBy(host, token);
        const { user } = await host.invoke(UserService.method.confirmUserEmail, { userId, email });
        return { ...(user && { user }) };
      },

      async getMailSubscription({ token }) {
        const one = readUnsubscribe(secrets, token);
        return { projectPath: await pathOf(host, one.projectId), subscribed: await isSubscribed(database.read(), one) };
      },

      async unsubscribeFromMail({ token }) {
        const one = readUnsubscribe(secrets, token);
        const [projectPathName, { username }] = [await pathOf(host, one.projectId), await userOf(host, one.userId)];
        const ended = await unsubscribe(database.write(), { ...one, now: clock.now() });
        return { username, projectPath: projectPathName, ended };
      },
    };
  });

async function mailState({ database, clock }: Host, smtp: Smtp | undefined, isAdmin: boolean) {
  if (!smtp) return { state: MailState.NOT_SET_UP };
  const health = await serverHealth(database.read<Tables>());
  const isPaused = (health?.paused_until ?? 0) > clock.now();
  const failing = health?.failing_since == null ? MailState.WORKING : MailState.FAILING;
  return {
    state: isPaused ? MailState.PAUSED : failing,
    sender: smtp.sender,
    ...(isAdmin && { server: smtp.name, failure: health?.failure ?? "" }),
    ...(health?.last_sent_at != null && { lastSentTime: timestamp(health.last_sent_at) }),
    ...(health?.failing_since != null && { failingSinceTime: timestamp(health.failing_since) }),
  };
}

/** The user whom a confirmation link was sent to, if the address is still the user's. */
async function confirmedBy(host: Host, token: string): Promise<User> {
  const { userId, isFor } = readConfirmation(host.secrets, token.slice(0, 100), host.clock.now());
  const user = await userOf(host, userId).catch(() => undefined);
  if (user && !user.isBlocked && isFor(user.email)) return user;
  throw wrongConfirmation();
}

async function userOf({ invoke }: Host, userId: number): Promise<User> {
  const { user } = await invoke(UserService.method.getUser, { userId });
  if (!user) throw new ServiceError(ErrorReason.USER_NOT_FOUND, "This user does not exist.");
  return user;
}

async function pathOf(host: Host, projectId: number): Promise<string> {
  const path = await projectPath(host, projectId);
  if (path !== undefined) return path;
  throw new ServiceError(ErrorReason.PROJECT_NOT_FOUND, "The project no longer exists and sends no e-mails.");
}

function withSmtp(smtp: Smtp | undefined): Smtp {
  if (smtp) return smtp;
  throw notSetUp("This installation does not send e-mail. An administrator can set it up with FAULTLINE_SMTP_URL.");
}

const notSetUp = (sentence: string) => new ServiceError(ErrorReason.MAIL_NOT_SET_UP, sentence);
