import { expect, test } from 'vitest';
import { createTalkWindows } from '../../src/talks/talk-windows.ts';

/** How many windows of a talk there are, and which one has to go. */

function windowsOf() {
  const windows = createTalkWindows();
  const left: string[] = [];
  return { left, open: (id: string, name: string) => windows.add(id, () => void left.push(name)) };
}

test('the sixth window of a talk takes the place of the oldest one', () => {
  const { open, left } = windowsOf();
  for (const name of ['a', 'b', 'c', 'd', 'e']) open('one', name);
  open('other', 'x');
  expect(left).toEqual([]);
  open('one', 'f');
  expect(left).toEqual(['a']);
  open('one', 'g');
  expect(left).toEqual(['a', 'b']);
});

test('a window that was closed has no place', () => {
  const { open, left } = windowsOf();
  const close = open('one', 'a');
  for (const name of ['b', 'c', 'd', 'e']) open('one', name);
  close();
  close();
  open('one', 'f');
  expect(left).toEqual([]);
  open('one', 'g');
  expect(left).toEqual(['b']);
});
