import { clearTimeout, setTimeout } from '../../../clock.ts';
import { createCredit } from '../../controller/credit.ts';
import { eventLoopTurns, type EventLoopTurns } from '../../controller/event-loop-turns.ts';

/**
 * Passes the frames of a socket to its handler in order. While the handler is behind, nothing is read from the socket,
 * so that the sender has to wait and memory use stays bounded.
 */
export type FrameQueue = {
  push: (frame: Frame) => void;
  /** Returns true while reading from the socket is paused. */
  isHeld: () => boolean;
  /** Drops all waiting frames and all frames that arrive later. */
  close: () => void;
};

export type Frame = { bytes: Buffer; isBinary: boolean };

export type FrameQueueDeps = {
  /** Handles a frame. Returns a promise if handling takes time; the promise never rejects. */
  take: (frame: Frame) => Promise<void> | undefined;
  pause: () => void;
  resume: () => void;
  /** Called once, when too many frames are waiting. The queue is closed before the call. */
  onOverflow: () => void;
  /** Number of bytes of text that may arrive in a burst before the rate limit applies, 4 MiB by default. */
  burstBytes?: number | undefined;
  /** Returns the namespace for fair scheduling, or undefined before the client has authenticated. */
  namespace: () => string | undefined;
  /** The default is the process-wide `eventLoopTurns`. */
  turns?: EventLoopTurns;
};

/** Limits on the number and the total size of frames in progress. At either limit, the socket is paused. */
const IN_PROGRESS_MAX = 10;
const BYTES_IN_PROGRESS_MAX = 64 * 1024;
/** Maximum number of frames that may wait for a turn of the event loop before the socket is paused. */
const QUEUED_MAX = 10;
/**
 * Maximum number of waiting frames while the handler is behind. If there are more, the queue is closed. Frames are
 * queued even while reading is paused, because the last chunk that was read before the pause may contain many frames.
 * 100 frames are two seconds of audio.
 */
const WAITING_MAX = 100;
/**
 * Number of bytes of text that may arrive in a burst, and the number per second after that. A phone call carries 15 KB
 * of audio per second as text. After a network stall, minutes of audio can arrive in one burst.
 */
const BURST_BYTES = 4 * 1024 * 1024;
const BYTES_PER_SEC = 256 * 1024;
/** Each frame counts as at least this many bytes, so that tiny frames are limited too. */
const FRAME_BYTES_MIN = 256;
/**
 * Number of bytes that may still arrive after the queue is closed, such as the reply to our close frame. If more
 * arrive, the socket is paused.
 */
const LATE_BYTES_MAX = 256 * 1024;

export function createFrameQueue(deps: FrameQueueDeps): FrameQueue {
  const { take, pause, resume, onOverflow, namespace } = deps;
  const { burstBytes = BURST_BYTES, turns = eventLoopTurns } = deps;
  const credit = createCredit({ burst: burstBytes, perSec: BYTES_PER_SEC });
  /** Returns how long reading must pause, in ms, or 0 if it may continue. */
  const debtMs = (): number => Math.ceil((Math.max(0, -credit.left()) / BYTES_PER_SEC) * 1_000);
  const inProgress = { frames: 0, bytes: 0 };
  let waiting: Frame[] = [];
  let isHeld = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  const place = createPlace(turns, namespace);
  const dropLate = createLateBound(pause);

  const isSlow = (): boolean =>
    inProgress.frames >= IN_PROGRESS_MAX ||
    inProgress.bytes >= BYTES_IN_PROGRESS_MAX ||
    debtMs() > 0;

  function run(frame: Frame): void {
    const { length } = frame.bytes;
    if (!frame.isBinary) credit.spend(Math.max(length, FRAME_BYTES_MIN));
    const taken = take(frame);
    if (!taken) return;
    inProgress.frames += 1;
    inProgress.bytes += length;
    void taken.then(() => {
      inProgress.frames -= 1;
      inProgress.bytes -= length;
      takeWaiting();
    });
  }

  function takeWaiting(): void {
    // The length is checked before each frame. Handling a frame may close the queue, which empties `waiting`.
    while (waiting.length > 0 && !place.isTaken() && !isSlow()) {
      if (turns.isFree()) run(waiting.shift()!);
      else place.wait(takeInTurn);
    }
    hold();
  }

  function takeInTurn(): void {
    if (waiting.length > 0 && !isSlow()) run(waiting.shift()!);
    takeWaiting();
  }

  function hold(): void {
    if (isClosed) return;
    const wasHeld = isHeld;
    isHeld = isSlow() || waiting.length > QUEUED_MAX;
    if (isHeld && !wasHeld) pause();
    if (!isHeld && wasHeld) resume();
    clearTimeout(timer);
    const waitMs = debtMs();
    timer = isHeld && waitMs > 0 ? setTimeout(takeWaiting, waitMs) : undefined;
  }

  function close(): void {
    isClosed = true;
    waiting = [];
    clearTimeout(timer);
  }

  return {
    push: (frame) => {
      if (isClosed) return dropLate(frame);
      waiting.push(frame);
      takeWaiting();
      // Too many waiting frames are an overflow only while the handler is behind. Otherwise they just wait for their
      // turn of the event loop, because one chunk may contain any number of frames.
      if (waiting.length <= WAITING_MAX || !isSlow()) return;
      close();
      onOverflow();
    },
    isHeld: () => isHeld,
    close,
  };
}

/**
 * Creates an object that waits for turns of the event loop, one at a time. `isTaken` returns true while it is waiting.
 */
function createPlace(turns: EventLoopTurns, namespace: () => string | undefined) {
  let isTaken = false;
  return {
    isTaken: () => isTaken,
    wait: (begin: () => void): void => {
      isTaken = true;
      turns.wait(namespace(), () => {
        isTaken = false;
        begin();
      });
    },
  };
}

/** Returns a function that counts bytes that arrive after the close, and pauses the socket once there are too many. */
function createLateBound(pause: () => void): (frame: Frame) => void {
  let lateBytes = 0;
  return ({ bytes: { length } }) => {
    const wasRead = lateBytes <= LATE_BYTES_MAX;
    lateBytes += Math.max(length, FRAME_BYTES_MIN);
    if (wasRead && lateBytes > LATE_BYTES_MAX) pause();
  };
}
