import type { Answer, Question } from './extracted.ts';
import { readFrame, writeFrame } from './frames.ts';
import { readDocument } from './read-document.ts';
import { refusalOf } from './refusal-of.ts';

/**
 * Entry point of the child process, which reads one document after another. guarded-child.ts starts this file by its
 * name.
 */

const [INPUT, OUTPUT] = [0, 3];
const NOTHING = new Uint8Array();

const answer = (header: Answer, bytes: Uint8Array = NOTHING): void =>
  writeFrame(OUTPUT, header, bytes);

answer({ kind: 'ready' });
for (;;) {
  const asked = readFrame(INPUT);
  // `undefined` means that the parent process has ended, so this process ends too.
  if (!asked) break;
  try {
    const input = { ...(asked.header as Question), bytes: asked.bytes };
    for await (const { header, text } of readDocument(input)) {
      answer(header, text === undefined ? NOTHING : Buffer.from(text));
    }
  } catch (error) {
    answer({ kind: 'refused', ...refusalOf(error) });
  }
  answer({ kind: 'done' });
}
process.exit();
