import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readConfig } from "../../backend/src/config.ts";
import { StartRefusal } from "@faultline/plugin";

const config = suite("config");

config("nothing set gives the defaults", () => {
  assert.equal(readConfig({}), {
    role: "all",
    http: { host: "127.0.0.1", port: 8080, trustedProxies: [] },
    grpcAddress: "127.0.0.1:50051",
    grpcTls: undefined,
    dataDir: resolve("data"),
    databaseUrl: undefined,
    natsUrl: undefined,
    baseUrl: undefined,
    rootPassword: undefined,
    rootToken: undefined,
    offering: "hosted",
    platformRelease: "18.0",
    rateLimits: { perKey: 300, perProject: 600 },
    callsPerToken: 50,
    delegated: { projectCreation: "everyone", invitations: "maintainers" },
    outbound: { networks: [], ports: [] },
    mail: undefined,
    metricsToken: undefined,
    tracing: undefined,
    logLevel: "warn",
  });
});

config("everything set is taken", () => {
  const environment = {
    FAULTLINE_ROLE: "bridge",
    FAULTLINE_HTTP_HOST: "0.0.0.0",
    FAULTLINE_HTTP_PORT: "0",
    FAULTLINE_TRUSTED_PROXIES: "127.0.0.1, 10.0.0.0/8,fd00::/8",
    FAULTLINE_GRPC_ADDRESS: "0.0.0.0:0",
    FAULTLINE_GRPC_TLS_CERT: "/etc/faultline/cert.pem",
    FAULTLINE_GRPC_TLS_KEY: "/etc/faultline/key.pem",
    FAULTLINE_GRPC_TLS_CLIENT_CA: "/etc/faultline/clients.pem",
    FAULTLINE_DATA_DIR: "elsewhere",
    FAULTLINE_DATABASE_URL: "postgres://user:password@db.example.com/faultline",
    FAULTLINE_NATS_URL: "nats://a:4222,nats://b:4222",
    FAULTLINE_BASE_URL: "https://errors.example.com",
    FAULTLINE_ROOT_PASSWORD: "12345678",
    FAULTLINE_ROOT_TOKEN: "x".repeat(1024),
    FAULTLINE_OFFERING: "self_managed",
    FAULTLINE_PLATFORM_RELEASE: "17.11",
    FAULTLINE_RATE_LIMIT_KEY: "50",
    FAULTLINE_RATE_LIMIT_PROJECT: "0",
    FAULTLINE_API_RATE_LIMIT: "20",
    FAULTLINE_PROJECT_CREATION: "administrators",
    FAULTLINE_INVITATIONS: "administrators",
    FAULTLINE_OUTBOUND_NETWORKS: "10.0.0.0/8, 192.168.1.7,fd00::/8",
    FAULTLINE_OUTBOUND_PORTS: "8443, 1,65535",
    FAULTLINE_SMTP_URL: "smtps://me:secret@smtp.example.com",
    FAULTLINE_MAIL_FROM: "Acme <acme@example.com>",
    FAULTLINE_METRICS_TOKEN: "for Prometheus",
    FAULTLINE_LOG_LEVEL: "silent",
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector.example.com:4318",
  };
  assert.equal(readConfig(environment), {
    role: "bridge",
    http: { host: "0.0.0.0", port: 0, trustedProxies: ["127.0.0.1", "10.0.0.0/8", "fd00::/8"] },
    grpcAddress: "0.0.0.0:0",
    grpcTls: {
      cert: "/etc/faultline/cert.pem",
      key: "/etc/faultline/key.pem",
      clientCa: "/etc/faultline/clients.pem",
    },
    dataDir: resolve("elsewhere"),
    databaseUrl: "postgres://user:password@db.example.com/faultline",
    natsUrl: "nats://a:4222,nats://b:4222",
    baseUrl: "https://errors.example.com",
    rootPassword: "12345678",
    rootToken: "x".repeat(1024),
    offering: "self_managed",
    platformRelease: "17.11",
    rateLimits: { perKey: 50, perProject: 0 },
    callsPerToken: 20,
    delegated: { projectCreation: "administrators", invitations: "administrators" },
    outbound: { networks: ["10.0.0.0/8", "192.168.1.7", "fd00::/8"], ports: [8443, 1, 65_535] },
    mail: {
      host: "smtp.example.com",
      port: 465,
      encryption: "tls",
      login: { user: "me", password: "secret" },
      sender: { name: "Acme", address: "acme@example.com" },
    },
    metricsToken: "for Prometheus",
    tracing: {
      url: "http://collector.example.com:4318/v1/traces",
      headers: {},
      serviceName: "faultline",
      sampleRatio: 1,
    },
    logLevel: "silent",
  });
});

for (const address of ["127.0.0.1:50051", "127.1.2.3:1", "[::1]:0", "localhost:50051", "LOCALHOST:0"]) {
  config(`gRPC without TLS may listen on ${address}`, () => {
    assert.is(readConfig({ FAULTLINE_GRPC_ADDRESS: address }).grpcAddress, address);
  });
}

