import { isMailAddress } from "@faultline/plugin";

/** The mail server of this installation, and the sender of its mails. */
export interface MailConfig {
  readonly host: string;
  readonly port: number;
  /** `tls` from the first byte, `starttls` before anything else, or `none` for plaintext. */
  readonly encryption: "tls" | "starttls" | "none";
  /** Undefined if the server asks for no login. */
  readonly login: { readonly user: string; readonly password: string } | undefined;
  readonly sender: { readonly name: string; readonly address: string };
}

const looks =
  "FAULTLINE_SMTP_URL must look like smtp://user:password@smtp.example.com:587 or smtps://user:password@smtp.example.com:465; special characters in user name and password are percent-encoded, such as @ as %40";

/**
 * Reads FAULTLINE_SMTP_URL and FAULTLINE_MAIL_FROM; undefined if neither is set. Adds its faults to the faults of
 * `read`.
 */
export function mailConfig(read: Variables, baseUrl: string | undefined): MailConfig | undefined {
  const [url, from] = [read.text("SMTP_URL"), read.text("MAIL_FROM")];
  if (url === undefined) {
    read.check(
      from === undefined,
      "FAULTLINE_MAIL_FROM must come with FAULTLINE_SMTP_URL, the server that sends the e-mails",
    );
    return undefined;
  }
  read.check(
    baseUrl !== undefined,
    "FAULTLINE_SMTP_URL must come with FAULTLINE_BASE_URL, because e-mails contain links to it",
  );
  const sender = senderOf(from ?? "");
  if (!sender) {
    read.faults.push(
      "FAULTLINE_MAIL_FROM must be the address that e-mails come from, such as Faultline <faultline@example.com>",
    );
  }
  const server = serverOf(url, read.faults);
  return server && sender && { ...server, sender };
}

/** No fault repeats the address, because it holds the password. */
function serverOf(text: string, faults: string[]): Omit<MailConfig, "sender"> | undefined {
  const url = URL.parse(text);
  const login = url && loginOf(url);
  const isWhole = url && /^smtps?:$/.test(url.protocol) && /^\/?$/.test(url.pathname) && url.hash === "";
  if (!url || !isWhole || login === null || !/^(?:[a-z\d.-]+|\[[\da-f:.]+\])$/i.test(url.hostname)) {
    faults.push(looks);
    return undefined;
  }
  const asked = [...url.searchParams];
  const encryption = url.searchParams.get("encryption");
  const isTls = url.protocol === "smtps:";
  if (asked.some(([name]) => name !== "encryption") || asked.length > 1 || !isChoice(encryption, isTls)) {
    faults.push(
      "FAULTLINE_SMTP_URL may end in ?encryption=starttls or, for a server that has no encryption, ?encryption=none, and in nothing else; smtps:// in neither",
    );
    return undefined;
  }
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const unsaid = isThisMachine(host) ? "none" : "starttls";
  return {
    host,
    port: url.port === "" ? (isTls ? 465 : 587) : Number(url.port),
    encryption: isTls ? "tls" : (encryption ?? unsaid),
    login,
  };
}

const isChoice = (text: string | null, isTls: boolean): text is "starttls" | "none" | null =>
  text === null || (!isTls && (text === "starttls" || text === "none"));

/** Undefined without a login. Null for half of a login, or a badly encoded login. */
function loginOf({ username, password }: URL): MailConfig["login"] | null {
  if (username === "" && password === "") return undefined;
  if (username === "" || password === "") return null;
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    return null; // malformed percent-encoding
  }
}

/** Whether messages to the host stay on this machine. */
const isThisMachine = (host: string) =>
  host.toLowerCase() === "localhost" || host === "::1" || /^127(?:\.\d+){3}$/.test(host);

/** An address, optionally with a name before it. */
function senderOf(text: string): MailConfig["sender"] | undefined {
  const [, name = "", given] = /^(?:"?([^"<>\p{Cc}]{0,80}?)"?\s*<([^<>\s]+)>)$/u.exec(text) ?? [];
  const address = given ?? text;
  return isMailAddress(address) ? { name: name.trim() || "Faultline", address } : undefined;
}

/** The variables `FAULTLINE_*` of an environment. Gathers the faults of their values. */
export class Variables {
  /** Sentences without a full stop. */
  readonly faults: string[] = [];
  readonly #environment: NodeJS.ProcessEnv;

  constructor(environment: NodeJS.ProcessEnv) {
    this.#environment = environment;
  }

  /** The trimmed value; undefined if nothing is left. */
  text(name: string): string | undefined {
    return this.#environment[`FAULTLINE_${name}`]?.trim() || undefined;
  }

  /** The entries of a comma-separated list. */
  list(name: string): string[] {
    return (
      this.text(name)
        ?.split(",")
        .flatMap((entry) => entry.trim() || []) ?? []
    );
  }

  choice<T extends string>(name: string, allowed: readonly T[], otherwise: T): T {
    const value = this.text(name);
    if (value === undefined) return otherwise;
    const found = allowed.find((one) => one === value);
    this.check(found !== undefined, `FAULTLINE_${name} must be one of ${allowed.join(", ")}`);
    return found ?? otherwise;
  }

  secret(name: string, least = 8, advice = ""): string | undefined {
    const value = this.text(name);
    const isRight = value === undefined || (value.length >= least && value.length <= 1024);
    this.check(isRight, `FAULTLINE_${name} must have ${least} to 1,024 characters${advice}`);
    return value;
  }

  rate(name: string, otherwise: number): number {
    const value = this.text(name) ?? String(otherwise);
    this.check(/^\d{1,7}$/.test(value), `FAULTLINE_${name} must be a whole number from 0 to 9999999`);
    return Number(value);
  }

  check(isRight: boolean, fault: string): void {
    if (!isRight) this.faults.push(fault);
  }
}
