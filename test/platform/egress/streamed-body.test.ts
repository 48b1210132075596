import { expect, test } from 'vitest';
import { streamBody } from '../../../src/platform/egress/streamed-body.ts';

/** A body that is passed on as it arrives, at its limit. */

test('reading pauses at 64 KiB, and resumes when the reader has taken half of that', async () => {
  const calls: string[] = [];
  const counted = {
    ...flow,
    pause: () => void calls.push('pause'),
    resume: () => void calls.push('resume'),
  };
  const options = { maxBytes: 1024 * 1024, isCutQuietly: false, over: () => undefined };
  const body = streamBody(counted, options);
  for (let i = 0; i < 1_023; i += 1) body.push(Buffer.alloc(64));
  expect(calls).toEqual([]);
  for (let i = 0; i < 2; i += 1) body.push(Buffer.alloc(64)); // undici may still pass on what it has parsed.
  expect(calls).toEqual(['pause']);
  const reader = body.stream.getReader();
  for (let i = 0; i < 512; i += 1) await reader.read();
  expect(calls).toEqual(['pause']);
  await reader.read();
  expect(calls).toEqual(['pause', 'resume']);
  for (let i = 0; i < 512; i += 1) body.push(Buffer.alloc(64));
  expect(calls).toEqual(['pause', 'resume', 'pause']);
});

const flow = { pause: () => undefined, resume: () => undefined, cut: () => undefined };

test.each([
  [8, false, 8],
  [9, false, 'too long'],
  [9, true, 4],
])('of 8 bytes at most, %i are read, cut quietly: %s: %s', async (bytes, isCutQuietly, read) => {
  const body = streamBody(flow, { maxBytes: 8, isCutQuietly, over: () => undefined });
  body.push(Buffer.alloc(4));
  body.push(Buffer.alloc(bytes - 4));
  body.end();
  const length = new Response(body.stream).bytes().then((all) => all.length);
  if (typeof read === 'number') expect(await length).toBe(read);
  else await expect(length).rejects.toThrow();
});
