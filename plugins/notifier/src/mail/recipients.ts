import { isMailAddress, ServiceError, type Host } from "@faultline/plugin";
import { MemberService, Permission, Role, type Member } from "@faultline/proto";
import type { Kysely } from "kysely";
import { isTimeZone } from "../people/quiet-hours.ts";
import type { Tables } from "../tables.ts";
import type { Subscription } from "./links.ts";

/** A person who gets mails of a project. */
export interface Recipient {
  readonly userId: number;
  readonly username: string;
  readonly address: string;
  /** A zone of the IANA database. */
  readonly zone: string;
}

/** The methods that the plugin calls as itself to find recipients. */
export const memberCalls = [MemberService.method.listMembers, MemberService.method.getMember];

const membersAtOnce = 100;

/** The members of a project who have a confirmed address and did not end its mails. */
export async function mailable(
  host: Pick<Host, "invoke" | "database">,
  projectId: number,
): Promise<ReadonlySet<number>> {
  const rows = await host.database
    .read<Tables>()
    .selectFrom("notifier_unsubscribed")
    .select("user_id")
    .where("project_id", "=", projectId)
    .execute();
  const ended = new Set(rows.map((row) => row.user_id));
  const members: Member[] = [];
  let pageToken = "";
  do {
    const page = await host
      .invoke(MemberService.method.listMembers, { projectId, pageSize: membersAtOnce, pageToken })
      .catch(noMembers);
    members.push(...page.members);
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  const ids = members.flatMap((member) => {
    const recipient = recipientOf(member, "UTC");
    return "refusal" in recipient || ended.has(recipient.userId) ? [] : [recipient.userId];
  });
  return new Set(ids);
}

/** The person as a current member of the project, or the reason why no mail may be sent. */
export async function presentRecipient(
  host: Pick<Host, "invoke" | "database">,
  { userId, projectId }: Subscription,
): Promise<Recipient | { readonly refusal: string }> {
  if (!(await isSubscribed(host.database.read(), { userId, projectId })))
    return { refusal: "The person unsubscribed from these e-mails." };
  const { member } = await host.invoke(MemberService.method.getMember, { projectId, userId }).catch(noMember);
  if (!member || !mayReadErrors(member)) return { refusal: "The person can no longer read the project's errors." };
  const wishes = await host.database
    .read<Tables>()
    .selectFrom("notifier_person")
    .select(["wants_mail", "time_zone"])
    .where("user_id", "=", userId)
    .executeTakeFirst();
  if (wishes?.wants_mail === 0) return { refusal: "The person turned off e-mails." };
  const zone = wishes?.time_zone ?? "UTC";
  return recipientOf(member, isTimeZone(zone) ? zone : "UTC");
}

export async function isSubscribed(tables: Kysely<Tables>, { userId, projectId }: Subscription): Promise<boolean> {
  const row = await tables
    .selectFrom("notifier_unsubscribed")
    .select("at")
    .where("user_id", "=", userId)
    .where("project_id", "=", projectId)
    .executeTakeFirst();
  return row === undefined;
}

/** Ends a person's mails of a project. Returns whether this call ended them. */
export async function unsubscribe(
  tables: Kysely<Tables>,
  { userId, projectId, now }: Subscription & { readonly now: number },
): Promise<boolean> {
  const rows = await tables
    .insertInto("notifier_unsubscribed")
    .values({ user_id: userId, project_id: projectId, at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returning("at")
    .execute();
  return rows.length > 0;
}

function recipientOf({ user }: Member, zone: string): Recipient | { readonly refusal: string } {
  const { userId = 0, username = "", email = "", isBlocked = true, isEmailConfirmed = false } = user ?? {};
  if (isBlocked) return { refusal: "The account is blocked." };
  if (!isEmailConfirmed || !isMailAddress(email)) return { refusal: "The account has no confirmed e-mail address." };
  return { userId, username, address: email, zone };
}

const mayReadErrors = ({ role, memberRole }: Member) =>
  role >= Role.REPORTER || memberRole?.permissions.includes(Permission.READ_ERROR_TRACKING) === true;

function noMembers(refusal: unknown): { members: Member[]; nextPageToken: string } {
  if (refusal instanceof ServiceError) return { members: [], nextPageToken: "" }; // the project is deleted
  throw refusal;
}

function noMember(refusal: unknown): { member?: Member } {
  if (refusal instanceof ServiceError) return {};
  throw refusal;
}
