import { z } from 'zod';
import { dnsLabel, LIST_SET, rules } from '../platform/resources/schema/field-types.ts';

/** Settings for the judgement of ended conversations (contract/conversations.md#judgement). */
export const judgement = z
  .strictObject({
    // Required, because an empty object would count as no judgement settings at all.
    by: z
      .enum(['rule', 'model'])
      .describe('rule, as when absent: by what was counted. model: by a language model as well.'),
    model: z
      .strictObject({
        provider: dnsLabel
          .clone()
          .describe('ModelProvider in the same namespace; absent, or default: the default one.')
          .exactOptional(),
        name: z
          .string()
          .min(1)
          .max(128)
          .describe("Model to ask for; absent: the provider's default.")
          .exactOptional(),
      })
      .meta(
        rules({
          rule: 'has(self.provider) || has(self.name)',
          message: 'model of judgement needs a provider or a name',
        }),
      )
      .describe("The model that judges; absent: the agent's own.")
      .exactOptional(),
    topics: z
      .array(z.string().min(1).max(64))
      .max(50)
      .meta(LIST_SET)
      .describe('What conversations can be about; absent: the model finds the words.')
      .exactOptional(),
  })
  .meta(
    rules({
      rule: "self.by == 'model' || (!has(self.model) && !has(self.topics))",
      message: 'model and topics of judgement are for by: model',
      fieldPath: '.by',
    }),
  );
