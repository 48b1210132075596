/** Elements that take the focus in place of one inside them that was removed, innermost first. */
const PLACES =
  'section, article, form, fieldset, ul, ol, [role="table"], [role="log"], dialog, main';

/** The element with the focus, and the places around it. After a removal, the element no longer has ancestors. */
type Kept = { element: HTMLElement; around: readonly HTMLElement[] };

let kept: Kept | undefined;
let standIn: HTMLElement | undefined;
let lastPath: string | undefined;

/**
 * Keeps the focus of the keyboard on the page. The browser moves it to `<body>` if the focused element is removed or
 * disabled, as a button is by its own action. This moves it to the nearest place that remains, or back to the element
 * as soon as that is enabled again.
 * @returns a function that stops it
 */
export function keepFocus(): () => void {
  const remember = ({ target }: FocusEvent): void => {
    if (target instanceof HTMLElement && target !== standIn) kept = keptOf(target);
  };
  const leave = ({ target }: FocusEvent): void => {
    // While an element is being removed, it is still connected. Afterwards it is not.
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
 * Remembers where the focus is, for a dialog that takes it.
 * @returns a function that gives it back once the dialog is closed
 */
export function holdFocus(): () => void {
  const before = kept;
  return () => {
    kept = before;
    // The dialog may still be in the document. The removal calls this again.
    restore();
  };
}

/** Moves the focus to the heading of a new page, unless the page has given it to one of its fields. */
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

/** Focuses an element that is not a control. The element can take the focus only as long as it has it. */
function takeAs(place: HTMLElement): boolean {
  standIn = place;
  if (!place.hasAttribute('tabindex')) {
    place.tabIndex = -1;
    const release = (): void => {
      // Another window took the focus, and gives it back.
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
