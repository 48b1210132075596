import type { Locator } from 'playwright-core';

type Given = { keyCode?: number; isComposing?: boolean; ctrlKey?: boolean };

/**
 * Presses a key as Safari reports one that an input method handles: behind the end of the composition, with the code 229.
 *
 * @returns what is left in the field
 */
export function pressOfInputMethod(
  field: Locator,
  key: string,
  given: Given = { keyCode: 229 },
): Promise<string> {
  const init = { key, bubbles: true, cancelable: true, composed: true, ...given };
  return field.evaluate(async (input: HTMLInputElement | HTMLTextAreaElement, event) => {
    input.dispatchEvent(new KeyboardEvent('keydown', event));
    // React writes to the field a moment later.
    await new Promise((resolve) => requestAnimationFrame(resolve));
    return input.value;
  }, init);
}
