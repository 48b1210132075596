import { LRUCache } from 'lru-cache';
import type { AnswerDraft } from '../answers/answer-draft.ts';
import type { ModelEndpoint } from '../model.ts';
import {
  defaultCapabilities,
  fallbackFor,
  transcriptionFallbackFor,
  type Capabilities,
  type Refused,
} from './capabilities.ts';

/**
 * What this process has learned about one model of a provider. It is discarded when the provider's declaration changes.
 */
export type ModelHabits = {
  readonly capabilities: Capabilities;
  /**
   * Whether text is held back until a closing tag arrives. This is necessary if the model's reasoning has no opening
   * tag.
   */
  readonly holdsText: boolean;
  /** Learns from a complete answer whether the model's reasoning has no opening tag. */
  note: (draft: AnswerDraft) => void;
  /** Learns from a rejected request. Returns false if no change would help. */
  learn: (refused: Refused) => boolean;
  /** Learns from a rejected transcription. `error` is the provider's error. Returns false if no change would help. */
  learnTranscription: (error: string) => boolean;
};

const MODELS_MAX = 200;

/**
 * Pattern for models whose chat template opens the reasoning in the prompt, so that their answers may have only the
 * closing tag. The first answer of such a model is held back until that tag arrives or the answer ends.
 */
const THINKS = /(^|[^a-z0-9])(r1|qwq|think|thinking|thinker|reasoning)([^a-z0-9]|$)/i;

export function createModelHabits(): (endpoint: ModelEndpoint, model: string) => ModelHabits {
  const known = new WeakMap<ModelEndpoint, LRUCache<string, ModelHabits>>();
  return (endpoint, model) => {
    const models = known.get(endpoint) ?? new LRUCache<string, ModelHabits>({ max: MODELS_MAX });
    known.set(endpoint, models);
    const habits = models.get(model) ?? habitsOf(endpoint, model);
    models.set(model, habits);
    return habits;
  };
}

function habitsOf({ baseUrl }: ModelEndpoint, model: string): ModelHabits {
  let holdsText = THINKS.test(model);
  let capabilities = defaultCapabilities(baseUrl, model);
  const take = (change: Partial<Capabilities> | undefined): boolean => {
    if (change) capabilities = { ...capabilities, ...change };
    return change !== undefined;
  };
  return {
    get capabilities() {
      return capabilities;
    },
    get holdsText() {
      return holdsText;
    },
    note: ({ beganInThinking, text }) => {
      if (text !== '') holdsText = beganInThinking;
    },
    learn: (refused) => take(fallbackFor(capabilities, refused)),
    learnTranscription: (error) => take(transcriptionFallbackFor(capabilities, error)),
  };
}
