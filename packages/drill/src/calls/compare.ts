import type { Json } from '../api.ts';
import type { Voice } from '../voice.ts';
import { wordsApart, wordsApartFromBeginning, wordsOf } from '../words.ts';
import type { Said } from './caller.ts';

/** Result of comparing a call's transcript with the caller's records. */
export type Compared = {
  problems: string[];
  /**
   * Interrupted turns, by index. `apart` is the difference between the word counts of the stored and the played text.
   */
  cut: Map<number, { stored: string; played: string; apart: number }>;
  /** Stored texts of the caller's turns, by index. */
  said: Map<number, string>;
};

type Turn = { role: string; text: string; interrupted: boolean };

/**
 * Number of word errors allowed in the audio of an interrupted turn, because its last word may be cut in half. For
 * example, "within" may be recognized as "with" and "it".
 */
const MISHEARD_OF_CUT = 2;

export async function compare(voice: Voice, talk: readonly Said[], json: Json): Promise<Compared> {
  const turns = json.turns as Turn[];
  const result: Compared = { problems: [], cut: new Map(), said: new Map() };
  if (turns.length !== talk.length) {
    const told = turns.map(({ role, text }) => `${role}: ${text}`).join(' | ');
    result.problems.push(
      `the call had ${talk.length} turns, but ${turns.length} are stored: ${told}`,
    );
  }
  for (const [at, said] of talk.entries()) {
    const turn = turns[at];
    if (!turn) break;
    if (turn.role === 'user') result.said.set(at, turn.text);
    if (turn.role !== said.role) {
      result.problems.push(`turn ${at} is stored as ${turn.role}, but was spoken by ${said.role}`);
    } else if (said.role === 'agent') {
      await compareAgent(voice, { at, said, turn }, result);
    } else if (wordsApart(wordsOf(said.text), wordsOf(turn.text)) > 0) {
      result.problems.push(`the caller said “${said.text}”, but “${turn.text}” is stored`);
    }
  }
  return result;
}

async function compareAgent(
  voice: Voice,
  { at, said, turn }: { at: number; said: Extract<Said, { role: 'agent' }>; turn: Turn },
  { problems, cut }: Compared,
): Promise<void> {
  const { expected, sound, interrupted } = said;
  const stored = wordsOf(turn.text);
  const whole = wordsOf(expected ?? turn.text);
  if (turn.interrupted !== interrupted) {
    problems.push(
      `turn ${at} was ${interrupted ? '' : 'not '}interrupted, but the transcript says the opposite`,
    );
  }
  if (wordsApart(interrupted ? whole.slice(0, stored.length) : whole, stored) > 0) {
    problems.push(`the expected answer was “${expected}”, but “${turn.text}” is stored`);
  }
  const played = await voice.played(sound, expected ?? turn.text);
  if (played === undefined) {
    problems.push(`the audio of turn ${at} does not match its text`);
    return;
  }
  const apart = Math.abs(wordsOf(played).length - stored.length);
  if (interrupted) cut.set(at, { stored: turn.text, played, apart });
  if (!interrupted && apart > 0) {
    problems.push(`“${played}” was played, but “${turn.text}” is stored`);
  }
  const heard = await voice.hear(sound);
  const misheard = Math.ceil(stored.length * voice.mishears);
  const isOther = interrupted
    ? wordsApartFromBeginning(whole, wordsOf(heard)) > misheard + MISHEARD_OF_CUT
    : wordsApart(whole, wordsOf(heard)) > misheard;
  if (isOther) problems.push(`“${heard}” was heard, but “${turn.text}” is stored`);
}