const reachable = [
  "0.0.0.0:50051",
  "[::]:50051",
  "192.168.1.2:50051",
  "[fe80::1]:50051",
  "[::ffff:7f00:1]:50051",
  "128.0.0.1:1",
  "faultline.example.com:50051",
  "localhost.example.com:50051",
  "127.1:50051",
  "2130706433:50051",
  "unix:50051",
];
for (const address of reachable) {
  config(`gRPC without TLS may not listen on ${address}, and the refusal names the way out`, () => {
    const environment = { FAULTLINE_GRPC_ADDRESS: address };
    assert.match(
      refusalOf(environment),
      /GRPC_ADDRESS must be a loopback address.*GRPC_TLS_CERT and FAULTLINE_GRPC_TLS_KEY/,
    );
    const tls = { FAULTLINE_GRPC_TLS_CERT: "c.pem", FAULTLINE_GRPC_TLS_KEY: "k.pem" };
    assert.is(readConfig({ ...environment, ...tls }).grpcAddress, address);
  });
}

config(
  "a certificate without its key, a key without its certificate, and an authority without both are refused",
  () => {
    assert.match(refusalOf({ FAULTLINE_GRPC_TLS_CERT: "c.pem" }), "FAULTLINE_GRPC_TLS_KEY must be set");
    assert.match(refusalOf({ FAULTLINE_GRPC_TLS_KEY: "k.pem" }), "FAULTLINE_GRPC_TLS_CERT must be set");
    assert.match(refusalOf({ FAULTLINE_GRPC_TLS_CLIENT_CA: "a.pem" }), "FAULTLINE_GRPC_TLS_CLIENT_CA must come with");
  },
);

const mailBase = { FAULTLINE_BASE_URL: "https://errors.example.com", FAULTLINE_MAIL_FROM: "faultline@example.com" };
const mailOf = (url: string) => readConfig({ ...mailBase, FAULTLINE_SMTP_URL: url }).mail;

const servers: [url: string, host: string, port: number, encryption: string][] = [
  ["smtp://smtp.example.com", "smtp.example.com", 587, "starttls"],
  ["smtps://smtp.example.com", "smtp.example.com", 465, "tls"],
  ["smtp://smtp.example.com:25?encryption=none", "smtp.example.com", 25, "none"],
  ["smtp://localhost:25", "localhost", 25, "none"],
  ["smtp://127.0.0.1:25/?encryption=starttls", "127.0.0.1", 25, "starttls"],
  ["smtp://[::1]:25", "::1", 25, "none"],
  ["smtp://127.0.0.1.example.com", "127.0.0.1.example.com", 587, "starttls"],
];
for (const [url, host, port, encryption] of servers) {
  config(`mail by ${url} goes to ${host}:${port} with the encryption ${encryption}`, () => {
    const sender = { name: "Faultline", address: "faultline@example.com" };
    assert.equal(mailOf(url), { host, port, encryption, login: undefined, sender });
  });
}

config("user name and password of the mail server are decoded, and the sender may have a name", () => {
  const environment = { ...mailBase, FAULTLINE_MAIL_FROM: '"Errors of Acme" <errors@acme.example>' };
  const { mail } = readConfig({ ...environment, FAULTLINE_SMTP_URL: "smtp://me%40acme:p%2Fw%3A@smtp.example.com" });
  assert.equal(mail?.login, { user: "me@acme", password: "p/w:" });
  assert.equal(mail?.sender, { name: "Errors of Acme", address: "errors@acme.example" });
});

const wrongServers = [
  "smtp.example.com:587",
  "http://smtp.example.com",
  "smtp://",
  "smtp://me:very-secret@",
  "smtp://me@smtp.example.com",
  "smtp://:very-secret@smtp.example.com",
  "smtp://me:very-secret%@smtp.example.com",
  "smtp://me:very-secret@smtp.example.com/path",
  "smtp://me:very-secret@smtp.example.com:99999",
  "smtp://me:very-secret@smtp.example.com?encryption=maybe",
  "smtps://me:very-secret@smtp.example.com?encryption=none",
  "smtp://me:very-secret@smtp.example.com?tls=0",
];
for (const url of wrongServers) {
  config(`the mail server ${url} is refused with words, and without the password`, () => {
    const refusal = refusalOf({ ...mailBase, FAULTLINE_SMTP_URL: url });
    assert.match(refusal, /FAULTLINE_SMTP_URL (?:must look like smtp:|may end in)/);
    assert.not.match(refusal, "very-secret");
  });
}

config("a mail server needs a sender and the address of links, and a sender needs a server", () => {
  const url = "smtp://smtp.example.com";
  assert.match(refusalOf({ FAULTLINE_SMTP_URL: url }), /come with FAULTLINE_BASE_URL.*FAULTLINE_MAIL_FROM must be/);
  assert.match(refusalOf({ FAULTLINE_MAIL_FROM: "a@example.com" }), "must come with FAULTLINE_SMTP_URL");
  for (const from of ["nobody", "a@b@c", "a, b@example.com", "A <a@example.com>, <b@example.com>"]) {
    assert.match(refusalOf({ ...mailBase, FAULTLINE_MAIL_FROM: from, FAULTLINE_SMTP_URL: url }), "MAIL_FROM must be");
  }
});

