import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { heardOfSaying, sentenceOf } from '../../../src/calls/lines/saying.ts';
import { readFaq } from '../../language/faq.ts';
import { installEngines } from '../install.ts';

/**
 * How well it is told of a sentence's sound how many of its words were heard: sentences that others wrote,
 * spoken by a voice that knows when it says each word, broken off every 140 ms (docs/evaluation.md).
 *
 *   npm run eval:heard -- FOLDER     with faq.json; else PARLEY_LANGUAGE_DATA. Some three minutes
 */

/** Of 20 ms: how often a sentence is broken off. */
const EVERY = 7;
const SENTENCES_MAX = 400;

type Spoken = { text: string; peaks: number[]; starts: number[]; ends: number[] };

const folder = process.argv[2] ?? process.env['PARLEY_LANGUAGE_DATA'];
const faq = folder === undefined ? undefined : readFaq(folder);
if (!faq) {
  process.stderr.write('no data: name a folder with faq.json, or set PARLEY_LANGUAGE_DATA\n');
  process.exitCode = 1;
} else {
  const off: number[][] = [];
  for await (const spoken of speak(sentencesOf(faq.faqs.map(({ answer }) => answer)))) {
    off.push(offOf(spoken));
  }
  print(off);
}

/** What a voice can read out: no addresses, tables, or lists. */
function sentencesOf(texts: readonly string[]): string[] {
  const sentences = texts
    .flatMap((text) => text.split(/(?<=[.?!])\s+/u))
    .map((sentence) => sentence.replaceAll(/\s+/gu, ' ').trim())
    .filter((sentence) => /^[\p{L}\p{N} ,.'’?!:;()%“”"-]+$/u.test(sentence))
    .filter((sentence) => sentence.split(' ').length >= 4 && sentence.split(' ').length <= 40);
  return sentences.slice(0, SENTENCES_MAX);
}

async function* speak(sentences: readonly string[]): AsyncGenerator<Spoken> {
  const child = spawn(installEngines(), [path.join(import.meta.dirname, 'spoken.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.stdin.end(`${sentences.join('\n')}\n`);
  for await (const line of createInterface({ input: child.stdout })) {
    yield JSON.parse(line) as Spoken; // Our own script wrote it.
  }
  const code = await ended;
  if (code !== 0) throw new Error(`the voice ended with ${code}`);
}

/** By how many words more or less than were heard, wherever a sentence is broken off. A word counts from its middle on. */
function offOf({ text, peaks, starts, ends }: Spoken): number[] {
  const sentence = { ...sentenceOf(text, 's1'), isMade: true, frames: peaks.length, peaks };
  const saying = { sentences: [sentence], isEnded: true, isOwn: false, isKept: false };
  const middles = starts.map((start, at) => (start + ends[at]!) / 2);
  const off = [];
  for (let played = 0; played < ends.at(-1)!; played += EVERY) {
    const heard =
      heardOfSaying(saying, played, 0).cut?.guess.split(' ').filter(Boolean).length ?? 0;
    off.push(heard - middles.filter((middle) => middle <= played).length);
  }
  return off;
}

function print(sentences: readonly number[][]): void {
  const off = sentences.flat();
  const share = (is: (one: number) => boolean): string =>
    (off.filter(is).length / off.length).toFixed(3);
  const sum = off.reduce((all, one) => all + one, 0);
  console.log(`${sentences.length} sentences, broken off ${off.length} times`);
  console.log(`right                      ${share((one) => one === 0)}`);
  console.log(`right up to one word       ${share((one) => Math.abs(one) <= 1)}`);
  console.log(`fewer by two words or more ${share((one) => one < -1)}`);
  console.log(`more by two words or more  ${share((one) => one > 1)}`);
  console.log(`on average, words          ${(sum / off.length).toFixed(2)}`);
}
