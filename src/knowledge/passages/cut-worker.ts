import { setPriority } from 'node:os';
import { Tinypool } from 'tinypool';
import { cutPassages, type Content, type CutContent, type Refusal } from './cut-passages.ts';
import { deflateBatch } from './packed-chunks.ts';

/** Where cores are short, requests are answered first. Elsewhere this would be of the whole process. */
if (process.platform === 'linux') setPriority(10);

/** What reaches the other thread: a Buffer arrives as plain bytes. */
export type CutInThread = (Omit<CutContent, 'hash'> & { hash: Uint8Array }) | { refused: Refusal };

/** What the thread of text-cutter.ts runs, which finds it by the name of this file. */
export function cutInThread(content: Content): unknown {
  const cut = cutPassages(content, deflateBatch);
  if ('refused' in cut) return cut;
  // Handed over, not copied: they may be many megabytes, and the thread that gets them answers requests.
  const transferred = cut.batches.map(({ deflated }) => deflated.buffer);
  return Tinypool.move(
    Object.defineProperties({} as Parameters<typeof Tinypool.move>[0], {
      [Tinypool.transferableSymbol]: { value: transferred },
      [Tinypool.valueSymbol]: { value: cut satisfies CutInThread },
    }),
  );
}
