/** Words that bots put into their User-Agent. `Cubot` is a maker of telephones. */
const generic = /(?<!\bcu)bots?(?=[\s/;:),.-]|$)|crawler|spider(?=[\s/;:),-]|$)/i;

/** Bots that do not say that they are, by the names that they document. */
const named =
  /Mediapartners-Google|FeedFetcher-Google|GoogleOther|Google-InspectionTool|Chrome-Lighthouse|BingPreview|Slurp|Sogou|ia_archiver|facebookexternalhit|facebookcatalog|meta-externalagent|Slack-ImgProxy|WhatsApp\/|pingdom|Better Uptime|GTmetrix|AWS Security Scanner|Cloudflare-Healthchecks|ELB-HealthChecker/i;

/** Calls of applications, which are answered by code that its people want to hear of. */
const wanted = /Slackbot 1\.\d/i;

/** Whether a User-Agent is that of a search engine or another bot. */
export function isWebCrawler(userAgent: string): boolean {
  return (generic.test(userAgent) || named.test(userAgent)) && !wanted.test(userAgent);
}
