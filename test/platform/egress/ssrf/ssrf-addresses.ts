import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An address in both families that looks public and stands for the internet. */
export const PUBLIC_V4 = '93.184.215.14';
export const PUBLIC_V6 = '2606:2800:21f:cb07:6820:80da:af6b:8b2c';
/** Allowed too, but without a route. A client that tries addresses in turn continues with the next one. */
export const PUBLIC_DEAD = '93.184.215.15';

/** Addresses that no request may reach: the first, last and well-known ones of each range. */
const FORBIDDEN_V4 = words(`
  0.0.0.0 0.1.2.3 0.255.255.255 10.0.0.1 10.255.255.255 127.0.0.1
  127.0.0.53 127.255.255.254 100.64.0.1 100.127.255.254 100.100.100.200
  169.254.0.1 169.254.169.254 169.254.170.2 169.254.170.23 172.16.0.1
  172.31.255.254 192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1
  192.168.255.254 198.18.0.1 198.19.255.254 198.51.100.1 203.0.113.1
  168.63.129.16 192.31.196.1 192.52.193.1 192.175.48.1 240.0.0.1
  255.255.255.254
`);
/** Includes metadata services, and other notations of IPv4 addresses. */
const FORBIDDEN_V6 = words(`
  :: ::1 ::2 fec0::1 feff::1 fc00::1 fd00::1 fdff:ffff::1
  fd00:ec2::254 fd00:ec2::23 fd20:ce::254
  ::ffff:169.254.169.254 ::ffff:7f00:1 ::ffff:a00:1 ::ffff:6440:1
  ::ffff:0:a9fe:a9fe ::ffff:0:7f00:1 ::a9fe:a9fe ::7f00:1 ::a00:1
  64:ff9b::a9fe:a9fe 64:ff9b::7f00:1 64:ff9b::a00:1
  64:ff9b:1::a9fe:a9fe 64:ff9b:1:ffff::a00:1 64:ff9b:1:a9fe:a9:fe00::
  2002:a9fe:a9fe::1 2002:7f00:1::1 2002:a00:1:: 2001:0:a9fe:a9fe::1
  2001::1 2001:0:4136:e378:8000:63bf:5601:5601 2001:2::1 2001:3::1
  2001:4:112::1 2001:10::1 2001:1f:ffff::1 2001:20::1 2001:2f:ffff::1
  2001:30::1 2001:db8::1 2620:4f:8000::1 3fff::1 3fff:fff:ffff::1
  100::1 100::ffff 5f00::1 5f00:ffff::1 4000::1 a000::1 64:ff9b:2::1
`);
/** Metadata services in all notations. They are closed even if the operator opens everything. */
export const METADATA: readonly string[] = words(`
  169.254.169.254 169.254.170.2 169.254.170.23 100.100.100.200 168.63.129.16 192.0.0.192
  fd00:ec2::254 fd00:ec2::23 fd20:ce::254 ::ffff:169.254.169.254 ::ffff:0:a9fe:a9fe
  ::a9fe:a9fe 64:ff9b::a9fe:a9fe 64:ff9b:1::a9fe:a9fe 64:ff9b:1:a9fe:a9:fe00::
  2002:a9fe:a9fe::1 2001:0:4136:e378:8000:63bf:5601:5601
`);
/** The kernel makes no TCP connection to these anyway. The tests show that our guard refuses them. */
const FORBIDDEN_UNCONNECTABLE = words(`
  224.0.0.1 239.255.255.250 255.255.255.255 127.255.255.255
  ff02::1 ff05::1:3 ff0e::1 fe80::1 fe80::a9fe:a9fe
`);
/** Cannot be written in a URL, but in a hosts file. */
export const FORBIDDEN_SCOPED = 'fe80::1%lo';

export type Forbidden = { address: string; isConnectable: boolean };

export const FORBIDDEN: readonly Forbidden[] = [
  ...[...FORBIDDEN_V4, ...FORBIDDEN_V6].map((address) => ({ address, isConnectable: true })),
  ...FORBIDDEN_UNCONNECTABLE.map((address) => ({ address, isConnectable: false })),
];

/** Returns the notations of an address as a URL's host that the URL parser accepts. */
export function spellings(address: string): Record<string, string> {
  const all = isIPv4(address) ? spellingsV4(address) : spellingsV6(address);
  const plain = isIPv4(address) ? address : `[${address}]`;
  const meant = new URL(`http://${plain}/`).hostname;
  for (const [form, host] of Object.entries(all)) {
    const read = new URL(`http://${host}/`).hostname.replace(/\.$/, '');
    if (read !== meant) throw new Error(`${form}: ${host} is ${read}, not ${meant}`);
  }
  return all;
}

