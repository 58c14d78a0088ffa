import type { AddressInfo, Server, Socket } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { buffer } from "node:stream/consumers";
import { simpleParser, type ParsedMail } from "mailparser";
import { SMTPServer } from "smtp-server";
import { atEndOf } from "../run/end-of-file.ts";
import { selfSigned } from "../service/certificates.ts";

/** A received mail. */
export interface ReceivedMail {
  readonly recipients: readonly string[];
  readonly sender: string;
  readonly isEncrypted: boolean;
  readonly raw: string;
  readonly mail: ParsedMail;
}

/** The next act of the server. `drop`: it accepts the text and closes the connection without an answer. */
export type MailAnswer =
  "take" | "hang" | "drop" | "refuse-login" | { readonly atRecipient: number } | { readonly atText: number };

export const mailLogin = { user: "faultline", password: "mail-pass-very-secret" };

/**
 * A real mail server that keeps the mails it gets. If it is trusted, this process trusts its certificate from now on.
 */
export async function mailServer({
  offersStarttls = true,
  isTrusted = true,
  name = "localhost",
  host = "127.0.0.1",
} = {}) {
  const received: ReceivedMail[] = [];
  let answer: MailAnswer = "take";
  let [sessions, logins] = [0, 0];
  const { cert, key, certFile } = selfSigned(name);
  if (isTrusted) setDefaultCACertificates([...getCACertificates("default"), cert.toString()]);
  const failed = (code: number) => Object.assign(new Error(`played for ${mailLogin.password}`), { responseCode: code });
  const sockets = new Set<Socket>();
  const endConnections = () => {
    for (const socket of sockets) socket.destroy();
  };
  const smtp = new SMTPServer({
    cert,
    key,
    logger: false,
    disabledCommands: offersStarttls ? [] : ["STARTTLS"],
    allowInsecureAuth: true,
    authMethods: ["PLAIN", "LOGIN"],
    closeTimeout: 100,
    onConnect(_, done) {
      sessions += 1;
      done();
    },
    onAuth({ username, password }, _, done) {
      logins += 1;
      const isRight = username === mailLogin.user && password === mailLogin.password && answer !== "refuse-login";
      if (isRight) done(null, { user: username });
      else done(new Error(`no ${username} with ${password}`));
    },
    onRcptTo(_address, _session, done) {
      if (typeof answer === "object" && "atRecipient" in answer) done(failed(answer.atRecipient));
      else done();
    },
    async onData(stream, session, done) {
      const text = await buffer(stream).catch(() => undefined);
      if (text === undefined) return; // the service was stopped while it sent
      const { mailFrom, rcptTo } = session.envelope;
      received.push({
        recipients: rcptTo.map(({ address }) => address),
        sender: mailFrom === false ? "" : mailFrom.address,
        isEncrypted: session.secure,
        raw: text.toString(),
        mail: await simpleParser(text),
      });
      if (answer === "hang") return;
      if (answer === "drop") endConnections();
      else if (typeof answer === "object" && "atText" in answer) done(failed(answer.atText));
      else done();
    },
  });
  smtp.on("error", () => undefined); // broken connections are part of the tests
  const listening = await new Promise<Server>((resolve) => {
    const server = smtp.listen(0, host, () => resolve(server));
  });
  listening.unref();
  listening.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  atEndOf("file", () => smtp.close());
  const { port } = listening.address() as AddressInfo; // a TCP server has no other kind
  return {
    port,
    /** The certificate, for a service in another process. */
    certFile,
    received,
    /** The number of connections. */
    sessions: () => sessions,
    /** The number of sign-ins with user name and password. */
    logins: () => logins,
    to: (address: string) => received.filter(({ recipients }) => recipients.includes(address)),
    answers(next: MailAnswer) {
      answer = next;
    },
    /** Closes the connections that got no answer. */
    endConnections,
  };
}
