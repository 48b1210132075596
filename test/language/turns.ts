import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { newUuid } from '../../src/ids.ts';
import type { LiveConversation } from '../../src/conversations/record/conversations.sql.ts';
import { EMPTY_TALLY } from '../../src/conversations/record/tally.ts';
import { createExtractiveResponder } from '../../src/conversations/turns/extractive-responder.ts';
import { readUserTurn } from '../../src/conversations/turns/read-user-turn.ts';
import type { Reply } from '../../src/conversations/turns/responder.ts';
import type { Pool } from '../../src/platform/postgres/pool.ts';
import { learn, search, type Faq } from './faq.ts';

/** What is made of a message: whether a human is asked for, and whether it is answered (docs/quality.md). */

/** Something a customer says, and whether they ask for a human with it. */
export type Wish = z.output<typeof Wish>;
const Wish = z.object({ text: z.string(), wants_human: z.boolean() });

/** What no knowledge of a business answers. */
export type OffTopic = z.output<typeof OffTopic>;
const OffTopic = z.object({ text: z.string() });

/** undefined: the folder has none. */
export function readWishes(folder: string): Wish[] | undefined {
  return readLines(path.join(folder, 'escalation.jsonl'), Wish);
}

/** undefined: the folder has none. */
export function readOffTopic(folder: string): OffTopic[] | undefined {
  return readLines(path.join(folder, 'off-topic.jsonl'), OffTopic);
}

function readLines<T extends z.ZodType>(file: string, line: T): z.output<T>[] | undefined {
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((one) => line.parse(JSON.parse(one)));
}

/** Shares, from 0 to 1, with what was heard wrong. */
export type WishFigures = {
  recall: number;
  /** Of those who ask for no human, how many would be handed over. */
  falseAlarms: number;
  missed: readonly string[];
  madeUp: readonly string[];
};

export function measureWishes(wishes: readonly Wish[], language?: string): WishFigures {
  const heard = wishes.map((one) => ({
    ...one,
    said: readUserTurn(one.text, language).wantsHuman,
  }));
  const are = heard.filter((one) => one.wants_human);
  const areNot = heard.filter((one) => !one.wants_human);
  const missed = are.filter(({ said }) => !said).map(({ text }) => text);
  const madeUp = areNot.filter(({ said }) => said).map(({ text }) => text);
  return {
    recall: 1 - missed.length / are.length,
    falseAlarms: madeUp.length / areNot.length,
    missed,
    madeUp,
  };
}

export type AnswerFigures = {
  /** Of questions that the knowledge answers: from the right pair, and from any. */
  right: number;
  answered: number;
  /** Of wrong answers to them and of questions about other things: with a score that rounds to 1.00. */
  sureAndWrong: number;
  /** Of questions about other things. */
  answeredOffTopic?: number;
  sureOffTopic?: number;
};

/** The reply without a model, with all pairs as what the agent knows. */
export async function measureAnswers(
  pool: Pool,
  { faqs, questions }: Faq,
  offTopic: readonly OffTopic[] | undefined,
): Promise<AnswerFigures> {
  const sources = await learn(
    pool,
    faqs.map(({ question, answer }) => [question, `# ${question}\n\n${answer}`]),
  );
  const reply = replyFrom(pool, [...sources.values()]);
  const answers: { isRight: boolean; isAnswered: boolean; isSure: boolean }[] = [];
  for (const { text, faq } of questions) {
    const { answeredFrom, retrieval } = await reply(text);
    const isAnswered = answeredFrom !== undefined;
    answers.push({ isRight: answeredFrom === faq, isAnswered, isSure: isSure(retrieval) });
  }
  const share = (of: (one: (typeof answers)[0]) => boolean): number =>
    answers.filter(of).length / answers.length;
  const figures = {
    right: share(({ isRight }) => isRight),
    answered: share(({ isAnswered }) => isAnswered),
    sureAndWrong: share((one) => !one.isRight && one.isSure),
  };
  if (!offTopic) return figures;
  const others: Reply[] = [];
  for (const { text } of offTopic) others.push(await reply(text));
  const isAnswered = ({ answeredFrom }: Reply): boolean => answeredFrom !== undefined;
  return {
    ...figures,
    answeredOffTopic: others.filter(isAnswered).length / others.length,
    sureOffTopic: others.filter(({ retrieval }) => isSure(retrieval)).length / others.length,
  };
}

function isSure(retrieval: Reply['retrieval']): boolean {
  return (retrieval?.top_score ?? 0) >= 0.995;
}

function replyFrom(pool: Pool, sourceIds: readonly string[]): (text: string) => Promise<Reply> {
  const respond = createExtractiveResponder({ nowMs: () => 0 });
  const content = {};
  return async (text) =>
    respond({
      content,
      speaker: { agentId: newUuid(), agentVersion: 1, content },
      // All that it reads of a conversation.
      conversation: { tally: EMPTY_TALLY } as LiveConversation,
      text,
      user: readUserTurn(text),
      readHistory: async () => [],
      search: async (query) => search(pool, sourceIds, query),
      emitToken: () => undefined,
      noteTools: async () => undefined,
      notedTools: [],
      signal: new AbortController().signal,
    });
}

const WISH_BARS = { recall: 0.88, falseAlarms: 0.002 };
const OFF_TOPIC_BAR = 0.08;

/** With VERBOSE also what was heard wrong. */
export function printWishes(wishes: readonly Wish[]): void {
  const { recall, falseAlarms, missed, madeUp } = measureWishes(wishes);
  const asking = wishes.filter((one) => one.wants_human).length;
  process.stdout.write(`${asking} messages ask for a human, ${wishes.length - asking} do not\n`);
  printRow('a human is asked for: recall', recall, { atLeast: WISH_BARS.recall });
  printRow('a human is asked for: false alarms', falseAlarms, { atMost: WISH_BARS.falseAlarms });
  if (!process.env['VERBOSE']) return;
  for (const text of missed) process.stdout.write(`  missed: ${text}\n`);
  for (const text of madeUp) process.stdout.write(`  made up: ${text}\n`);
}

export async function printAnswers(...of: Parameters<typeof measureAnswers>): Promise<void> {
  const { right, answered, sureAndWrong, answeredOffTopic, sureOffTopic } = await measureAnswers(
    ...of,
  );
  printRow('turn: questions answered', answered);
  printRow('turn: questions answered from the right pair', right);
  printRow('turn: questions with a wrong passage at 1.00', sureAndWrong);
  if (answeredOffTopic === undefined || sureOffTopic === undefined) return;
  printRow('turn: off-topic questions answered', answeredOffTopic, { atMost: OFF_TOPIC_BAR });
  printRow('turn: off-topic questions with a passage at 1.00', sureOffTopic);
}

function printRow(
  what: string,
  value: number,
  { atLeast = 0, atMost = 1 }: { atLeast?: number; atMost?: number } = {},
): void {
  const bar = atLeast > 0 ? `≥ ${atLeast}` : atMost < 1 ? `≤ ${atMost}` : '';
  const missed = value < atLeast || value > atMost ? '  MISSED' : '';
  process.stdout.write(`${what.padEnd(52)} ${value.toFixed(4)} ${bar}${missed}\n`);
}
