/** Returns the media type of a `Content-Type` in lower case, without its parameters, or '' without a header. */
export function mediaTypeOf(contentType: string | null | undefined): string {
  return (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase();
}
