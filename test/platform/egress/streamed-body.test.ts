import { expect, test } from 'vitest';
import { streamBody } from '../../../src/platform/egress/streamed-body.ts';

/** A body that is passed on as it arrives, at its limit. */

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
