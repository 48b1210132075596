/**
 * Error for a page that exceeds a limit. `message` is one sentence without its full stop, and is safe to show to users.
 */
export class HtmlRefused extends Error {
  readonly code = 'too_large';
}
