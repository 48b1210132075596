import { clearTimeout, monotonicMs, setTimeout } from '../../clock.ts';
import { createByteQueue } from './byte-queue.ts';

/**
 * Sends audio in real time: one 20 ms frame every 20 ms. Each frame is scheduled relative to the first frame, so that
 * the delays of late timers do not add up. After a stall of the process, at most `burstFrames` overdue frames are sent
 * together. The rest of the delay becomes a pause, after which frames follow in real time.
 */
export type Pacer = {
  /** Queues bytes of any length. */
  push: (bytes: Uint8Array) => void;
  /** Ends the current audio by padding an incomplete last frame with silence. */
  flush: () => void;
  /**
   * Drops all unsent audio immediately. `playedMs` is the length of the audio played since the last `clear`, assuming
   * that the other side plays all the audio it receives. `droppedMs` is the length of the dropped audio.
   */
  clear: () => Played;
  queuedMs: () => number;
  /** Stops sending for good. May be called more than once. */
  stop: () => void;
};
export type Played = { playedMs: number; droppedMs: number };

export type PacerDeps = {
  /** Sends a whole frame. The callee may keep `frame`, because the pacer does not reuse its memory. */
  send: (frame: Uint8Array) => void;
  /** Called when everything pushed has been sent. */
  onDrained?: () => void;
  /** Number of bytes in a 20 ms frame: 160 for µ-law at 8 kHz, 640 for PCM16 at 16 kHz. */
  bytesPerFrame: number;
  /** Byte that encodes silence: 0 for PCM16, `MU_LAW_SILENCE` for µ-law. */
  silence: number;
  /** Number of frames to send before they are due, so that a late timer causes no audible gap. Default 0. */
  aheadFrames?: number;
  /**
   * Maximum number of overdue frames that are sent together after a stall; at least `aheadFrames` + 1. Default 5, which
   * is 100 ms.
   */
  burstFrames?: number;
  /** Monotonic clock. */
  nowMs?: () => number;
  /** Calls `act` once after `ms`. The returned function cancels the call. */
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
    // `deps.send` may call `push`, which must not start a second loop.
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

/**
 * Tracks when each frame is due and how much audio has been played. A run is a stretch of audio that plays without a
 * pause.
 */
type Schedule = {
  /** Returns the time at which the next frame is due. */
  dueMs: () => number;
  sent: () => void;
  /** Starts a new run, unless the current one is still playing. */
  begin: () => void;
  /** Restarts the schedule after a delay, which becomes a pause. The next frame is due one frame length after `now`. */
  startLater: (now: number) => void;
  /** Returns how many milliseconds of audio have been played since the last `clear`. */
  clear: () => number;
};

function createSchedule(aheadFrames: number, nowMs: () => number): Schedule {
  /** Time at which playback of the run's first frame began. */
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
