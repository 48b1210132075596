import type { Json } from '../api.ts';
import type { Voice } from '../voice.ts';
import { wordsApart, wordsHeard, wordsOf } from '../words.ts';
import type { Said } from './caller.ts';

/** The transcript of a call beside what its caller said and heard. */
export type Compared = {
  problems: string[];
  /**
   * Of each turn that was broken into, by its place: what stands, what was heard, and how many words more or
   * less of the answer stand than were heard.
   */
  cut: Map<number, { stored: string; heard: string; apart: number }>;
  /** What the transcript has of users, by the place of the turn. */
  said: Map<number, string>;
};

type Turn = { role: string; text: string; interrupted: boolean };

/** Somebody may break in in the middle of a word. */
const CUT_WORDS = 1;
/** As what half a word may be heard: "with" and "it" of "within". */
const MISHEARD_OF_CUT = 2;

export async function compare(voice: Voice, talk: readonly Said[], json: Json): Promise<Compared> {
  const turns = json.turns as Turn[];
  const result: Compared = { problems: [], cut: new Map(), said: new Map() };
  if (turns.length !== talk.length) {
    const told = turns.map(({ role, text }) => `${role}: ${text}`).join(' | ');
    result.problems.push(`${talk.length} turns were said, ${turns.length} are stored: ${told}`);
  }
  for (const [at, said] of talk.entries()) {
    const turn = turns[at];
    if (!turn) break;
    if (turn.role === 'user') result.said.set(at, turn.text);
    if (turn.role !== said.role) {
      result.problems.push(`turn ${at} is of ${turn.role}, and ${said.role} spoke`);
    } else if (said.role === 'agent') {
      await compareAgent(voice, { at, said, turn }, result);
    } else if (wordsApart(wordsOf(said.text), wordsOf(turn.text)) > 0) {
      result.problems.push(`the caller said “${said.text}”, stored is “${turn.text}”`);
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
  const heard = await voice.hear(sound);
  const misheard = Math.ceil(stored.length * voice.mishears);
  const whole = wordsOf(expected ?? turn.text);
  const matched = wordsHeard(whole, wordsOf(heard), stored.length);
  if (turn.interrupted !== interrupted) {
    problems.push(`turn ${at} was ${interrupted ? '' : 'not '}interrupted, and it says otherwise`);
  }
  if (wordsApart(interrupted ? whole.slice(0, stored.length) : whole, stored) > 0) {
    problems.push(`the answer was to be “${expected}”, stored is “${turn.text}”`);
  }
  const isOther = matched.apart > misheard + (interrupted ? MISHEARD_OF_CUT : 0);
  const apart = interrupted ? Math.abs(matched.count - stored.length) : matched.apart;
  if (interrupted) cut.set(at, { stored: turn.text, heard, apart });
  if (isOther || (interrupted && apart > CUT_WORDS)) {
    problems.push(`heard was “${heard}”, stored is “${turn.text}”`);
  }
}
