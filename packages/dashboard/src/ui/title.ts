/**
 * State of the tab title, which shows the number of waiting escalations and the title of the page: `(2) Agents ·
 * Parley`.
 */

let ofPage = '';
let waiting = 0;

export function setPageTitle(title: string): void {
  ofPage = title;
  write();
}

/** Sets the number of waiting escalations; 0 hides it. */
export function setTitleCount(count: number): void {
  waiting = count;
  write();
}

function write(): void {
  const name = ofPage === '' ? 'Parley' : `${ofPage} · Parley`;
  document.title = waiting > 0 ? `(${waiting}) ${name}` : name;
}
