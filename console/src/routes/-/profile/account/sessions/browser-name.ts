import { parse } from "bowser";

/** Bowser's names that are longer than usual. */
const usualNames: Readonly<Record<string, string>> = {
  "Microsoft Edge": "Edge",
  "Samsung Internet for Android": "Samsung Internet",
  "Chrome OS": "ChromeOS",
};

/**
 * Systems that browsers report with a fixed version, so it means nothing
 * (https://www.chromium.org/updates/ua-reduction).
 */
const frozen: ReadonlySet<string> = new Set(["Windows 10", "macOS 10.15.7", "Android 10"]);

/** The core stores 255 characters; a longer text is not a browser's User-Agent. */
const lookedAt = 512;

/**
 * A User-Agent in words: `Firefox 131 on Windows`, `Safari 18 on iPhone (iOS 18.1)`. A program's User-Agent is cut at
 * its first space, such as `curl/8.5.0`; an empty User-Agent is `Not known`.
 */
export function browserName(userAgent: string): string {
  const text = userAgent.slice(0, lookedAt).trim();
  if (text === "") return "Not known";
  const { browser, os, platform } = parse(text);
  if (!browser.name || !os.name) return text.split(" ")[0] ?? text;
  const version = browser.version?.split(".")[0] ?? "";
  const system = systemName(os);
  return `${usual(browser.name)} ${version} on ${platform.model ? `${platform.model} (${system})` : system}`;
}

function systemName({ name = "", version = "", versionName = "" }: ReturnType<typeof parse>["os"]): string {
  const versioned = `${usual(name)} ${name === "Windows" ? versionName : version}`.trim();
  return frozen.has(versioned) ? usual(name) : versioned;
}

const usual = (name: string) => usualNames[name] ?? name;
