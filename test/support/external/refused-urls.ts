/**
 * URLs to which Faultline must not connect, in the spellings of attackers. The lists are data; the tests define what is
 * expected.
 */

/** Private addresses, which the operator may allow. */
export const privateIpv4 = [
  "10.0.0.1",
  "10.255.255.255",
  "100.64.0.1",
  "100.127.255.254",
  "127.0.0.1",
  "127.255.255.254",
  "172.16.0.1",
  "172.31.255.254",
  "192.168.0.1",
  "192.168.255.254",
];

/**
 * Addresses of metadata services, link-local addresses, and addresses of no host. They are refused whatever is allowed.
 */
export const forbiddenIpv4 = [
  "0.0.0.0",
  "0.1.2.3",
  "100.100.100.200",
  "168.63.129.16",
  "169.254.0.1",
  "169.254.169.254",
  "169.254.170.2",
  "192.0.0.192",
  "224.0.0.1",
  "239.255.255.250",
  "240.0.0.1",
  "255.255.255.255",
];

/** Addresses that are not public, and that no operator has a reason to allow. */
export const specialIpv4 = [
  "192.0.0.8",
  "192.0.2.1",
  "192.88.99.1",
  "198.18.0.1",
  "198.19.255.254",
  "198.51.100.1",
  "203.0.113.1",
];

export const privateIpv6 = ["::1", "fc00::1", "fd00::1", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"];

export const forbiddenIpv6 = [
  "::",
  "fd00:42::42",
  "fd00:ec2::23",
  "fd00:ec2::254",
  "fd20:ce::254",
  "fe80::1",
  "fe80::a9fe:a9fe",
  "febf:ffff::1",
  "fec0::1",
  "ff02::1",
  "ff0e::1",
];

export const specialIpv6 = [
  "100::1",
  "1fff::1",
  "2001::1",
  "2001:2::1",
  "2001:10::1",
  "2001:20::1",
  "2001:1ff:ffff::1",
  "2001:db8::1",
  "2002::1",
  "3fff::1",
  "3fff:fff::1",
  "4000::1",
  "5f00::1",
  "e000::1",
];

/** The spellings of an IPv4 address that URL parsers read, and the IPv6 addresses that represent it. */
export function spellings(address: string): { ipv4: string[]; ipv6: string[] } {
  const bytes = address.split(".").map(Number) as [number, number, number, number];
  const [a, b, c, d] = bytes;
  const number = ((a * 256 + b) * 256 + c) * 256 + d;
  const hex = number.toString(16).padStart(8, "0");
  const [high, low] = [hex.slice(0, 4), hex.slice(4)];
  const inverted = (0xffffffff - number).toString(16).padStart(8, "0");
  return {
    ipv4: [
      address,
      `${address}.`,
      `${number}`,
      `0x${hex}`,
      `0X${hex.toUpperCase()}`,
      `0${number.toString(8)}`,
      bytes.map((byte) => `0${byte.toString(8)}`).join("."),
      bytes.map((byte) => `0x${byte.toString(16)}`).join("."),
      `${a}.${b}.${c * 256 + d}`,
      `${a}.${(b * 256 + c) * 256 + d}`,
      `0x${a.toString(16)}.0${b.toString(8)}.${c}.${d}`,
    ],
    ipv6: [
      `::ffff:${address}`, // mapped
      `::FFFF:${high}:${low}`,
      `0:0:0:0:0:ffff:${high}:${low}`,
      `::${address}`, // compatible
      `::ffff:0:${address}`, // translated (SIIT)
      `64:ff9b::${address}`, // NAT64
      `64:ff9b:1::${high}:${low}`,
      `2002:${high}:${low}::1`, // 6to4
      `2001:0:${high}:${low}::1`, // Teredo: the server
      `2001::${inverted.slice(0, 4)}:${inverted.slice(4)}`, // Teredo: the client, inverted
      `fe80::5efe:${address}`, // ISATAP
    ],
  };
}

/** Other spellings of an IPv6 address: in upper case, and with all groups. */
export function longSpellings(address: string): string[] {
  const [head = [], tail = []] = address.split("::").map((half) => half.split(":").filter((group) => group !== ""));
  const groups = address.includes("::")
    ? [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => "0"), ...tail]
    : head;
  return [address, address.toUpperCase(), groups.join(":"), groups.map((group) => group.padStart(4, "0")).join(":")];
}

