import { z } from 'zod';
import { storable } from '../record/storable.ts';

/**
 * Outcomes that a model may choose. All other outcomes follow from facts: a human took over, voicemail answered the
 * call, or an error occurred.
 */
export const VERDICT_OUTCOMES = ['resolved', 'unresolved', 'abandoned', 'unknown'] as const;

const SUMMARY_MAX = 1_000;
const TOPICS_MAX = 5;
const TOPIC_CHARS_MAX = 64;
const QUESTIONS_MAX = 10;
const QUESTION_CHARS_MAX = 500;

/** Judgement of a conversation by a model, with long values truncated. */
export type Verdict = {
  summary: string;
  outcome: (typeof VERDICT_OUTCOMES)[number];
  /** Predicted satisfaction of the user, from 1 to 5. */
  satisfaction: number;
  topics: string[];
  openQuestions: string[];
};

const answer = z.strictObject({
  summary: z.string().regex(/\S/),
  outcome: z.enum(VERDICT_OUTCOMES),
  satisfaction: z.literal([1, 2, 3, 4, 5]),
  topics: z.array(z.string()),
  open_questions: z.array(z.string()),
});

/** Returns the JSON Schema of the response. Uses only features that every server with `response_format` supports. */
export function verdictSchema(topics: readonly string[]): Record<string, unknown> {
  const text = { type: 'string' };
  return {
    type: 'object',
    properties: {
      summary: text,
      outcome: { type: 'string', enum: VERDICT_OUTCOMES },
      satisfaction: { type: 'integer', enum: [1, 2, 3, 4, 5] },
      topics: {
        type: 'array',
        items: topics.length > 0 ? { type: 'string', enum: topics } : text,
      },
      open_questions: { type: 'array', items: text },
    },
    required: ['summary', 'outcome', 'satisfaction', 'topics', 'open_questions'],
    additionalProperties: false,
  };
}

/**
 * Extracts the verdict from a model's text, and ignores any text around it. Truncates long values. If `topics` is not
 * empty, drops topics that it does not contain. Returns undefined if the text does not match the schema.
 */
export function readVerdict(text: string, topics: readonly string[]): Verdict | undefined {
  const { success, data } = answer.safeParse(objectIn(text));
  if (!success) return undefined;
  const isTopic = (topic: string): boolean => topics.length === 0 || topics.includes(topic);
  return {
    summary: storable(data.summary.trim(), SUMMARY_MAX),
    outcome: data.outcome,
    satisfaction: data.satisfaction,
    topics: listed(data.topics.filter(isTopic), TOPICS_MAX, TOPIC_CHARS_MAX),
    openQuestions: listed(data.open_questions, QUESTIONS_MAX, QUESTION_CHARS_MAX),
  };
}

/**
 * Parses the JSON object in a text. Without `response_format`, models put the object in a code block or write text
 * before it.
 */
function objectIn(text: string): unknown {
  const [from, to] = [text.indexOf('{'), text.lastIndexOf('}')];
  try {
    return from < 0 ? undefined : JSON.parse(text.slice(from, to + 1));
  } catch {
    return undefined;
  }
}

function listed(texts: readonly string[], max: number, charsMax: number): string[] {
  const said = texts.map((text) => storable(text.trim(), charsMax)).filter((text) => text !== '');
  return [...new Set(said)].slice(0, max);
}
