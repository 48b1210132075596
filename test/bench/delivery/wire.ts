/** What the benchmark's processes send each other: one clock, and arrivals packed into bytes. */

/**
 * Ns of CLOCK_MONOTONIC, the same for every process of the machine (Linux); as a number it is
 * exact for the first 104 days after boot.
 */
export function nowNs(): number {
  return Number(process.hrtime.bigint());
}

/** How the receiver treats what comes to a path; also the state in which an arrival is recorded. */
export const MODES = { ok: 0, hang: 1, refuse: 2, slow: 3 } as const;
export type Mode = keyof typeof MODES;
/** The sender closed the connection before it had its answer. */
export const ABORTED = 9;

/** 0 … 99, and the one whose port stays open while the others' is closed. */
export const PATHS = 100;
export const LIVE_PATH = 100;

/** One request as it arrived, complete. */
export type Arrival = {
  id: string;
  atNs: number;
  path: number;
  attempt: number;
  status: number;
  bodyBytes: number;
};

/** 48 bytes an arrival: a backlog of 100,000 takes 5 MB and no garbage collector's time. */
const RECORD = {
  id: 0,
  idBytes: 32,
  path: 33,
  status: 34,
  attempt: 36,
  body: 38,
  at: 40,
  size: 48,
};
const CHUNK_RECORDS = 16_384;

export type ArrivalLog = {
  add: (arrival: Arrival) => void;
  /** Everything since the last take, oldest first. */
  take: () => Buffer;
};

export function createArrivalLog(): ArrivalLog {
  let chunks = [Buffer.alloc(CHUNK_RECORDS * RECORD.size)];
  let used = 0;
  return {
    add: (arrival) => {
      if (used === CHUNK_RECORDS) {
        chunks.push(Buffer.alloc(CHUNK_RECORDS * RECORD.size));
        used = 0;
      }
      const at = used * RECORD.size;
      used += 1;
      const chunk = chunks.at(-1)!;
      chunk[at + RECORD.idBytes] = chunk.write(arrival.id, at, RECORD.idBytes, 'latin1');
      chunk[at + RECORD.path] = arrival.path;
      chunk[at + RECORD.status] = arrival.status;
      chunk.writeUInt16LE(arrival.attempt, at + RECORD.attempt);
      chunk.writeUInt16LE(Math.min(arrival.bodyBytes, 65_535), at + RECORD.body);
      chunk.writeDoubleLE(arrival.atNs, at + RECORD.at);
    },
    take: () => {
      const last = chunks.pop()!;
      const all = Buffer.concat([...chunks, last.subarray(0, used * RECORD.size)]);
      chunks = [last];
      used = 0;
      return all;
    },
  };
}

export function unpackArrivals(packed: Uint8Array): Arrival[] {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  return Array.from({ length: bytes.length / RECORD.size }, (_, i) => {
    const at = i * RECORD.size;
    return {
      id: bytes.toString('latin1', at, at + bytes[at + RECORD.idBytes]!),
      atNs: bytes.readDoubleLE(at + RECORD.at),
      path: bytes[at + RECORD.path]!,
      attempt: bytes.readUInt16LE(at + RECORD.attempt),
      status: bytes[at + RECORD.status]!,
      bodyBytes: bytes.readUInt16LE(at + RECORD.body),
    };
  });
}

/** One kind of request of a producer; those of a plan are sent in turn. */
export type Request = {
  path: string;
  headers: Record<string, string>;
  /** `%ID%` becomes the event's id where the producer names it. */
  body?: string;
  /** Where the receiver will see it; decides which arrivals belong to it. */
  target: number;
};

export type Plan = {
  base: string;
  requests: Request[];
  /** `given`: the producer makes the id and sends it; otherwise the answer's field of that name. */
  ids: 'given' | 'event_id' | 'id';
} & (
  | { callers: number; count: number }
  /** Without `seconds` until `stop`. */
  | { rate: number; seconds?: number }
);

/** Column by column, in the order in which the requests were due. Times in ns. */
export type Produced = {
  ids: string[];
  dueNs: Float64Array;
  sentNs: Float64Array;
  answeredNs: Float64Array;
  /** HTTP status; 0: no answer. */
  status: Uint16Array;
  target: Uint16Array;
};
