/** A release of the platform: a major and a minor, such as `17.0`. There is a release each month. */
export type Release = `${number}.${number}`;

/** Whether a release with this name exists or will exist. */
export function isRelease(text: string): text is Release {
  if (!/^(?:0|[1-9]\d{0,2})\.(?:0|[1-9]\d?)$/.test(text)) return false;
  const [major, minor] = partsOf(text);
  return minor < firstMonth(major + 1) - firstMonth(major);
}

/** The month of a release, counted from January 1970: it orders releases and gives the distance between them. */
export function monthOf(release: Release): number {
  const [major, minor] = partsOf(release);
  return firstMonth(major) + minor;
}

/** The day of a release, 00:00 UTC, in milliseconds: the 22nd, and from 16.6 on the third Thursday. */
export function releasedAt(release: Release): number {
  return releaseDay(monthOf(release));
}

/** The day of the release one month before this one, in milliseconds. */
export function releasedBefore(release: Release): number {
  return releaseDay(monthOf(release) - 1);
}

function releaseDay(month: number): number {
  const dayOf = (day: number) => Date.UTC(1970, month, day);
  if (month < monthOf("16.6")) return dayOf(22);
  const thursday = 4;
  const weekday = new Date(dayOf(15)).getUTCDay();
  return dayOf(15 + ((thursday - weekday + 7) % 7));
}

function partsOf(release: string): [major: number, minor: number] {
  const [major = "", minor = ""] = release.split(".", 2);
  return [Number(major), Number(minor)];
}

/**
 * The month of x.0: 13.0 came in May 2020, and a major comes each May. Only 14.0 was a month late, so 13 has a
 * thirteenth minor and 14 lacks one. Before 13 the schedule was different; no notice is that old.
 */
function firstMonth(major: number): number {
  return (37 + major) * 12 + 4 + (major === 14 ? 1 : 0);
}
