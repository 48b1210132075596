/**
 * Updates custom CSS properties of an element whenever the visible part of the page changes. The on-screen keyboard of
 * a phone covers part of the page without changing its size, so `dvh` units do not reflect it.
 *
 * @returns a function that stops the updates
 */
export function followSeenArea(node: HTMLElement): () => void {
  const seen = globalThis.visualViewport;
  if (!seen) return () => undefined;
  const place = (): void => {
    // When the user zooms in, only part of the page is visible. The panel then keeps its normal size.
    const isZoomed = Math.abs(seen.scale - 1) > 0.01;
    const coveredPx = document.documentElement.clientHeight - seen.offsetTop - seen.height;
    const sizes = {
      '--seen-height': `${seen.height}px`,
      '--seen-top': `${seen.offsetTop}px`,
      '--covered': `${Math.max(0, coveredPx)}px`,
    };
    for (const [name, size] of Object.entries(sizes)) {
      if (isZoomed) node.style.removeProperty(name);
      else node.style.setProperty(name, size);
    }
  };
  place();
  seen.addEventListener('resize', place);
  seen.addEventListener('scroll', place);
  return () => {
    seen.removeEventListener('resize', place);
    seen.removeEventListener('scroll', place);
  };
}
