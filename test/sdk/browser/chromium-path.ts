/** Where Chromium lies: as for the tests of the console. */
export const chromiumPath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
