/** Returns the media type of a `Content-Type` in lower case and without its parameters, or '' if there is no header. */
export function mediaTypeOf(contentType: string | null | undefined): string {
  return (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase();
}
