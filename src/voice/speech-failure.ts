import type { Failure } from '../models/model-failure.ts';

/** Reason why speech or transcription failed. `failure.message` is for people and safe to show. */
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

/** Returns the failure to report when all providers failed. They are tried in order; the first failure is reported. */
export function failureOfAll(failures: readonly SpeechFailure[]): SpeechFailure {
  const [first] = failures;
  if (first === undefined) return refused('The agent names no provider.');
  if (failures.length === 1) return first;
  const message = `${first.message} Its fallbacks failed as well.`;
  return new SpeechFailure({ ...first.failure, message });
}