const everyIpv4 = [...privateIpv4, ...forbiddenIpv4, ...specialIpv4];
const everyIpv6 = [...privateIpv6, ...forbiddenIpv6, ...specialIpv6];

/** URLs of addresses that are refused if the operator allows nothing. */
export const refusedAddresses: readonly string[] = [
  ...everyIpv4.flatMap((address) => [
    ...spellings(address).ipv4.map((host) => `http://${host}`),
    ...spellings(address).ipv6.map((host) => `https://[${host}]`),
  ]),
  ...everyIpv6.flatMap((address) => longSpellings(address).map((host) => `http://[${host}]`)),
];

/** URLs that are refused because of their port, their name, or because the address belongs to this machine. */
export const refusedOtherwise: readonly string[] = [
  ...[
    0, 1, 22, 23, 25, 53, 110, 143, 389, 445, 2375, 2379, 3306, 4222, 5432, 6379, 8080, 8443, 9001, 9200, 11211, 27017,
    50051, 65535,
  ].map((port) => `http://1.1.1.1:${port}`),
  "http://localhost",
  "http://LOCALHOST",
  "http://localhost.",
  "https://localhost:443",
  "http://a.localhost",
  "http://a.b.localhost.",
  "http://localhost:9000/base",
  "http://127.0.0.1/base/path",
  "https://127.0.0.1:9000",
  "HTTP://127.0.0.1",
  "http://127.1:80",
  "http://0",
  "http://0x0",
  "http://00",
  "http://127.0x1",
  "http://127.0.0.0x",
  "http://017700000001:9000",
  `http://${"a".repeat(64)}.test`,
  `http://${"a.".repeat(110)}test`,
  "http://single",
  "http://under_score.test",
  "http://-dash.test",
  "http://xn--bcher-kva.test",
  "http://xn--",
  "http://xn--a",
  "http://xn--pple-43d.com.test",
  "http://169.254.169.254/latest/meta-data",
  "http://100.100.100.200/latest/meta-data",
  "http://192.0.0.192/opc/v1/instance",
];

