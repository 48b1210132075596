import type { Failure } from '../models/model-failure.ts';

/** Error from a speech or transcription request. `failure.message` is safe to show to users. */
export class SpeechFailure extends Error {
  override readonly name = 'SpeechFailure';
  readonly code: Failure['code'];
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message, { cause: failure.cause });
    this.code = failure.code;
    this.failure = failure;
  }
}

export function refused(message: string): SpeechFailure {
  return new SpeechFailure({
    code: 'model_refused',
    message,
    mayRetry: false,
    retryAfterMs: undefined,
  });
}

/** Returns the failure to report when all providers failed: that of the first provider, which the agent prefers. */
export function failureOfAll(failures: readonly SpeechFailure[]): SpeechFailure {
  const [first] = failures;
  if (first === undefined) return refused('The agent does not name a provider.');
  if (failures.length === 1) return first;
  const message = `${first.message} Its fallbacks also failed.`;
  return new SpeechFailure({ ...first.failure, message });
}
