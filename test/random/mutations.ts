import * as fc from 'fast-check';

/** Values that have surprised validators: edges of types, bounds, and what JavaScript inherits. */
const ODD_VALUES: unknown[] = [
  [null, true, '', ' ', 'x', 'no', '\n', 'é', '😀', 'a\u0000b', '1', '-', '*', 'agent.*'],
  [0, 1, -1, 0.1, 0.2, 1.5, 4, 5, 100, 101, 2 ** 31, 2 ** 53, -(2 ** 63), 1e30, 1e-7],
  [[], {}, [null], [''], ['a', 'a'], [[]], [{}], { a: null }, { a: 'b' }, { '': '' }],
  ['http://', 'https://a', 'https://[::1', 'http://a:99999', 'https://a/\u00e9', 'HTTPS://a'],
  ['x'.repeat(64), 'x'.repeat(129), { a: { b: [1, null] } }],
].flat();

const ODD_KEYS = ['a', '', 'name', 'type', 'constructor', '__proto__', 'host', 'X-A b', 'é', 'key'];

type Step = {
  at: number;
  kind: 'replace' | 'remove' | 'add' | 'repeat';
  value: number;
  key: number;
};

/** Copies of a value with one to three places changed. */
export function mutationsOf(value: unknown): fc.Arbitrary<unknown> {
  const step = fc.record({
    at: fc.nat({ max: 999 }),
    kind: fc.constantFrom('replace', 'replace', 'remove', 'add', 'repeat'),
    value: fc.nat({ max: ODD_VALUES.length - 1 }),
    key: fc.nat({ max: ODD_KEYS.length - 1 }),
  });
  return fc.array(step, { minLength: 1, maxLength: 3 }).map((steps) => {
    const root = { value: structuredClone(value) };
    for (const one of steps) mutate(root, one);
    return root.value;
  });
}

type Place = { holder: object; key: string | number };

function mutate(root: object, { at, kind, value, key }: Step): void {
  const places = placesIn(root);
  const place = places[at % places.length];
  if (!place) return; // An earlier step removed everything.
  const { holder, key: at0 } = place;
  const odd = structuredClone(ODD_VALUES[value]);
  const target: unknown = Reflect.get(holder, at0);
  if (kind === 'remove' && !Array.isArray(holder)) Reflect.deleteProperty(holder, at0);
  else if (kind === 'repeat' && Array.isArray(target)) target.push(structuredClone(target[0]));
  else if (kind === 'add' && isPlain(target)) define(target, ODD_KEYS[key]!, odd);
  else define(holder, at0, odd);
}

/** Unlike assignment, makes `__proto__` a key of its own. */
function define(holder: object, key: string | number, value: unknown): void {
  Object.defineProperty(holder, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

function placesIn(holder: object): Place[] {
  const keys = Array.isArray(holder) ? holder.map((_, i) => i) : Object.keys(holder);
  return keys.flatMap((key): Place[] => {
    const member: unknown = Object.getOwnPropertyDescriptor(holder, key)?.value;
    const below = typeof member === 'object' && member !== null ? placesIn(member) : [];
    return [{ holder, key }, ...below];
  });
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
