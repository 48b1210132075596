import type { RequestListener } from 'node:http';

/** An attack that a neighbor of the victim runs, as a value. */
export type Attack = {
  /** Kebab case; `--only` and docs/security.md name it. */
  name: string;
  by: 'stranger' | 'visitor' | 'write' | 'read' | 'carrier' | 'website' | 'model' | 'receiver';
  /** What bounds the attack, for the table in docs/security.md. */
  bound: string;
  /**
   * What the attacker may be answered at small scale, as `Target.saw` counts it. The first one has to come. An attack
   * without it has no small form.
   */
  answers?: readonly string[];
  run: (target: Target) => Promise<void>;
};

/** The installation as the attacker sees it, and what an attack is made with. */
export type Target = {
  url: string;
  keys: AttackerKeys;
  /** False at small scale, where each loop runs once. */
  isFull: boolean;
  /** Ends the attack. */
  signal: AbortSignal;
  /** `full` at full length, else the share of it that a test can afford, and never less than `least`. */
  many: (full: number, least?: number) => number;
  /** Counts an answer, a close code or a refusal. */
  saw: (what: string) => void;
  /** Sends a request and counts its status; `cut` if the connection broke. */
  call: (method: string, path: string, options?: CallOptions) => Promise<Answer>;
  /** Creates what the attack needs, and deletes it when the attack ends. Throws if that is refused. */
  create: (path: string, json: object) => Promise<Created>;
  /** Runs `act` in `many(atOnce)` loops until the attack ends; at small scale each loop runs it once. */
  again: (atOnce: number, act: (index: number) => Promise<unknown>) => Promise<void>;
  /** Holds `many(count)` connections open until the attack ends, and replaces those that are closed. */
  keep: (count: number, open: () => Promise<Held | undefined>) => Promise<void>;
  /** Says that the attack is in progress, and resolves when it has to end. */
  held: () => Promise<void>;
  /** Opens a TCP connection that never ends its own side. */
  tcp: (options?: TcpOptions) => Promise<Held>;
  /** Opens a WebSocket. Counts a refusal by its status, and a close of the server as `closed CODE`. */
  socket: (path: string, options?: { origin?: string }) => Promise<Socket | undefined>;
  /** Starts a website, a model or a receiver on loopback. Returns its URL. */
  serve: (listener: RequestListener) => Promise<string>;
};

/**
 * Keys of the attacker's namespace. `setUp` creates and deletes what attacks need. It has a rate of its own, which the
 * attack before has not used up.
 */
export type AttackerKeys = { setUp: string; all: string; write: string; read: string };

/** A Secret with this name and key is declared in the attacker's namespace: the token of its account at a carrier. */
export const CARRIER_SECRET = { name: 'carrier', key: 'token' };
export const CARRIER_TOKEN = 'the-token-of-the-attacker';

export type CallOptions = {
  /** Absent: the key with `write`; null: none. */
  key?: string | null;
  json?: unknown;
  body?: string | Buffer;
  headers?: Record<string, string>;
  /** Leaves the answer unread. */
  isUnread?: boolean;
};
// Attacks read only what they created.
// oxlint-disable-next-line typescript/no-explicit-any
export type Answer = { status: number; body: any };
export type Created = { id: string; name: string };

export type TcpOptions = {
  /** Sent as it is. */
  text?: string;
  /** Reads and counts the status line of an answer; otherwise the connection reads nothing. */
  isRead?: boolean;
};

/** A connection that counts as open until `closed` settles. */
export type Held = { closed: Promise<unknown> };

export type Socket = Held & {
  /** Sends a frame, and waits while more than a megabyte waits to be sent. */
  send: (frame: unknown) => Promise<void>;
  ping: () => void;
  /** Resolves with the first frame of this type, or undefined if the socket is closed. */
  gets: (type: string) => Promise<Record<string, unknown> | undefined>;
  close: () => void;
};
