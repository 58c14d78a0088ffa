import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { StartRefusal } from "@faultline/plugin";
import { ServerCredentials } from "@grpc/grpc-js";

/** Files in the PEM form; the key has no passphrase. */
export interface GrpcTls {
  readonly cert: string;
  readonly key: string;
  /** The authority for the certificates of clients; undefined if clients show no certificate. */
  readonly clientCa: string | undefined;
}

/** Reads the files of a TLS listener. Refuses unusable files with a sentence about the fault. */
export function tlsCredentials({ cert, key, clientCa }: GrpcTls): ServerCredentials {
  const certificate = contentOf(cert, "FAULTLINE_GRPC_TLS_CERT");
  const privateKey = contentOf(key, "FAULTLINE_GRPC_TLS_KEY");
  const authority = clientCa === undefined ? null : contentOf(clientCa, "FAULTLINE_GRPC_TLS_CLIENT_CA");
  try {
    createSecureContext({ cert: certificate, key: privateKey });
  } catch (error) {
    throw new StartRefusal(
      `The certificate ${cert} and the private key ${key} cannot be used for gRPC: FAULTLINE_GRPC_TLS_CERT and FAULTLINE_GRPC_TLS_KEY must name PEM files that belong together, the key without a passphrase.`,
      error,
    );
  }
  try {
    // OpenSSL would accept a file without a certificate as an empty list of authorities.
    if (authority) void new X509Certificate(authority);
  } catch (error) {
    throw new StartRefusal(
      `The file ${clientCa} holds no certificate: FAULTLINE_GRPC_TLS_CLIENT_CA must name the PEM file of the authority that signs clients.`,
      error,
    );
  }
  const pair = { cert_chain: certificate, private_key: privateKey };
  return ServerCredentials.createSsl(authority, [pair], authority !== null);
}

function contentOf(path: string, variable: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new StartRefusal(
      `The file ${path} cannot be read: ${variable} must name a PEM file that this user may read.`,
      error,
    );
  }
}