/** Returns the local address at which a connection to this one arrives. */
export function arrivalOf(address: string): string {
  if (isIPv4(address)) return address === '0.0.0.0' ? '127.0.0.1' : address;
  const hex = inHex(address.replace(/%.*/, ''));
  if (hex === '::') return '::1';
  const { parts } = ipaddr.IPv6.parse(hex);
  const isMapped = hex.startsWith('::ffff:') && parts[5] === 0xffff;
  return isMapped ? ipaddr.IPv6.parse(hex).toByteArray().slice(12).join('.') : hex;
}

function spellingsV4(address: string): Record<string, string> {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const hex = (value: number): string => `0x${value.toString(16)}`;
  const octal = (value: number): string => `0${value.toString(8)}`;
  const digits = (zero: number): string => replaceDigits(address, (n) => zero + n);
  const circled = replaceDigits(address, (n) => (n === 0 ? 0x24ea : 0x245f + n));
  const wide = digits(0xff10).replaceAll('.', '\uff0e');
  return {
    dotted: address,
    decimal: String(whole),
    hex: hex(whole),
    'hex, upper case': `0X${whole.toString(16).toUpperCase()}`,
    octal: octal(whole),
    'octal, padded': `00000${whole.toString(8)}`,
    'parts in hex': [a, b, c, d].map(hex).join('.'),
    'parts in octal': [a, b, c, d].map(octal).join('.'),
    'parts padded': [a, b, c, d].map((part) => `000${part.toString(8)}`).join('.'),
    'parts mixed': `${hex(a)}.${octal(b)}.${c}.${hex(d)}`,
    'three parts': `${a}.${b}.${c * 256 + d}`,
    'two parts': `${a}.${(b * 256 + c) * 256 + d}`,
    'two parts, hex': `${hex(a)}.${hex((b * 256 + c) * 256 + d)}`,
    'full-width digits': digits(0xff10),
    'bold digits': digits(0x1d7ce),
    'circled digits': circled,
    'ideographic stops': address.replaceAll('.', '\u3002'),
    'full-width stops': address.replaceAll('.', '\uff0e'),
    'half-width stops': address.replaceAll('.', '\uff61'),
    'all full-width': wide,
    'percent-encoded': percentEncoded(address),
    'percent-encoded, full-width': encodeURIComponent(wide),
    'percent-encoded decimal': percentEncoded(String(whole)),
    'trailing dot': `${address}.`,
    'soft hyphen': `${address.slice(0, 1)}\u00ad${address.slice(1)}`,
    'zero-width space': `${address.slice(0, 1)}\u200b${address.slice(1)}`,
    'word joiner': address.replace('.', '\u2060.'),
    tab: address.replace('.', '\t.'),
    'line break': address.replace('.', '\r\n.'),
    port: `${address}:80`,
    'padded port': `${address}:00080`,
  };
}

function spellingsV6(address: string): Record<string, string> {
  const bytes = ipaddr.IPv6.parse(inHex(address)).toByteArray();
  const groups = Array.from({ length: 8 }, (_, i) => bytes[2 * i]! * 256 + bytes[2 * i + 1]!);
  const padded = groups.map((group) => group.toString(16).padStart(4, '0'));
  const dotted = bytes.slice(12).join('.');
  return {
    brackets: `[${address}]`,
    whole: `[${groups.map((group) => group.toString(16)).join(':')}]`,
    padded: `[${padded.join(':')}]`,
    'upper case': `[${padded.join(':').toUpperCase()}]`,
    'dotted end': `[${padded.slice(0, 6).join(':')}:${dotted}]`,
    port: `[${address}]:80`,
  };
}

/** Normalizes an IPv6 address. ipaddr.js reads some dotted notations as a different address than the kernel does. */
function inHex(address: string): string {
  return new URL(`http://[${address}]/`).hostname.slice(1, -1);
}

function replaceDigits(text: string, codePoint: (digit: number) => number): string {
  return text.replace(/\d/g, (digit) => String.fromCodePoint(codePoint(Number(digit))));
}

export function percentEncoded(ascii: string): string {
  return ascii.replace(/./g, (char) => `%${char.charCodeAt(0).toString(16)}`);
}

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
