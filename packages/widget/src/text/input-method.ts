/**
 * Returns true if a key belongs to an input method, for example Enter when it confirms a Japanese word. Safari ends the
 * composition before it reports that key, and marks it only with the key code 229 (UI Events §7.3.1).
 */
export function isOfInputMethod(event: { isComposing: boolean; keyCode: number }): boolean {
  return event.isComposing || event.keyCode === 229;
}
