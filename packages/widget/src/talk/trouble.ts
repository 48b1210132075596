/**
 * Error of a talk. Some codes are the server's (`origin_not_allowed`, `too_many_in_flight`, `rate_limited`), the others
 * come from this page.
 */
export class TalkError extends Error {
  readonly code: string;

  constructor(code: string, detail: string) {
    super(detail);
    this.code = code;
  }
}

export const troubleOf = (error: unknown): TalkError =>
  error instanceof TalkError ? error : new TalkError('unknown', String(error));

/** Reports a mistake in how a page embeds the widget to the developer console. */
export function complain(text: string): void {
  // A page has no other place for messages to its developer.
  // oxlint-disable-next-line no-console
  console.error(`Parley: ${text}`);
}
