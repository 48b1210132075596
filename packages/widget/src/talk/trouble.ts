/**
 * Error in a talk. The codes `origin_not_allowed`, `too_many_in_flight` and `rate_limited` come from the server, and
 * most others come from the widget.
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

/** Reports in the browser console that the page embeds the widget incorrectly. */
export function complain(text: string): void {
  // The console is the only place for messages to the developer of the page.
  // oxlint-disable-next-line no-console
  console.error(`Parley: ${text}`);
}