/** Texts that are not an http or https origin with a plain base path. Their meaning depends on the parser. */
export const unclearTexts: readonly string[] = [
  // schemes
  ..."file gopher ftp ftps data javascript unix http+unix ws wss dict ldap tftp ssh jar netdoc blob about mailto php sftp"
    .split(" ")
    .flatMap((scheme) => [`${scheme}://127.0.0.1/`, `${scheme}:127.0.0.1`]),
  "127.0.0.1",
  "//127.0.0.1",
  "localhost",
  "http",
  "http:",
  "http:/",
  "http://",
  "http:///",
  "http:127.0.0.1",
  "http:/127.0.0.1",
  "http:///127.0.0.1",
  "http:\\\\127.0.0.1",
  "hxxp://127.0.0.1",
  "httpss://127.0.0.1",
  "view-source:http://127.0.0.1",
  "url:http://127.0.0.1",
  // credentials, and similar texts
  "http://user@127.0.0.1",
  "http://user:password@127.0.0.1",
  "http://@127.0.0.1",
  "http://:@127.0.0.1",
  "http://errors.example.com@127.0.0.1",
  "http://errors.example.com:443@127.0.0.1",
  "http://127.0.0.1@errors.example.com",
  "http://errors.example.com\\@127.0.0.1",
  "http://127.0.0.1\\@errors.example.com",
  "http://errors.example.com#@127.0.0.1",
  "http://errors.example.com?@127.0.0.1",
  "http://errors.example.com/@127.0.0.1",
  "http://errors.example.com%40127.0.0.1",
  "http://127.0.0.1\\.errors.example.com",
  "http://127.0.0.1\\errors.example.com",
  // characters that parsers skip or change
  ...[
    "\t",
    "\n",
    "\r",
    "\r\n",
    "\0",
    "\x01",
    "\x0b",
    "\x1f",
    "\x7f",
    "\u0085",
    "\u00ad",
    "\u200b",
    "\u2028",
    "\ufeff",
    " ",
  ].flatMap((character) => [
    `http://127.0${character}.0.1`,
    `ht${character}tp://127.0.0.1`,
    `http://127.0.0.1/a${character}b`,
  ]),
  "http://127.0.0.1\r\nHost: errors.example.com",
  "http://127.0.0.1/ HTTP/1.1\r\nX: y",
  "http://127.0.0.1%0d%0a",
  "http://127.0.0.1%00.errors.example.com",
  "http://127.0.0.1%2eerrors.example.com",
  "http://%31%32%37.0.0.1",
  "http://%6c%6f%63%61%6c%68%6f%73%74",
  "http://127%2e0%2e0%2e1",
  // letters and digits of other scripts; parsers turn some of them into ASCII
  "http://１２７.０.０.１",
  "http://①②⑦.⓪.⓪.①",
  "http://⑯⑨。②⑤④。⑯⑨。②⑤④",
  "http://127。0。0。1",
  "http://127．0．0．1",
  "http://127｡0｡0｡1",
  "http://１６９．２５４．１６９．２５４",
  "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
  "http://ｌｏｃａｌｈｏｓｔ",
  "http://loca\u00adlhost",
  "http://𝟏𝟐𝟕.𝟎.𝟎.𝟏",
  "http://١٢٧.٠.٠.١",
  "http://аpple.com",
  "http://errоrs.example.com",
  "http://bücher.test",
  "http://faß.test",
  "http://İstanbul.test",
  "http://errors.example.com⁄127.0.0.1",
  "http://errors.example.com／127.0.0.1",
  "http://errors.example.com：80",
  "http://errors.example.com＠127.0.0.1",
  "http://[::１]",
  // numbers that are not an address
  "http://256.256.256.256",
  "http://127.0.0.256",
  "http://127.0.0.1.1",
  "http://1.2.3.4.5",
  "http://4294967296",
  "http://0x100000000",
  "http://08.0.0.1",
  "http://errors.1",
  "http://errors.0x7f",
  // IPv6
  "http://::1",
  "http://[::1",
  "http://::1]",
  "http://[::1]]",
  "http://[[::1]]",
  "http://[]",
  "http://[:]",
  "http://[:::]",
  "http://[::1%25lo]",
  "http://[::1%lo]",
  "http://[fe80::1%25eth0]",
  "http://[fe80::1%eth0]",
  "http://[::ffff:127.0.0.1%250]",
  "http://[::1].errors.example.com",
  "http://errors.[::1]",
  "http://[v1.::1]",
  "http://[127.0.0.1]",
  "http://[::127.0.0]",
  "http://[::ffff:127.0.0.256]",
  "http://[1:2:3:4:5:6:7]",
  "http://[1:2:3:4:5:6:7:8:9]",
  "http://[12345::1]",
  "http://[::1]1",
  "http://[localhost]",
  // ports
  "http://127.0.0.1:",
  "http://127.0.0.1:-1",
  "http://127.0.0.1:+80",
  "http://127.0.0.1:80:80",
  "http://127.0.0.1:65536",
  "http://127.0.0.1:99999",
  "http://127.0.0.1:800000",
  "http://127.0.0.1:0x50",
  "http://127.0.0.1:８０",
  "http://127.0.0.1:80a",
  "http://127.0.0.1:http",
  "http://:80",
  // paths, queries, fragments
  "http://127.0.0.1/..",
  "http://127.0.0.1/../admin",
  "http://127.0.0.1/a/../b",
  "http://127.0.0.1/.",
  "http://127.0.0.1/./a",
  "http://127.0.0.1/%2e%2e/a",
  "http://127.0.0.1/.%2e/a",
  "http://127.0.0.1/a\\..\\b",
  "http://127.0.0.1?x=1",
  "http://127.0.0.1/?x=1",
  "http://127.0.0.1#x",
  "http://127.0.0.1/#x",
  "http://127.0.0.1/a#/api/0",
  "http://127.0.0.1/a b",
  "http://127.0.0.1/<script>",
  "http://127.0.0.1/ä",
  "http://127.0.0.1/;x",
  "http://127.0.0.1//a",
  // length, and dots alone
  `http://${"a".repeat(300)}.test`,
  `http://${"a.".repeat(130)}test`,
  `http://127.0.0.1/${"a".repeat(3000)}`,
  "http://xn--a\u00e4.test",
];
