/** Text frames of a talk's socket (contract/talks.md#socket). Binary frames contain audio. */

export type Mode = 'chat' | 'voice';
export type Role = 'user' | 'agent' | 'human';
export type Status = 'active' | 'escalated' | 'ended';

export type Turn = { index: number; role: Role; text: string; interrupted: boolean };

/** Latencies of a turn in ms. A latency that does not apply is null. */
export type Latency = {
  recognition_ms: number | null;
  model_ms: number | null;
  synthesis_ms: number | null;
  total_ms: number | null;
};

export type ServerFrame =
  | { type: 'ready'; conversation_id: string; resume: string; mode: Mode; sample_rate?: number }
  | ({ type: 'turn' } & Turn)
  | { type: 'text'; text: string }
  /** Older servers do not send `accepted`. */
  | { type: 'status'; status: Status; accepted?: boolean }
  | { type: 'mark'; name: string }
  | { type: 'clear' }
  | ({ type: 'latency' } & Latency)
  | { type: 'ended'; reason: string }
  | { type: 'error'; code: string; detail: string };

export type ClientFrame =
  | { type: 'start'; token: string; mode: Mode; resume?: string }
  | { type: 'message'; text: string }
  | { type: 'played'; name: string }
  | { type: 'end' };

const TYPES = ['ready', 'turn', 'text', 'status', 'mark', 'clear', 'latency', 'ended', 'error'];

/** Parses a frame. Returns undefined for unknown types, because newer servers may send more types. */
export function readFrame(data: string): ServerFrame | undefined {
  let frame: unknown;
  try {
    frame = JSON.parse(data);
  } catch {
    return undefined;
  }
  if (typeof frame !== 'object' || frame === null || !('type' in frame)) return undefined;
  // Only the type is checked, because Parley's server follows the schema.
  return TYPES.includes(String(frame.type)) ? (frame as ServerFrame) : undefined;
}
