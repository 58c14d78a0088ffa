import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "./temp-dir.ts";

/** A certificate with its private key: their files and contents. */
export interface Certificate {
  readonly certFile: string;
  readonly keyFile: string;
  readonly cert: Buffer;
  readonly key: Buffer;
}

/**
 * Makes a self-signed certificate for this machine and one more name, which is also its own authority. Needs openssl.
 */
export function selfSigned(name = "localhost"): Certificate {
  const dir = tempDir();
  const [certFile, keyFile] = [join(dir, "cert.pem"), join(dir, "key.pem")];
  execFileSync(
    "openssl",
    `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=${name}
      -addext subjectAltName=DNS:localhost,DNS:${name},IP:127.0.0.1,IP:0.0.0.0 -keyout ${keyFile} -out ${certFile}`.split(
      /\s+/,
    ),
    { stdio: "pipe" },
  );
  return { certFile, keyFile, cert: readFileSync(certFile), key: readFileSync(keyFile) };
}
