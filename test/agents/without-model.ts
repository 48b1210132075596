/** Beginning of the message about an agent that no model answers. */
export const WITHOUT_MODEL =
  'no effect without a model (name a ModelProvider in model.provider, or set PARLEY_MODEL_URL): prompt';
