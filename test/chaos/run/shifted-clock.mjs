// `node --import shifted-clock.mjs` shifts the clock of this process by CLOCK_SHIFT_MS, as on a machine whose clock is wrong.
// Timers and `performance` run as before.
const shift = Number(process.env.CLOCK_SHIFT_MS ?? 0);
const Real = Date;

class Shifted extends Real {
  constructor(...given) {
    if (given.length === 0) super(Real.now() + shift);
    else super(...given);
  }
  static now() {
    return Real.now() + shift;
  }
}

// `Date()` without `new` gives a text, which a class cannot.
globalThis.Date = new Proxy(Shifted, { apply: () => new Shifted().toString() });
