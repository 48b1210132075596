import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { createServer, isIP, type Server, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A name server's answer about a name. Each query gets the addresses of its family. */
export type DnsAnswer =
  | { addresses: readonly string[]; ttlSec?: number; delayMs?: number }
  | { error: 'NXDOMAIN' | 'SERVFAIL' | 'REFUSED'; delayMs?: number }
  /** No answer at all. */
  | 'silence'
  /** Bytes that are not a DNS message. */
  | 'garbage';

export type DnsType = 'A' | 'AAAA';

export type DnsServer = {
  /** `address:port`, as `Resolver.setServers` takes it. */
  address: string;
  /** Every query so far, including retransmissions. */
  questions: { name: string; type: DnsType; overTcp: boolean }[];
  stop: () => Promise<void>;
};

const TYPES: Record<number, DnsType> = { 1: 'A', 28: 'AAAA' };
const RCODES = { SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const;
/** The size that resolvers accept over UDP. A longer answer is truncated and requested again over TCP. */
const UDP_MAX = 1_232;

/** Starts a real name server on loopback, over UDP and TCP, with these answers. */
export async function startDnsServer(
  answer: (name: string, type: DnsType) => DnsAnswer,
): Promise<DnsServer> {
  const questions: DnsServer['questions'] = [];
  const timers = new Set<NodeJS.Timeout>();
  const sockets = new Set<Socket>();

  function handle(query: Buffer, overTcp: boolean, send: (reply: Buffer) => void): void {
    const question = readQuestion(query);
    questions.push({ name: question.name, type: question.type, overTcp });
    const said = answer(question.name, question.type);
    if (said === 'silence') return;
    if (said === 'garbage') return send(Buffer.from('this is no answer'));
    const reply = makeReply(query, question, said);
    const whole = overTcp || reply.length <= UDP_MAX ? reply : truncated(reply, question.end);
    const timer = setTimeout(() => send(whole), said.delayMs ?? 0);
    timers.add(timer);
  }

  const tcp = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    let seen = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      seen = Buffer.concat([seen, Buffer.from(chunk)]);
      while (seen.length >= 2 && seen.length >= 2 + seen.readUInt16BE(0)) {
        const length = seen.readUInt16BE(0);
        const query = seen.subarray(2, 2 + length);
        seen = seen.subarray(2 + length);
        handle(query, true, (reply) => socket.write(Buffer.concat([uint16(reply.length), reply])));
      }
    });
  });
  const udp = await bindBoth(tcp);
  udp.on('message', (query, { port, address }) =>
    handle(query, false, (reply) => udp.send(reply, port, address, () => undefined)),
  );
  const { port } = udp.address();

  return {
    address: `127.0.0.1:${port}`,
    questions,
    stop: async () => {
      for (const timer of timers) clearTimeout(timer);
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => udp.close(resolve));
      await new Promise((resolve) => tcp.close(resolve));
    },
  };
}

/** Binds both to one port. A port that is free for one may be taken for the other, so this may take several tries. */
async function bindBoth(tcp: Server): Promise<UdpSocket> {
  for (let tries = 0; tries < 20; tries += 1) {
    const udp = createSocket('udp4');
    await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));
    const isBound = await new Promise<boolean>((resolve) => {
      tcp.once('error', () => resolve(false));
      tcp.listen(udp.address().port, '127.0.0.1', () => resolve(true));
    });
    if (isBound) return udp;
    await new Promise<void>((resolve) => udp.close(resolve));
  }
  throw new Error('found no port that is free for UDP and TCP');
}

type Question = { name: string; type: DnsType; end: number };

function readQuestion(query: Buffer): Question {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  const type = TYPES[query.readUInt16BE(at + 1)];
  if (type === undefined) throw new Error(`an unexpected question: type ${query[at + 2]}`);
  return { name: labels.join('.').toLowerCase(), type, end: at + 5 };
}

function makeReply(
  query: Buffer,
  { type, end }: Question,
  said: Exclude<DnsAnswer, string>,
): Buffer {
  const family = type === 'A' ? 4 : 6;
  const addresses =
    'addresses' in said ? said.addresses.filter((address) => isIP(address) === family) : [];
  const ttl = 'addresses' in said ? (said.ttlSec ?? 60) : 0;
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | ('error' in said ? RCODES[said.error] : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  const records = addresses.map((address) => {
    const bytes = Buffer.from(ipaddr.parse(address).toByteArray());
    // The name is a pointer to the one in the query.
    const head = Buffer.from([0xc0, 12, 0, type === 'A' ? 1 : 28, 0, 1, 0, 0, 0, 0]);
    head.writeUInt32BE(ttl, 6);
    return Buffer.concat([head, uint16(bytes.length), bytes]);
  });
  return Buffer.concat([header, query.subarray(12, end), ...records]);
}

/** Returns a reply without records and with the bit for truncation. */
function truncated(reply: Buffer, end: number): Buffer {
  const cut = Buffer.from(reply.subarray(0, end));
  cut[2] = (cut[2] ?? 0) | 0x02;
  cut.writeUInt16BE(0, 6);
  return cut;
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
