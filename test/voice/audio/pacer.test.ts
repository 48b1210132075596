import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { monotonicMs } from '../../../src/clock.ts';
import {
  createPacer,
  FRAME_MS,
  type Pacer,
  type PacerDeps,
} from '../../../src/voice/audio/pacer.ts';
import { holdTime } from '../../clock.ts';

const BYTES = 160;

/** Audio of so many ms, each byte the number of its frame. */
function audioOf(ms: number, from = 0): Uint8Array {
  return Uint8Array.from({ length: ms * 8 }, (_, at) => from + Math.floor(at / BYTES));
}

/** A pacer on a clock that stands until it is moved. */
function paced(more: Partial<PacerDeps> = {}) {
  let now = 1_000;
  let timer: { act: () => void; at: number } | undefined;
  const sent: { at: number; first: number; bytes: Uint8Array }[] = [];
  let drained = 0;
  const pacer: Pacer = createPacer({
    send: (frame) => sent.push({ at: now - 1_000, first: frame[0]!, bytes: frame }),
    onDrained: () => {
      drained += 1;
    },
    bytesPerFrame: BYTES,
    silence: 0xff,
    nowMs: () => now,
    setTimer: (act, ms) => {
      const own = { act, at: now + ms };
      timer = own;
      return () => {
        if (timer === own) timer = undefined;
      };
    },
    ...more,
  });
  const fire = (): void => {
    const { act } = timer!;
    timer = undefined;
    act();
  };
  return {
    pacer,
    sent,
    drained: () => drained,
    isWaiting: () => timer !== undefined,
    /** Timers come when they should. */
    pass: (ms: number) => {
      const until = now + ms;
      for (let next = timer; next && next.at <= until; next = timer) {
        now = Math.max(now, next.at);
        fire();
      }
      now = until;
    },
    /** Nothing runs, and then the timers that are late. */
    stall: (ms: number) => {
      now += ms;
      if (timer && timer.at <= now) fire();
    },
  };
}

test('a frame goes out every 20 ms, the first at once', () => {
  const { pacer, sent, pass, drained, isWaiting } = paced();
  pacer.push(audioOf(100));
  pass(1_000);
  expect(sent.map(({ at, first }) => [at, first])).toEqual(
    [0, 1, 2, 3, 4].map((frame) => [frame * 20, frame]),
  );
  expect([drained(), isWaiting()]).toEqual([1, false]);
});

test('timers that are late do not add up', () => {
  const { pacer, sent, stall, isWaiting } = paced();
  pacer.push(audioOf(2_000));
  while (isWaiting()) stall(7); // A clock of 7 ms: each frame is up to 6 ms late.
  expect(sent).toHaveLength(100);
  const late = sent.map(({ at }, frame) => at - frame * FRAME_MS);
  expect(late.filter((ms) => ms < 0 || ms > 6)).toEqual([]);
});

test('a short stall is made up for, and then frames are on time again', () => {
  const { pacer, sent, pass, stall } = paced();
  pacer.push(audioOf(400));
  pass(40);
  stall(65);
  expect(sent.map(({ at }) => at)).toEqual([0, 20, 40, 105, 105, 105]);
  pass(20);
  expect(sent.at(-1)!.at).toBe(120);
});

test('after a long stall no more than a burst goes out, and the rest at its pace', () => {
  const { pacer, sent, pass, stall } = paced({ burstFrames: 3 });
  pacer.push(audioOf(2_000));
  stall(1_000);
  expect(sent.map(({ at }) => at)).toEqual([0, 1_000, 1_000, 1_000]);
  pass(60);
  expect(sent.slice(4).map(({ at }) => at)).toEqual([1_020, 1_040, 1_060]);
});

test('a burst that makes up for all that was late changes no later frame', () => {
  const { pacer, sent, pass, stall } = paced({ burstFrames: 3 });
  pacer.push(audioOf(200));
  stall(65);
  pass(20);
  expect(sent.map(({ at }) => at)).toEqual([0, 65, 65, 65, 80]);
});

