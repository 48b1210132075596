/** What the benchmark has the page measure: each runs there, and sees nothing but its argument. */

/** From the start of the navigation until the first page has its data. */
export async function firstViewMs(): Promise<number> {
  const isThere = (): boolean =>
    document.querySelector('main h1') !== null &&
    document.querySelector('main [aria-busy="true"], main .skeleton') === null;
  while (!isThere()) await new Promise(requestAnimationFrame);
  return performance.now();
}

/** From the click on a place in the navigation until its page is drawn, with its data. */
export async function changePage(place: string): Promise<number> {
  const links = [...document.querySelectorAll<HTMLElement>('nav[aria-label="Parley"] a')];
  const link = links.find(({ textContent }) => textContent.startsWith(place));
  if (!link) throw new Error(`there is no ${place} in the navigation`);
  const startedMs = performance.now();
  link.click();
  const isThere = (): boolean =>
    document.querySelector('main h1')?.textContent.startsWith(place) === true &&
    document.querySelector('main .skeleton') === null;
  while (!isThere()) await new Promise(requestAnimationFrame);
  await new Promise(requestAnimationFrame);
  return performance.now() - startedMs;
}

/** When a text has come once more than it stood there: Unix ms. */
export function watchForText(text: string): Promise<number> {
  const main = document.querySelector('main')!;
  const count = (): number => main.textContent.split(text).length;
  const before = count();
  return new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (count() <= before) return;
      observer.disconnect();
      requestAnimationFrame(() => resolve(Date.now()));
    });
    observer.observe(main, { childList: true, subtree: true, characterData: true });
  });
}

/** Tasks of more than 50 ms from now on, in `window.longTasks`. */
export function watchLongTasks(): void {
  const found: number[] = [];
  Object.assign(window, { longTasks: found });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) found.push(duration);
  }).observe({ type: 'longtask' });
}
