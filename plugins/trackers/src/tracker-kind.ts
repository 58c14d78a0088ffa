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
  /** The headers of each request, including the credentials. */
  headers(fields: TrackerFields): Readonly<Record<string, string>>;
  /** Throws if the project cannot be read or has no issues. */
  check(tracker: OpenTracker): Promise<void>;
  create(tracker: OpenTracker, text: IssueText, options: { readonly isConfidential: boolean }): Promise<Issue>;
  /**
   * The issue with the mark in its text, made after `since` (minus a day because clocks differ); undefined if there is
   * none.
   */
  find(tracker: OpenTracker, mark: string, since: number): Promise<Issue | undefined>;
  /** Reads issues by key, at most `issuesAtOnce`. Leaves out deleted issues. */
  read(tracker: OpenTracker, keys: readonly string[]): Promise<ReadonlyMap<string, Issue>>;
  comment(tracker: OpenTracker, key: string, comment: IssueComment): Promise<void>;
  /** The newest comments of an issue, as JSON: comments after `since`, minus a day. */
  newestComments(tracker: OpenTracker, key: string, since: number): Promise<unknown>;
  setOpen(tracker: OpenTracker, key: string, isOpen: boolean): Promise<void>;
  /** The key of the issue that an address may belong to; undefined if the address belongs to another tracker. */
  keyIn(address: URL, fields: TrackerFields): string | undefined;
  /** Whether a webhook was sent by someone who knows the secret, compared in constant time. */
  isSigned(hook: Hook, secret: string, now: number): boolean;
  /** The key of the issue that a webhook is about; undefined if it is about no issue. */
  keyOfHook(body: unknown): string | undefined;
}

export const issuesAtOnce = 100;

export type TrackerFields = Readonly<Record<string, string>>;

/** The stored settings of a tracker, encrypted together. */
export interface TrackerConfig {
  readonly fields: TrackerFields;
  /** `whsec_` and base64 of 32 bytes. */
  readonly hookSecret: string;
}

/** A tracker that can be called. */
export interface OpenTracker {
  readonly fields: TrackerFields;
  /** The JSON of an answer with a 2xx status. Throws TrackerFailure for any other status, and without an answer. */
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
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}
