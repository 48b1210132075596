/** Frames of the socket of a talk (contract/talks.md#socket); binary frames are sound. */

export type Mode = 'chat' | 'voice';
export type Role = 'user' | 'agent' | 'human';
export type Status = 'active' | 'escalated' | 'ended';

export type Turn = { index: number; role: Role; text: string; interrupted: boolean };

/** ms; null: it does not apply. */
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
  | { type: 'status'; status: Status }
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

/** undefined: nothing that this version knows; a later server may say more. */
export function readFrame(data: string): ServerFrame | undefined {
  let frame: unknown;
  try {
    frame = JSON.parse(data);
  } catch {
    return undefined;
  }
  if (typeof frame !== 'object' || frame === null || !('type' in frame)) return undefined;
  // Of our own server, whose schema it follows.
  return TYPES.includes(String(frame.type)) ? (frame as ServerFrame) : undefined;
}
