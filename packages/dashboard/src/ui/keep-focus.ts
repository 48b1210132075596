/** Elements that may take the focus when a focused element inside them is removed. The innermost one is tried first. */
const PLACES =
  'section, article, form, fieldset, ul, ol, [role="table"], [role="log"], dialog, main';

/** The focused element, and the elements around it. They are stored, because a removed element has no ancestors. */
type Kept = { element: HTMLElement; around: readonly HTMLElement[] };

let kept: Kept | undefined;
let standIn: HTMLElement | undefined;
let lastPath: string | undefined;

/**
 * Keeps the keyboard focus on the page. If the focused element is removed, or disabled like a busy button, the browser
 * moves the focus to `<body>`. This function moves the focus to the nearest surrounding element that remains. If the
 * element was only disabled, the focus returns to it as soon as it is enabled again.
 * @returns a function that stops observing the page
 */
export function keepFocus(): () => void {
  const remember = ({ target }: FocusEvent): void => {
    if (target instanceof HTMLElement && target !== standIn) kept = keptOf(target);
  };
  const leave = ({ target }: FocusEvent): void => {
    // Checks in a microtask, because an element that is being removed is still connected now. If the element can have
    // the focus in the microtask, it was neither removed nor disabled, and the focus must not return to it.
    queueMicrotask(() => {
      if (kept?.element === target && isNowhere() && canHaveFocus(kept.element)) kept = undefined;
    });
  };
  document.addEventListener('focusin', remember);
  document.addEventListener('focusout', leave);
  const observer = new MutationObserver(restore);
  observer.observe(document.body, {
    subtree: true,
    childList: true,
    attributeFilter: ['disabled'],
  });
  return () => {
    document.removeEventListener('focusin', remember);
    document.removeEventListener('focusout', leave);
    observer.disconnect();
  };
}

/**
 * Remembers where the focus is before a dialog takes it.
 * @returns a function that restores the focus once the dialog is closed
 */
export function holdFocus(): () => void {
  const before = kept;
  return () => {
    kept = before;
    // This call may have no effect while the dialog is still in the document. `restore` is called again when the dialog
    // is removed.
    restore();
  };
}

/** Moves the focus to the heading of a new page, unless the page has focused one of its fields. */
export function arriveAt(path: string): void {
  if (path === lastPath) return;
  const isFirst = lastPath === undefined;
  lastPath = path;
  if (!isFirst && !document.activeElement?.closest('main, dialog')) focusHeading();
}

function restore(): void {
  if (!kept || !isNowhere()) return;
  const { element, around } = kept;
  if (element.isConnected && element.matches(':disabled')) return;
  if (take(element)) return;
  if (!around.some((place) => place.isConnected && takeInstead(place))) focusHeading();
}

function keptOf(element: HTMLElement): Kept {
  const around: HTMLElement[] = [];
  let place = element.parentElement?.closest<HTMLElement>(PLACES);
  while (place) {
    around.push(place);
    place = place.parentElement?.closest<HTMLElement>(PLACES);
  }
  return { element, around };
}

function takeInstead(place: HTMLElement): boolean {
  return place.matches('main') ? focusHeading() : takeAs(place);
}

function focusHeading(): boolean {
  const heading = document.querySelector<HTMLElement>('main h1');
  return heading !== null && takeAs(heading);
}

/** Focuses an element that is not a control. The element is focusable only while it has the focus. */
function takeAs(place: HTMLElement): boolean {
  standIn = place;
  if (!place.hasAttribute('tabindex')) {
    place.tabIndex = -1;
    const release = (): void => {
      // If the whole window lost the focus, the browser later returns the focus to this element, so it stays focusable.
      if (!document.hasFocus()) return;
      place.removeAttribute('tabindex');
      place.removeEventListener('blur', release);
    };
    place.addEventListener('blur', release);
  }
  return take(place);
}

function take(element: HTMLElement): boolean {
  element.focus({ preventScroll: true });
  return document.activeElement === element;
}

function isNowhere(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

function canHaveFocus(element: HTMLElement): boolean {
  return element.isConnected && !element.matches(':disabled');
}
