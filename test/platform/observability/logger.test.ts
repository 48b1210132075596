import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createLogDestination } from '../../../src/platform/observability/logger.ts';

const LINE = `${'x'.repeat(1_023)}\n`;
const MIB_OF_LINES = 1_024;

/** Creates a pipe that accepts data while somebody reads. */
function createPipe() {
  const taken: string[] = [];
  let held: (() => void) | undefined;
  let isRead = true;
  const stream = new Writable({
    decodeStrings: false,
    write: (line: string, _, done) => {
      taken.push(line);
      if (isRead) done();
      else held = done;
    },
  });
  return {
    stream,
    taken,
    stopReading: () => {
      isRead = false;
    },
    read: () => {
      isRead = true;
      held?.();
    },
  };
}

test('a line is out before the call returns, so that a kill after it does not lose it', () => {
  const pipe = createPipe();
  createLogDestination(pipe.stream).write(LINE);
  expect(pipe.taken).toEqual([LINE]);
});

test('what is not read waits up to 1 MiB; beyond it lines are dropped, and counted', async () => {
  const pipe = createPipe();
  const { write } = createLogDestination(pipe.stream);
  pipe.stopReading();
  for (let i = 0; i < MIB_OF_LINES + 50; i += 1) write(LINE);
  expect(pipe.stream.writableLength).toBe(MIB_OF_LINES * LINE.length);
  const drained = new Promise((resolve) => pipe.stream.once('drain', resolve));
  pipe.read();
  await drained;
  expect(pipe.taken).toHaveLength(MIB_OF_LINES);
  write('after\n');
  write('that\n');
  const [notice, ...rest] = pipe.taken.slice(MIB_OF_LINES);
  expect(JSON.parse(notice!)).toMatchObject({ level: 40, dropped: 50 });
  expect(rest).toEqual(['after\n', 'that\n']);
});

test('a reader that closed the pipe ends nobody', async () => {
  const broken = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
  const { write } = createLogDestination(broken);
  const closed = new Promise((resolve) => broken.once('close', resolve));
  write(LINE);
  await closed;
  write(LINE);
  expect(broken.destroyed).toBe(true);
});
