import type { SettingsField } from "@faultline/plugin/fields";
import type { IssueComment, IssueText } from "./issue-text.ts";

/** A kind of trackers: its fields, and how its API is called. All calls throw TrackerFailure. */
export interface TrackerKind {
  readonly kind: string;
  readonly name: string;
  readonly fields: readonly SettingsField[];
  /** The field that names the project of the issues. */
  readonly projectField: string;
  /** Whether its issues can be confidential. */
  readonly offersConfidential: boolean;
  /** What each request carries, the credentials above all. */
  headers(fields: TrackerFields): Readonly<Record<string, string>>;
  /** Throws where the project cannot be read, or has no issues. */
  check(tracker: OpenTracker): Promise<void>;
  create(tracker: OpenTracker, text: IssueText, options: { readonly isConfidential: boolean }): Promise<Issue>;
  /** The issue whose text holds the mark, which was made after `since` (less a day, as clocks differ). Undefined: there is none. */
  find(tracker: OpenTracker, mark: string, since: number): Promise<Issue | undefined>;
  /** Issues by their keys, at most `issuesAtOnce`; those that are gone are left out. */
  read(tracker: OpenTracker, keys: readonly string[]): Promise<ReadonlyMap<string, Issue>>;
  comment(tracker: OpenTracker, key: string, comment: IssueComment): Promise<void>;
  /** Its newest comments, as JSON: those after `since`, less a day. */
  newestComments(tracker: OpenTracker, key: string, since: number): Promise<unknown>;
  setOpen(tracker: OpenTracker, key: string, isOpen: boolean): Promise<void>;
  /** The key of the issue that an address may belong to. Undefined: it is not one of this tracker. */
  keyIn(address: URL, fields: TrackerFields): string | undefined;
  /** Whether a webhook was sent by someone who knows the secret, compared in constant time. */
  isSigned(hook: Hook, secret: string, now: number): boolean;
  /** The key of the issue that a webhook is about. Undefined: none. */
  keyOfHook(body: unknown): string | undefined;
}

export const issuesAtOnce = 100;

export type TrackerFields = Readonly<Record<string, string>>;

/** The stored settings of a tracker, encrypted as a whole. */
export interface TrackerConfig {
  readonly fields: TrackerFields;
  /** `whsec_` and base64 of 32 bytes. */
  readonly hookSecret: string;
}

/** A tracker that can be called. */
export interface OpenTracker {
  readonly fields: TrackerFields;
  /** The JSON of an answer with a status 2xx. Throws TrackerFailure for any other, and for none. */
  send(request: TrackerRequest): Promise<unknown>;
}

export interface TrackerRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH";
  readonly url: string;
  readonly body?: unknown;
}

/** An issue as a tracker reports it. */
export interface Issue {
  /** Identifies it within the tracker: `12`, or `SHOP-12`. */
  readonly key: string;
  readonly url: string;
  readonly isOpen: boolean;
}

/** A webhook as it arrived. */
export interface Hook {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}
