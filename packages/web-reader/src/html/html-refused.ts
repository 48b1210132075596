/** A page that is too much to read. `message`: one sentence, without its end, safe to show. */
export class HtmlRefused extends Error {
  readonly code = 'too_large';
}
