/** RFC 3339 without fractions, as Kubernetes writes times. `ms` is Unix milliseconds. */
export function rfc3339(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
