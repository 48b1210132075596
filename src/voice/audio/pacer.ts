import { clearTimeout, monotonicMs, setTimeout } from '../../clock.ts';
import { createByteQueue } from './byte-queue.ts';

/**
 * Sends audio as fast as it is heard: a frame of 20 ms every 20 ms. Each frame is due by the moment the
 * first one went out, so that late timers do not add up. After a stall at most `burstFrames` go out at
 * once; what is still missing then has become a pause, and the rest follows at its pace.
 */
export type Pacer = {
  /** Bytes of any length behind what is queued. */
  push: (bytes: Uint8Array) => void;
  /** Nothing follows for now: what is left of a frame is filled up with silence. */
  flush: () => void;
  /**
   * Drops what was not sent yet, at once. `playedMs`: how much was heard since the last `clear`, counted as
   * if the other side plays what it gets; `droppedMs`: what will not be.
   */
  clear: () => Played;
  queuedMs: () => number;
  /** Nothing is sent any more. May be called twice. */
  stop: () => void;
};
export type Played = { playedMs: number; droppedMs: number };

export type PacerDeps = {
  /** A whole frame. The memory is the receiver's. */
  send: (frame: Uint8Array) => void;
  /** All that was pushed has been sent. */
  onDrained?: () => void;
  /** Of 20 ms: 160 of µ-law at 8 kHz, 640 of PCM16 at 16 kHz. */
  bytesPerFrame: number;
  /** 0 for PCM16, MU_LAW_SILENCE for µ-law. */
  silence: number;
  /** Frames the other side is given before they are due, so that a late timer is not heard. Default 0. */
  aheadFrames?: number;
  /** Most frames at once, above `aheadFrames`. Default 5, which is 100 ms. */
  burstFrames?: number;
  /** A monotonic clock. */
  nowMs?: () => number;
  /** Calls once after so many ms, unless cancelled. */
  setTimer?: (act: () => void, ms: number) => () => void;
};

export const FRAME_MS = 20;

export function createPacer(deps: PacerDeps): Pacer {
  const { bytesPerFrame, aheadFrames = 0, nowMs = monotonicMs } = deps;
  const burstFrames = Math.max(deps.burstFrames ?? 5, aheadFrames + 1);
  const setTimer = deps.setTimer ?? nodeTimer;
  const queue = createByteQueue();
  const schedule = createSchedule(aheadFrames, nowMs);
  let cancelTimer: (() => void) | undefined;
  let isStopped = false;
  let isSending = false;

  const sendDue = (): void => {
    cancelTimer = undefined;
    const now = nowMs();
    let burst = 0;
    // Whoever gets a frame may push the next.
    isSending = true;
    while (queue.bytes() >= bytesPerFrame && schedule.dueMs() <= now && burst < burstFrames) {
      schedule.sent();
      burst += 1;
      deps.send(queue.take(bytesPerFrame));
    }
    isSending = false;
    if (burst === burstFrames && schedule.dueMs() <= now) schedule.startLater(now);
    if (queue.bytes() >= bytesPerFrame) arm();
    else if (queue.bytes() === 0) deps.onDrained?.();
  };
  const arm = (): void => {
    cancelTimer ??= setTimer(sendDue, Math.max(0, schedule.dueMs() - nowMs()));
  };
  const wake = (): void => {
    if (queue.bytes() < bytesPerFrame || cancelTimer || isSending) return;
    schedule.begin();
    if (schedule.dueMs() <= nowMs()) sendDue();
    else arm();
  };
  const drop = (): number => {
    const droppedMs = queuedMs();
    cancelTimer?.();
    cancelTimer = undefined;
    queue.clear();
    return droppedMs;
  };
  const queuedMs = (): number => Math.round((queue.bytes() / bytesPerFrame) * FRAME_MS);
  const push = (bytes: Uint8Array): void => {
    if (isStopped) return;
    queue.push(bytes);
    wake();
  };

  return {
    push,
    flush: () => {
      const over = queue.bytes() % bytesPerFrame;
      if (over > 0) push(new Uint8Array(bytesPerFrame - over).fill(deps.silence));
    },
    clear: () => ({ droppedMs: drop(), playedMs: schedule.clear() }),
    queuedMs,
    stop: () => {
      isStopped = true;
      drop();
    },
  };
}

/** When frames are due, and what was heard of them. A run is what is heard without a pause. */
type Schedule = {
  /** Of the next frame. */
  dueMs: () => number;
  sent: () => void;
  /** Something is there to be sent: it follows what is still being heard, or begins a run. */
  begin: () => void;
  /** What is missing has become a pause: the next frame is due one frame from now. */
  startLater: (now: number) => void;
  /** What was heard since the last clear. */
  clear: () => number;
};

function createSchedule(aheadFrames: number, nowMs: () => number): Schedule {
  /** When the first frame of the run began to be heard. */
  let startMs = 0;
  let frames = 0;
  let playedBefore = 0;
  const heardMs = (): number => Math.max(0, Math.min(frames * FRAME_MS, nowMs() - startMs));
  const dueMs = (): number => startMs + Math.max(0, frames - aheadFrames) * FRAME_MS;
  const begin = (): void => {
    if (nowMs() < startMs + frames * FRAME_MS) return;
    playedBefore += heardMs();
    startMs = nowMs();
    frames = 0;
  };
  return {
    dueMs,
    sent: () => {
      frames += 1;
    },
    begin,
    startLater: (now) => {
      startMs += now + FRAME_MS - dueMs();
    },
    clear: () => {
      const playedMs = Math.round(playedBefore + heardMs());
      playedBefore = frames = 0;
      return playedMs;
    },
  };
}

function nodeTimer(act: () => void, ms: number): () => void {
  const timer = setTimeout(act, ms);
  return () => clearTimeout(timer);
}
