/** The title of the tab: of the page, after how much waits for a person: `(2) Agents · Parley`. */

let ofPage = '';
let waiting = 0;

export function setPageTitle(title: string): void {
  ofPage = title;
  write();
}

/** 0: nothing waits. */
export function setTitleCount(count: number): void {
  waiting = count;
  write();
}

function write(): void {
  const name = ofPage === '' ? 'Parley' : `${ofPage} · Parley`;
  document.title = waiting > 0 ? `(${waiting}) ${name}` : name;
}
