/** Words that bots put into their User-Agent. `Cubot` is a phone maker. */
const generic = /(?<!\bcu)bots?(?=[\s/;:),.-]|$)|crawler|spider(?=[\s/;:),-]|$)/i;

/** Bots whose User-Agent has none of these words, by the names that they document. */
const named =
  /Mediapartners-Google|FeedFetcher-Google|GoogleOther|Google-InspectionTool|Chrome-Lighthouse|BingPreview|Slurp|Sogou|ia_archiver|facebookexternalhit|facebookcatalog|meta-externalagent|Slack-ImgProxy|WhatsApp\/|pingdom|Better Uptime|GTmetrix|AWS Security Scanner|Cloudflare-Healthchecks|ELB-HealthChecker/i;

/** Agents that call an application's own endpoints, whose errors its developers want to see. */
const wanted = /Slackbot 1\.\d/i;

/** Whether a User-Agent is that of a search engine or another bot. */
export function isWebCrawler(userAgent: string): boolean {
  return (generic.test(userAgent) || named.test(userAgent)) && !wanted.test(userAgent);
}
