import { join } from "node:path";
import { MissingTool, run, type Ending } from "../sdk/command.ts";

const version = "4.32.5";

/** The checks of each answer. Unknown parameters are ignored by design, so refusing them is not required. */
const checks = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
  "unsupported_method",
  "allow_header_conformance",
  "ignored_auth",
];

/** Installs schemathesis into a new Python environment in `dir`. Fails with the name of what is missing. */
export async function installSchemathesis(dir: string): Promise<void> {
  const python = "python3 with venv";
  await run({ words: ["python3", "-m", "venv", dir], cwd: dir, limitSeconds: 60, provides: python });
  const words = [join(dir, "bin/pip"), "install", "--quiet", "--disable-pip-version-check"] as const;
  const { code, output } = await run({
    words: [...words, `schemathesis==${version}`],
    cwd: dir,
    limitSeconds: 180,
    env: { HOME: dir },
  });
  if (code !== 0) throw new MissingTool(`schemathesis ${version} could not be installed from PyPI:\n${output}`);
}

export interface Fuzzing {
  /** The directory of schemathesis. */
  readonly dir: string;
  /** The OpenAPI document, a file. */
  readonly document: string;
  /** The address its paths begin at. */
  readonly url: string;
  /** The token of the calls; undefined if they carry none. */
  readonly token?: string;
  readonly seconds: number;
  /** The operations to call; undefined for all. */
  readonly only?: readonly string[];
  readonly except?: readonly string[];
}

/** Lets schemathesis call the operations of a document; it ends with another code than 0 when an answer is wrong. */
export function fuzz({ dir, document, url, token, seconds, only = [], except = [] }: Fuzzing): Promise<Ending> {
  const options = {
    url,
    checks: checks.join(","),
    phases: "examples,coverage,fuzzing",
    seed: "1",
    "max-time": String(seconds),
    "generation-database": "none",
    "request-timeout": "20",
    warnings: "off",
  };
  return run({
    words: [
      join(dir, "bin/schemathesis"),
      "run",
      document,
      ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
      "--continue-on-failure",
      "--no-color",
      ...(token === undefined ? [] : ["--header", `PRIVATE-TOKEN: ${token}`]),
      ...only.flatMap((id) => ["--include-operation-id", id]),
      ...except.flatMap((id) => ["--exclude-operation-id", id]),
    ],
    cwd: dir,
    limitSeconds: seconds + 60,
    env: { HOME: dir, COLUMNS: "120" },
  });
}
