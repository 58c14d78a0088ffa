import { cleanLine } from "@faultline/plugin/text";
import type { Readable } from "node:stream";
import type { Mail } from "./compose.ts";
import { failedMail, type MailTried, type SmtpFailure } from "./outcome.ts";

/** The time for one mail, from its turn to the server's answer. Less than the sender's lease of a channel. */
const totalMs = 30_000;

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000, dnsTimeout: 5_000 };

/** The mail server: one pool of connections, one recipient per mail, no content from files or addresses. */
export class Smtp {
  readonly #server: MailServer;
  /** The texts of mails in transfer, by Message-ID. */
  readonly #texts = new Map<string, Readable>();
  #pool: ReturnType<typeof openPool> | undefined;

  constructor(server: MailServer) {
    this.#server = server;
  }

  /** `smtp.example.com:587`. */
  get name(): string {
    return `${this.#server.host}:${this.#server.port}`;
  }

  get sender(): string {
    return this.#server.sender.address;
  }

  /** Hands a mail to the server once. Throws when `signal` is aborted. */
  async send(mail: Mail, signal?: AbortSignal): Promise<MailTried> {
    const { name, address } = this.#server.sender;
    const pool = await (this.#pool ??= openPool(this.#server, this.#texts));
    try {
      const info = await pool.sendMail({
        ...mail,
        headers: Object.fromEntries(Object.entries(mail.headers).map(([key, value]) => [key, headerOf(key, value)])),
        from: { name, address },
        envelope: { from: address, to: [mail.to] },
        disableFileAccess: true,
        disableUrlAccess: true,
        signal: AbortSignal.any([AbortSignal.timeout(totalMs), ...(signal ? [signal] : [])]),
      });
      return {
        outcome: { is: "sent" },
        httpStatus: Number(info.response.slice(0, 3)) || 250,
        answer: this.#clean(info.response),
      };
    } catch (error) {
      signal?.throwIfAborted();
      const tried = failedMail(error as SmtpFailure, this.#texts.get(mail.messageId)?.readableDidRead === true); // nodemailer's errors
      const answer = this.#clean(tried.answer);
      const { outcome } = tried;
      return {
        ...tried,
        answer,
        outcome: outcome.is === "drop" ? { ...outcome, reason: this.#clean(outcome.reason) } : outcome,
      };
    } finally {
      this.#texts.delete(mail.messageId);
    }
  }

  async close(): Promise<void> {
    const pool = await this.#pool;
    pool?.close();
  }

  /** An answer without the user name and password, because a server may repeat them. */
  #clean(answer: string): string {
    const { user, password } = this.#server.login ?? { user: "", password: "" };
    const plain = Buffer.from(`\0${user}\0${password}`);
    const spelt = [user, password].flatMap((one) => [one, Buffer.from(one).toString("base64")]);
    return [plain.toString("base64"), ...spelt]
      .filter((secret) => secret.length >= 4)
      .reduce((text, secret) => text.replaceAll(secret, "[Filtered]"), cleanLine(answer, 1_000));
  }
}

/**
 * nodemailer would encode the quotes of a list id, which would make the id invalid. The id is printable ASCII; see
 * compose.ts.
 */
const headerOf = (key: string, value: string) => (key === "List-ID" ? { prepared: true, value } : value);

/** Loads nodemailer only when a mail is sent, because it takes memory. */
async function openPool({ host, port, encryption, login }: MailServer, texts: Map<string, Readable>) {
  const { createTransport } = await import("nodemailer");
  const pool = createTransport({
    pool: true,
    host,
    port,
    secure: encryption === "tls",
    // By default, a server without STARTTLS would silently get everything in clear text.
    requireTLS: encryption === "starttls",
    ignoreTLS: encryption === "none",
    ...(login && { auth: { user: login.user, pass: login.password } }),
    ...timeouts,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  // The text is read after the server has agreed to take it. From then on it may have the mail.
  pool.use("stream", ({ data, message }, done) => {
    message.processFunc((stream) => {
      texts.set(String(data.messageId), stream);
      return stream;
    });
    done();
  });
  return pool;
}

/** The mail server of this installation, and the sender's address. */
export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** `tls` from the first byte, `starttls` before any other command, or `none` for clear text. */
  readonly encryption: "tls" | "starttls" | "none";
  /** Undefined if the server requires no login. */
  readonly login: { readonly user: string; readonly password: string } | undefined;
  readonly sender: { readonly name: string; readonly address: string };
}
