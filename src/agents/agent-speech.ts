import { z } from 'zod';
import { LIST_SET, rules } from '../platform/resources/schema/field-types.ts';
import { saying } from '../platform/resources/schema/patterns.ts';

/**
 * Speech settings of an agent. They are part of the agent's versioned content, so a change creates a new version
 * (contract/agents.md#voice).
 */

export const language = z
  .string()
  .min(2)
  .max(35)
  .regex(
    ...saying(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'must be a language tag, such as en or pt-BR'),
  );

/** Name of a ModelProvider, or a carrier's own name for a speech provider, which need not be a DNS label. */
const speechProvider = z.string().min(1).max(63);
const speechModel = z.string().min(1).max(128);
const voiceId = z.string().min(1).max(128);

const FALLBACKS_MAX = 3;

export const voice = z.strictObject({
  provider: speechProvider
    .describe(
      'Speech provider (TTS): a ModelProvider with `speech` in the same namespace, or a provider ' +
        'that the carrier supports.',
    )
    .exactOptional(),
  model: speechModel
    .describe("Speech model. Defaults to the provider's default model.")
    .exactOptional(),
  voiceId: voiceId.describe("The provider's ID for the voice.").exactOptional(),
  language: language.describe('Language that the voice speaks, as a BCP 47 tag.').exactOptional(),
  speed: z
    .number()
    .min(0.25)
    .max(4)
    // A CEL rule is used instead of `minimum`. For an integer value, the API server truncates a fractional minimum to
    // an integer, so it would accept 0 as at least 0.25.
    .meta(rules({ rule: 'self >= 0.25', message: 'must be at least 0.25' }))
    .describe('Speaking rate. 1 is normal speed.')
    .exactOptional(),
  fallback: z
    .array(
      z
        .strictObject({
          provider: speechProvider
            .describe("Provider to fall back to. Defaults to the voice's provider.")
            .exactOptional(),
          model: speechModel
            .describe("Speech model. Defaults to the provider's default model.")
            .exactOptional(),
          voiceId: voiceId
            .describe(
              "The provider's ID for the voice. Defaults to the agent's voice if the provider is " +
                "the same, otherwise to the provider's default voice.",
            )
            .exactOptional(),
        })
        .meta(
          rules({
            rule: 'has(self.provider) || has(self.model) || has(self.voiceId)',
            message: 'a fallback must have a `provider`, a `model` or a `voiceId`',
          }),
        ),
    )
    .max(FALLBACKS_MAX)
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe('Fallbacks in order of preference, used when the first provider fails.')
    .exactOptional(),
});

export const transcriber = z.strictObject({
  provider: speechProvider
    .describe(
      'Transcription provider (STT): a ModelProvider with `transcription` in the same namespace, ' +
        'or a provider that the carrier supports.',
    )
    .exactOptional(),
  model: speechModel
    .describe("Transcription model. Defaults to the provider's default model.")
    .exactOptional(),
  language: language.describe('Language that users speak, as a BCP 47 tag.').exactOptional(),
  keywords: z
    .array(z.string().min(1).max(64))
    .max(100)
    .meta(LIST_SET)
    .describe('Names and words that users are likely to say and that are hard to recognize.')
    .exactOptional(),
  retranscribeInterrupted: z
    .boolean()
    .describe(
      "Whether to transcribe the agent's interrupted sentence, in order to find the last word " +
        'that was played before the interruption. This takes two requests. If false, the ' +
        'position is estimated from the audio. Default: false.',
    )
    .exactOptional(),
  fallback: z
    .array(
      z
        .strictObject({
          provider: speechProvider
            .describe("Provider to fall back to. Defaults to the transcriber's provider.")
            .exactOptional(),
          model: speechModel
            .describe("Transcription model. Defaults to the provider's default model.")
            .exactOptional(),
        })
        .meta(
          rules({
            rule: 'has(self.provider) || has(self.model)',
            message: 'a fallback must have a `provider` or a `model`',
          }),
        ),
    )
    .max(FALLBACKS_MAX)
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe('Fallbacks in order of preference, used when the first provider fails.')
    .exactOptional(),
});
