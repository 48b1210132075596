/**
 * Sets style properties of an element to the visible part of the page. The keyboard of a phone covers a page without
 * changing its size, so `dvh` does not include it.
 *
 * @returns a function that stops it
 */
export function followSeenArea(node: HTMLElement): () => void {
  const seen = globalThis.visualViewport;
  if (!seen) return () => undefined;
  const place = (): void => {
    // Zooming in shows only a part of the page; the panel keeps its size.
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