test('a frame that is due as a burst ends is due a frame later', () => {
  const { pacer, sent, pass, stall } = paced({ burstFrames: 3 });
  pacer.push(audioOf(200));
  stall(80);
  pass(20);
  expect(sent.map(({ at }) => at)).toEqual([0, 80, 80, 80, 100]);
});

test('after a late last frame the next audio goes out at once', () => {
  const { pacer, sent, pass, stall } = paced();
  pacer.push(audioOf(40));
  stall(100);
  pacer.push(audioOf(20));
  pass(0);
  expect(sent.map(({ at }) => at)).toEqual([0, 100, 100]);
});

test('whatever stalls, no burst is longer than stated, and no frame is early, lost or out of order', () => {
  const stalls = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(stalls, fc.integer({ min: 1, max: 6 }), (steps, burstFrames) => {
      const { pacer, sent, stall } = paced({ burstFrames });
      pacer.push(audioOf(1_000));
      for (const ms of steps) stall(ms);
      const perMoment = Map.groupBy(sent, ({ at }) => at);
      const longest = Math.max(...[...perMoment.values()].map(({ length }) => length));
      expect(longest).toBeLessThanOrEqual(burstFrames);
      sent.forEach(({ at, first }, frame) => {
        expect([first, at < frame * FRAME_MS]).toEqual([frame, false]);
      });
    }),
  );
});

test('frames are given ahead, and counted as heard when they are', () => {
  const { pacer, sent, pass } = paced({ aheadFrames: 3 });
  pacer.push(audioOf(200));
  expect(sent.map(({ at }) => at)).toEqual([0, 0, 0, 0]);
  pass(30);
  expect(sent.slice(4).map(({ at }) => at)).toEqual([20]);
  expect(pacer.clear()).toEqual({ playedMs: 30, droppedMs: 100 });
});

describe('clear', () => {
  test('drops what is queued at once, and says what was heard', () => {
    const { pacer, sent, pass, isWaiting } = paced();
    pacer.push(audioOf(1_000));
    pass(90);
    expect(sent).toHaveLength(5);
    expect(pacer.clear()).toEqual({ playedMs: 90, droppedMs: 900 });
    expect([isWaiting(), pacer.queuedMs()]).toEqual([false, 0]);
    pass(1_000);
    expect(sent).toHaveLength(5);
    expect(pacer.clear()).toEqual({ playedMs: 0, droppedMs: 0 });
  });

  test('what comes after it goes out at once', () => {
    const { pacer, sent, pass } = paced();
    pacer.push(audioOf(1_000));
    pass(50);
    pacer.clear();
    pacer.push(audioOf(40, 100));
    pass(20);
    expect(sent.slice(3).map(({ at, first }) => [at, first])).toEqual([
      [50, 100],
      [70, 101],
    ]);
  });

  test('counts what was heard over pauses, and no pause', () => {
    const { pacer, pass } = paced();
    pacer.push(audioOf(100));
    pass(500);
    pacer.push(audioOf(100));
    pass(30);
    expect(pacer.clear()).toEqual({ playedMs: 130, droppedMs: 60 });
    expect(pacer.clear()).toEqual({ playedMs: 0, droppedMs: 0 });
  });

  test('from within the receiver of a frame ends the sending', () => {
    const sent: Uint8Array[] = [];
    const pacer: Pacer = createPacer({
      send: (frame) => {
        sent.push(frame);
        pacer.clear();
      },
      bytesPerFrame: BYTES,
      silence: 0xff,
      aheadFrames: 3,
    });
    pacer.push(audioOf(200));
    expect(sent).toHaveLength(1);
    expect(pacer.queuedMs()).toBe(0);
    pacer.stop();
  });
});

test('who pushes from within the receiver gets no longer bursts', () => {
  const made = paced({
    burstFrames: 2,
    send: () => {
      count += 1;
      if (count < 50) made.pacer.push(audioOf(20));
    },
  });
  let count = 0;
  made.pacer.push(audioOf(20));
  made.stall(1_000);
  expect(count).toBe(3);
  made.pass(60);
  expect(count).toBe(6);
  made.pacer.stop();
});

