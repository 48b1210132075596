import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Zone } from './ssrf-cases.ts';

/** The name server of the namespace. Each lookup of a name may get a different answer. */
export type SsrfDns = {
  put: (name: string, zone: Zone) => void;
  stop: () => Promise<void>;
};

const A = 1;
const AAAA = 28;

/** Starts the name server on 127.0.0.1:53, UDP. Unknown names do not exist. */
export async function startSsrfDns(): Promise<SsrfDns> {
  const zones = new Map<string, Zone>();
  /** Ids of the queries so far, by name and type. A repeated query is not a new lookup. */
  const asked = new Map<string, number[]>();

  function lookupNumber(name: string, type: number, id: number): number {
    const key = `${name} ${type}`;
    const ids = asked.get(key) ?? [];
    asked.set(key, ids);
    if (ids.at(-1) !== id) ids.push(id);
    return ids.length - 1;
  }
  function addressesOf(name: string, type: number, id: number): string[] | undefined {
    const zone = zones.get(name);
    if (zone === undefined) return undefined;
    const { lookups, repeats } = zone;
    const at = lookupNumber(name, type, id);
    const now = lookups[repeats ? at % lookups.length : Math.min(at, lookups.length - 1)] ?? [];
    return now.filter((address) => isIP(address) === (type === AAAA ? 6 : 4));
  }

  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query);
    const known = addressesOf(name, type, query.readUInt16BE(0));
    const records = type === A || type === AAAA ? (known ?? []) : [];
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(known === undefined ? 0x8583 : 0x8580, 2);
    header.writeUInt16BE(records.length, 6);
    header.writeUInt32BE(0, 8);
    const reply = Buffer.concat([header, query.subarray(12, end), ...records.map(toRecord)]);
    socket.send(reply, from.port, from.address, () => undefined);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(53, '127.0.0.1', resolve);
  });
  return {
    put: (name, zone) => {
      zones.set(name, zone);
      for (const type of [A, AAAA]) asked.delete(`${name} ${type}`);
    },
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** Returns the record of an address. Its name is a pointer to the one in the query, and its TTL is zero. */
function toRecord(address: string): Buffer {
  const hex = isIP(address) === 6 ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
  const bytes = Buffer.from(ipaddr.parse(hex).toByteArray());
  const type = bytes.length === 4 ? A : AAAA;
  return Buffer.concat([
    Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length]),
    bytes,
  ]);
}
