import { z } from 'zod';
import { OUTCOMES } from './outcomes.ts';

const tokens = z.int().min(0);

/**
 * A model's judgement of an ended conversation, as it is stored and shown (contract/conversations.md#judgement). The
 * `summary`, `outcome` and `csat_predicted` of a judged conversation come from the model. `by_rule` has the values that
 * the rules computed.
 */
export const Judgement = z
  .strictObject({
    provider: z
      .string()
      .nullable()
      .meta({ description: 'Name of the model provider. Null if no model responded.' }),
    model: z.string().nullable(),
    topics: z
      .array(z.string())
      .meta({ description: 'Topics of the conversation, most important first.' }),
    open_questions: z
      .array(z.string())
      .meta({ description: 'User questions that were not answered.' }),
    by_rule: z.strictObject({
      summary: z.string(),
      outcome: z.enum(OUTCOMES),
      csat_predicted: z.number().min(1).max(5),
    }),
    usage: z
      .strictObject({
        input_tokens: tokens,
        output_tokens: tokens,
        cached_input_tokens: tokens,
        estimated: z.boolean(),
      })
      .nullable(),
    cost: z.strictObject({ amount: z.number().min(0), currency: z.string() }).nullable(),
    duration_ms: z.number().min(0).nullable(),
    error: z
      .strictObject({ code: z.string(), detail: z.string() })
      .nullable()
      .meta({
        description:
          'Why no model judged the conversation. Its summary, outcome and predicted satisfaction then come from ' +
          'the rules. Null if there was no error.',
      }),
  })
  .meta({ id: 'Judgement', description: "A model's judgement of an ended conversation." });
export type Judgement = z.output<typeof Judgement>;