config("an empty variable is as good as none", () => {
  const environment = { FAULTLINE_HTTP_PORT: "", FAULTLINE_BASE_URL: " ", FAULTLINE_ROOT_PASSWORD: "" };
  assert.equal(readConfig(environment), readConfig({}));
});

config("slashes behind the base URL are left out", () => {
  assert.is(readConfig({ FAULTLINE_BASE_URL: "http://h:8080//" }).baseUrl, "http://h:8080");
});

const refused: [variable: string, values: string[]][] = [
  ["HTTP_PORT", ["x", "-1", "65536", "8080.0", "1e3", "123456"]],
  ["GRPC_ADDRESS", ["127.0.0.1", ":50051", "h:", "h:x", "h:65536", "http://h:50051", "::1:50051"]],
  ["BASE_URL", ["errors.example.com", "ftp://h", "https://h/path", "https://h?a", "https://user@h", "javascript:0"]],
  ["ROOT_TOKEN", ["x".repeat(23), "x".repeat(1025)]],
  ["METRICS_TOKEN", ["1234567", "x".repeat(1025)]],
  ["TRUSTED_PROXIES", ["localhost", "10.0.0.0/33", "10.0.0/8", "::1/129", "10.0.0.1/8/8", "10.0.0.1/"]],
  ["RATE_LIMIT_KEY", ["-1", "1.5", "many", "12345678"]],
  ["RATE_LIMIT_PROJECT", ["1e3"]],
  ["API_RATE_LIMIT", ["-1", "0.5", "none"]],
  ["OUTBOUND_NETWORKS", ["sentry.internal", "10.0.0.0/33", "10.0.0.0-10.0.0.9", "fe80::1%eth0", "fd00::/129", "*"]],
  ["OUTBOUND_PORTS", ["0", "65536", "-1", "80-90", "http", "8443.0", "123456"]],
  ["OFFERING", ["Hosted", "free"]],
  ["LOG_LEVEL", ["verbose"]],
  ["ROLE", ["Worker", "bridge,worker"]],
  ["NATS_URL", ["nats://127.0.0.1:4222"]], // without a database that several processes share
];

for (const [variable, values] of refused) {
  for (const value of values) {
    config(`${variable}=${value.slice(0, 20)} is refused by name`, () => {
      const sentence = refusalOf({ [`FAULTLINE_${variable}`]: value });
      assert.match(sentence, `FAULTLINE_${variable} must`);
    });
  }
}

config("one sentence names every fault, and no secret with it", () => {
  const environment = Object.fromEntries(refused.map(([name, [value]]) => [`FAULTLINE_${name}`, value]));
  const sentence = refusalOf(environment);
  for (const [variable] of refused) assert.match(sentence, `FAULTLINE_${variable} must`);
  assert.not.match(sentence, "1234567");
});

config("the networks that docs/security.md names are written as FAULTLINE_OUTBOUND_NETWORKS takes them", () => {
  const text = readFileSync(join(import.meta.dirname, "../../docs/security.md"), "utf8");
  const [row = ""] = /^\| `FAULTLINE_OUTBOUND_NETWORKS` +\| private .*$/m.exec(text) ?? [];
  const networks = [...row.matchAll(/`([\da-f.:]+(?:\/\d+)?)`/g)].map(([, network = ""]) => network);
  assert.ok(networks.length > 5);
  assert.equal(readConfig({ FAULTLINE_OUTBOUND_NETWORKS: networks.join(",") }).outbound.networks, networks);
});

config("a role is a part of an installation of several processes, and says what it lacks to be one", () => {
  const shared = {
    FAULTLINE_DATABASE_URL: "postgres://u@h/d",
    FAULTLINE_NATS_URL: "nats://h:4222",
    FAULTLINE_BASE_URL: "https://h",
  };
  for (const role of ["bridge", "core", "worker", "console"]) {
    assert.is(readConfig({ ...shared, FAULTLINE_ROLE: role }).role, role);
    assert.match(
      refusalOf({ FAULTLINE_ROLE: role }),
      "set FAULTLINE_DATABASE_URL and FAULTLINE_NATS_URL and FAULTLINE_BASE_URL",
    );
    for (const variable of ["FAULTLINE_NATS_URL", "FAULTLINE_BASE_URL"]) {
      assert.match(refusalOf({ ...shared, FAULTLINE_ROLE: role, [variable]: "" }), `set ${variable}, or`);
    }
  }
});

function refusalOf(environment: NodeJS.ProcessEnv): string {
  try {
    readConfig(environment);
  } catch (error) {
    assert.instance(error, StartRefusal);
    return (error as StartRefusal).message;
  }
  return assert.unreachable("the configuration was accepted") as never;
}

config.run();
