import { invalidField } from "@faultline/plugin";

/** The parts of a DSN: `<scheme>://<public key>@<host>[/<prefix>]/<project>`. */
export interface Dsn {
  readonly publicKey: string;
  readonly projectId: string;
  /** Scheme, host, port and prefix, without a `/` at the end. */
  readonly baseUrl: string;
}

const maxLength = 1024;

/** Reads a DSN. Refuses an invalid DSN without repeating it, because it may hold a secret. */
export function readDsn(text: string): Dsn {
  const url = text.length <= maxLength ? URL.parse(text) : null;
  const [, prefix, projectId] = /^(.*)\/(\d{1,20})$/.exec(url?.pathname ?? "") ?? [];
  if (
    url === null ||
    prefix === undefined ||
    projectId === undefined ||
    !/^https?:$/.test(url.protocol) ||
    !/^\w{8,64}$/.test(url.username) ||
    url.password !== "" ||
    /[?#\s]/.test(text)
  ) {
    throw invalidField(
      "dsn",
      "A DSN looks like https://<public key>@errors.example.com/1: a key of 8 to 64 letters, digits and underscores, a host, and the project's number.",
    );
  }
  return { publicKey: url.username, projectId, baseUrl: `${url.protocol}//${url.host}${prefix}` };
}

/** The DSN in the form that people may see: `https://flck_ab12…@errors.example.com/1`. */
export function maskedDsn({ publicKey, projectId, baseUrl }: Dsn): string {
  return `${baseUrl.replace("://", `://${maskedKey(publicKey)}…@`)}/${projectId}`;
}

/** The first four characters after the prefix that all keys of a system have, such as `flck_`. */
function maskedKey(publicKey: string): string {
  const [shown = ""] = /^(?:[a-z]{4}_(?=[0-9a-f]{32}$))?.{4}/.exec(publicKey) ?? [];
  return shown;
}
