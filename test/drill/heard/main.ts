import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { playedByTranscript } from '../../../src/voice/playout/played-by-transcript.ts';
import { createSentence, playedOf } from '../../../src/voice/playout/sentence.ts';
import { readFaq } from '../../language/faq.ts';
import { installEngines } from '../install.ts';

/**
 * How well it is told how many words of a sentence were heard, by its sound and by what a recognizer understands of
 * it: sentences that others wrote, spoken by a voice that knows when it says each word, broken off every 140 ms, and
 * once each for the recognizer (docs/evaluation.md).
 *
 *   npm run bench -- heard FOLDER     with faq.json; else PARLEY_LANGUAGE_DATA. A quarter of an hour
 */

/** Of 20 ms: how often a sentence is broken off. */
const EVERY = 7;
const SENTENCES_MAX = 400;

type Spoken = {
  text: string;
  peaks: number[];
  starts: number[];
  ends: number[];
  cut: { frame: number; played: string; rest: string };
};

const folder = process.argv[2] ?? process.env['PARLEY_LANGUAGE_DATA'];
const faq = folder === undefined ? undefined : readFaq(folder);
if (!faq) {
  process.stderr.write('no data: name a folder with faq.json, or set PARLEY_LANGUAGE_DATA\n');
  process.exitCode = 1;
} else {
  const guessed: number[] = [];
  const once: number[] = [];
  const playedAlone: number[] = [];
  const both: number[] = [];
  for await (const spoken of speak(sentencesOf(faq.faqs.map(({ answer }) => answer)))) {
    const { cut, text } = spoken;
    guessed.push(
      ...everywhere(spoken).map((played) => off(spoken, played, guessOf(spoken, played))),
    );
    const guess = guessOf(spoken, cut.frame);
    const offOf = (words: string | undefined): number => off(spoken, cut.frame, words ?? guess);
    once.push(offOf(guess));
    playedAlone.push(
      offOf(playedByTranscript(text, { played: cut.played, rest: undefined, guess })),
    );
    both.push(offOf(playedByTranscript(text, { ...cut, guess })));
  }
  print('by their sound, everywhere', guessed);
  print('by their sound, once each', once);
  print('by recognition of what was played, at the same places', playedAlone);
  print('by recognition of that and of the rest', both);
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

function everywhere({ ends }: Spoken): number[] {
  const count = Math.ceil(ends.at(-1)! / EVERY);
  return Array.from({ length: count }, (_, at) => at * EVERY);
}

function guessOf({ text, peaks }: Spoken, played: number): string {
  const sentence = createSentence({ text, mark: 's1' });
  return playedOf({ ...sentence, isMade: true, frames: peaks.length, peaks }, played, 0).guess;
}

/** By how many words more or less than were heard. A word counts from its middle on. */
function off({ starts, ends }: Spoken, played: number, words: string): number {
  const middles = starts.map((start, at) => (start + ends[at]!) / 2);
  const heard = middles.filter((middle) => middle <= played).length;
  return words.split(' ').filter(Boolean).length - heard;
}

function print(how: string, offs: readonly number[]): void {
  const share = (is: (one: number) => boolean): string =>
    (offs.filter(is).length / offs.length).toFixed(3);
  const sum = offs.reduce((all, one) => all + one, 0);
  console.log(`${how} (${offs.length})`);
  console.log(`  right                      ${share((one) => one === 0)}`);
  console.log(`  right up to one word       ${share((one) => Math.abs(one) <= 1)}`);
  console.log(`  fewer by two words or more ${share((one) => one < -1)}`);
  console.log(`  more by two words or more  ${share((one) => one > 1)}`);
  console.log(`  on average, words          ${(sum / offs.length).toFixed(2)}`);
}
