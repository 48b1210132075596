/** Reason why a document cannot be read. `code` is for programs, and `detail` tells the sender what to change. */
export type FormatRefusal = {
  code: 'invalid_format' | 'too_large' | 'too_many' | 'encrypted' | 'no_text';
  detail: string;
};

/** Error for a document that cannot be read. Retrying does not help. */
export class FormatRefused extends Error {
  override readonly name = 'FormatRefused';
  readonly code: FormatRefusal['code'];

  constructor(code: FormatRefusal['code'], detail: string) {
    super(detail);
    this.code = code;
  }
}
