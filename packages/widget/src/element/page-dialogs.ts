/** Parent node. In newer browsers it has `moveBefore`, which moves a child node without removing it first. */
type Parent = ParentNode & Node & { moveBefore?: (node: Node, before: Node | null) => void };

export type BesideDialogs = {
  /**
   * Call this after the host element was removed from the page. If the element was inside a dialog of the page, moves
   * it back to its original position and returns true. Otherwise returns false.
   */
  comeHome: () => boolean;
  stop: () => void;
};

/**
 * Keeps the widget usable while the page shows a modal dialog. Pages trap the focus in their dialog, set `inert` or
 * `aria-hidden` on all other elements, or call `showModal()`, which makes all other elements inert.
 *
 * @param layer element that contains the whole widget. While the host is inside a dialog, the layer is shown in the
 * browser's top layer
 */
export function liveBesideDialogs(host: HTMLElement, layer: HTMLElement): BesideDialogs {
  const stopFocus = keepFocus(host);
  const attributes = new MutationObserver(() => reveal(host));
  attributes.observe(host, { attributeFilter: ['inert', 'aria-hidden'] });
  reveal(host);
  // Keeps these events from the page, which would cancel them in order to lock scrolling behind its dialog.
  for (const type of SCROLLING) host.addEventListener(type, stopPropagation, { passive: true });
  const home = document.createComment('parley-widget');
  const follow = (): void => {
    const modal = isModal(layer) ? undefined : modalOf(host);
    if (modal && host.closest('dialog') !== modal) {
      if (!home.isConnected) host.before(home);
      move(host, modal, null);
      toTop(layer);
    } else if (!modal && home.isConnected) goHome();
  };
  const goHome = (): void => {
    if (layer.popover) layer.popover = null;
    move(host, home.parentNode!, home);
    home.remove();
  };
  const dialogs = new MutationObserver(follow);
  dialogs.observe(document, { subtree: true, attributeFilter: ['open'] });
  follow();
  return {
    comeHome: () => {
      if (!home.isConnected) return false;
      goHome();
      return true;
    },
    stop: () => {
      stopFocus();
      attributes.disconnect();
      dialogs.disconnect();
      home.remove();
      for (const type of SCROLLING) host.removeEventListener(type, stopPropagation);
    },
  };
}

const SCROLLING = ['wheel', 'touchmove'];
const stopPropagation = (event: Event): void => event.stopPropagation();

/**
 * Hides the focus events from the page when the focus moves into the widget. Otherwise a focus trap in the page would
 * move the focus back.
 */
function keepFocus(host: HTMLElement): () => void {
  const hide = (event: Event): void => {
    const { type, target, relatedTarget } = event as FocusEvent;
    const isComing = target === host && /^focus(?:in)?$/.test(type);
    const isLeaving = relatedTarget === host && target instanceof Element && isInDialog(target);
    if (isComing || isLeaving) event.stopImmediatePropagation();
  };
  for (const type of FOCUS) addEventListener(type, hide, true);
  return () => {
    for (const type of FOCUS) removeEventListener(type, hide, true);
  };
}

const FOCUS = ['focusin', 'focus', 'focusout', 'blur'];

const isInDialog = (node: Element): boolean =>
  node.closest('dialog, [role=dialog], [role=alertdialog], [aria-modal=true]') !== null;

function reveal(host: HTMLElement): void {
  if (host.hasAttribute('inert')) host.removeAttribute('inert');
  if (host.hasAttribute('aria-hidden')) host.removeAttribute('aria-hidden');
}

const MODAL = 'dialog:modal';

/**
 * Returns true if the panel itself is a modal dialog, which it is on small screens. In that case the widget does not
 * move into dialogs of the page.
 */
const isModal = (layer: HTMLElement): boolean =>
  CSS.supports(`selector(${MODAL})`) && layer.querySelector(MODAL) !== null;

/** Returns the innermost modal dialog of the page, or undefined if none exists. */
function modalOf(host: HTMLElement): Element | undefined {
  if (!CSS.supports(`selector(${MODAL})`)) return undefined;
  return [...document.querySelectorAll(MODAL)].findLast((dialog) => !host.contains(dialog));
}

function move(host: HTMLElement, to: Parent, before: Node | null): void {
  if (to.moveBefore && host.isConnected) to.moveBefore(host, before);
  else to.insertBefore(host, before);
}

/** Shows the layer in the browser's top layer, where the page's dialog cannot clip or transform it. */
function toTop(layer: HTMLElement): void {
  if (typeof layer.showPopover !== 'function') return;
  layer.popover = 'manual';
  // Hides the layer before showing it again, because browsers put the element that was shown last on top.
  if (layer.matches(':popover-open')) layer.hidePopover();
  layer.showPopover();
}
