import type { Host } from "@faultline/plugin";
import { Sender } from "../deliveries/sender.ts";
import { mailTransport, resumeMail, serverHealth } from "./mail-transport.ts";
import { type MailServer, Smtp } from "./smtp.ts";
import type { Tables } from "../tables.ts";

/** Concurrent connections to the mail server, which all mails share. */
const atOnce = { all: 5, ofProject: 2, unproven: 5 };

/** Sends the mails of people, unless the mail server refuses the user name and password. */
export class MailSending {
  /** Undefined if mail is not set up. */
  readonly smtp: Smtp | undefined;
  readonly #baseUrl: () => string;
  #running: { readonly host: Host; readonly sender: Sender } | undefined;

  constructor(server: MailServer | undefined, baseUrl: () => string) {
    this.smtp = server && new Smtp(server);
    this.#baseUrl = baseUrl;
  }

  async start(host: Host): Promise<void> {
    const parts = { smtp: this.smtp, baseUrl: this.#baseUrl };
    const sender = new Sender(host, {
      of: "people",
      atOnce,
      transportOf: (channel) => mailTransport(host, channel, parts),
    });
    this.#running = { host, sender };
    // The server or its password may have changed.
    if (this.smtp) await resumeMail(host.database.write<Tables>(), host.clock.now());
  }

  /** Begins to send due mails; does not wait for them. */
  async begin(): Promise<void> {
    if (!this.#running) return;
    const { host, sender } = this.#running;
    const health = await serverHealth(host.database.read<Tables>());
    if ((health?.paused_until ?? 0) <= host.clock.now()) await sender.begin();
  }

  async stop(): Promise<void> {
    await this.#running?.sender.stop();
    await this.smtp?.close();
  }
}
