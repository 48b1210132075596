/**
 * A wall clock that is wrong, for a process of its own: `NODE_OPTIONS=--import=<this file>`.
 * TEST_CLOCK_SKEW_MS is by how much; with TEST_CLOCK_STEP_MS it also jumps by so much, back or
 * forth, twice a second. Timers and `performance.now()` stay right, as they do in reality.
 */
const skewMs = Number(process.env['TEST_CLOCK_SKEW_MS'] ?? 0);
const stepMs = Number(process.env['TEST_CLOCK_STEP_MS'] ?? 0);
const STEP_EVERY_MS = 500;

const RealDate = Date;

class SkewedDate extends RealDate {
  constructor(...values: [] | [number | string | Date]) {
    if (values.length === 0) super(SkewedDate.now());
    // All of its signatures, which a tuple cannot say.
    else super(...(values as [number]));
  }

  static override now(): number {
    const steps = Math.floor(performance.now() / STEP_EVERY_MS);
    return RealDate.now() + skewMs + steps * stepMs;
  }
}

globalThis.Date = SkewedDate as DateConstructor;
