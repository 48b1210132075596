import { z } from 'zod';
import { dnsLabel, LIST_SET, rules } from '../platform/resources/schema/field-types.ts';

/** Settings for judging ended conversations (contract/conversations.md#judgement). */
export const judgement = z
  .strictObject({
    // Required, because an empty object would be treated as if no settings were given.
    by: z
      .enum(['rule', 'model'])
      .describe(
        'How to judge ended conversations. `rule` (the default): by a fixed rule based on ' +
          'counts. `model`: by a language model in addition to the rule.',
      ),
    model: z
      .strictObject({
        provider: dnsLabel
          .clone()
          .describe(
            'ModelProvider in the same namespace. If absent or `default`, the default provider is used.',
          )
          .exactOptional(),
        name: z
          .string()
          .min(1)
          .max(128)
          .describe("Name of the model. Defaults to the provider's default model.")
          .exactOptional(),
      })
      .meta(
        rules({
          rule: 'has(self.provider) || has(self.name)',
          message: '`judgement.model` must have a `provider` or a `name`',
        }),
      )
      .describe("Model that judges the conversations. Defaults to the agent's own model.")
      .exactOptional(),
    topics: z
      .array(z.string().min(1).max(64))
      .max(50)
      .meta(LIST_SET)
      .describe('Possible topics of a conversation. If absent, the model names the topics itself.')
      .exactOptional(),
  })
  .meta(
    rules({
      rule: "self.by == 'model' || (!has(self.model) && !has(self.topics))",
      message: '`judgement.model` and `judgement.topics` require `by: model`',
      fieldPath: '.by',
    }),
  );
