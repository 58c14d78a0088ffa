/** The mail server that takes this installation's mails, and their sender. */
export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** `tls` from the first byte, `starttls` before anything else is said, or `none`: in the clear. */
  readonly encryption: "tls" | "starttls" | "none";
  /** Absent: the server asks for none. */
  readonly login: { readonly user: string; readonly password: string } | undefined;
  readonly sender: { readonly name: string; readonly address: string };
}
