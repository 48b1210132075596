import { setPriority } from 'node:os';
import { Tinypool } from 'tinypool';
import { cutPassages, type Content, type CutInThread } from './cut-passages.ts';
import { deflateBatch } from './packed-chunks.ts';

/**
 * Lowers the priority of this thread, so that requests come first on a busy machine. This is done only on Linux,
 * because other systems would lower the priority of the whole process.
 */
if (process.platform === 'linux') setPriority(10);

/** Divides a text in the worker thread. text-cutter.ts finds this module by its file name. */
export function cutInThread(content: Content): unknown {
  const cut = cutPassages(content, deflateBatch);
  if ('refused' in cut) return cut;
  // Transfers the batches instead of copying them. They may have a size of many megabytes, and a copy would block the
  // main thread, which handles requests.
  const transferred = cut.batches.map(({ deflated }) => deflated.buffer);
  return Tinypool.move(
    Object.defineProperties({} as Parameters<typeof Tinypool.move>[0], {
      [Tinypool.transferableSymbol]: { value: transferred },
      [Tinypool.valueSymbol]: { value: cut satisfies CutInThread },
    }),
  );
}