test('parts of frames wait for their rest, and silence fills the last one up', () => {
  const { pacer, sent, pass } = paced();
  pacer.push(audioOf(1_000).subarray(0, 100));
  pass(100);
  expect(sent).toHaveLength(0);
  pacer.push(new Uint8Array(100));
  pass(0);
  expect(sent).toHaveLength(1);
  pacer.flush();
  pacer.flush();
  pass(100);
  expect(sent).toHaveLength(2);
  expect([...new Set(sent[1]!.bytes.subarray(40))]).toEqual([0xff]);
});

test('what is pushed in time follows without a gap', () => {
  const { pacer, sent, pass } = paced();
  pacer.push(audioOf(20));
  pass(15);
  pacer.push(audioOf(20, 1));
  pass(100);
  expect(sent.map(({ at }) => at)).toEqual([0, 20]);
});

test('the memory that was pushed may be used again', () => {
  const { pacer, sent, pass } = paced();
  const memory = new Uint8Array(BYTES * 2).fill(7);
  pacer.push(memory);
  memory.fill(9);
  pass(100);
  expect(sent.map(({ first }) => first)).toEqual([7, 7]);
});

test('stopped, it sends nothing any more', () => {
  const { pacer, sent, pass, isWaiting } = paced();
  pacer.push(audioOf(100));
  pacer.stop();
  pacer.stop();
  pacer.push(audioOf(100));
  pass(1_000);
  expect([sent.length, isWaiting()]).toEqual([1, false]);
});

test('by default it sends at the times of the process clock', async () => {
  const time = holdTime();
  const startMs = monotonicMs();
  const sentAt: number[] = [];
  const drained = Promise.withResolvers<void>();
  const pacer = createPacer({
    send: () => sentAt.push(monotonicMs() - startMs),
    onDrained: drained.resolve,
    bytesPerFrame: BYTES,
    silence: 0xff,
  });
  pacer.push(audioOf(100));
  await time.advance(79);
  expect(sentAt).toEqual([0, 20, 40, 60]);
  await time.advance(1);
  await drained.promise;
  expect(sentAt).toEqual([0, 20, 40, 60, 80]);
  expect(time.waiting()).toEqual([]);
});

describe('what is less than a frame', () => {
  test('is waited with, and is not drained', () => {
    const { pacer, sent, pass, drained } = paced();
    pacer.push(audioOf(30));
    pass(40);
    expect([sent.length, drained()]).toEqual([1, 0]);
    pacer.flush();
    expect([sent.length, drained()]).toEqual([2, 1]);
  });

  test('begins nothing: the first frame is heard from when it is whole', () => {
    const { pacer, sent, pass } = paced();
    pacer.push(audioOf(10));
    pass(10);
    pacer.push(audioOf(30));
    pass(100);
    expect(sent.map(({ at }) => at)).toEqual([10, 30]);
  });
});

test('audio that comes while a timer is late waits for it', () => {
  let now = 0;
  const timers: (() => void)[] = [];
  const sent: number[] = [];
  const pacer = createPacer({
    send: () => sent.push(now),
    bytesPerFrame: BYTES,
    silence: 0,
    nowMs: () => now,
    setTimer: (act) => {
      timers.push(act);
      return () => {};
    },
  });
  pacer.push(audioOf(40));
  now = 25;
  pacer.push(audioOf(20));
  expect([sent, timers.length]).toEqual([[0], 1]);
  timers[0]!();
  expect(sent).toEqual([0, 25]);
});

test('what a receiver pushes for each frame does not lengthen a burst', () => {
  const { pacer, sent, stall } = paced({
    send: (frame) => {
      sent.push({ at: 0, first: frame[0]!, bytes: frame });
      pacer.push(audioOf(20));
    },
  });
  pacer.push(audioOf(40));
  const before = sent.length;
  stall(1_000);
  expect(sent.length - before).toBe(5);
});
