/** @isolated replaces functions of modules. */
import pino from 'pino';
import { watchLauncher } from '../../src/startup/launcher';
import { createSignals } from '../../src/startup/signals';
import { createStages, StoppedWhileStarting } from '../../src/startup/stages';

const log = pino({ level: 'silent' });

it('stops stages in reverse order, one after another, and all of them even if one fails', async () => {
  const stages = createStages(log);
  const order: string[] = [];
  const stage = (name: string, fails = false) =>
    stages.started(name, async () => {
      order.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      order.push(`${name} ends`);
      if (fails) throw new Error(name);
    });
  stage('first');
  stage('second', true);
  stage('third');
  await Promise.all([stages.stop(), stages.stop()]);
  expect(order).toEqual([
    ...['third begins', 'third ends', 'second begins', 'second ends', 'first begins', 'first ends'],
  ]);
});

it('stops a stage that comes up during the stop', async () => {
  const stages = createStages(log);
  await stages.stop();
  let stopped = false;
  const late = () =>
    stages.started('late', async () => {
      stopped = true;
    });
  expect(late).toThrow(StoppedWhileStarting);
  await stages.stop();
  expect(stopped).toBe(true);
});

describe('signals', () => {
  function handler() {
    let at = 0;
    let end = (): void => undefined;
    const codes: number[] = [];
    const said: string[] = [];
    let stops = 0;
    const { interrupt, hangUp } = createSignals({
      stop: () => {
        stops += 1;
        return new Promise<void>((resolve) => {
          end = resolve;
        });
      },
      say: (line) => said.push(line),
      exit: (code) => codes.push(code),
      now: () => at,
    });
    return {
      interrupt,
      hangUp,
      codes,
      said,
      stops: () => stops,
      end: () => end(),
      pass: (ms: number) => (at += ms),
    };
  }

  it('stops once and ends with 0 when all stages have stopped', async () => {
    const signals = handler();
    signals.interrupt();
    expect(signals.codes).toEqual([]);
    signals.end();
    await new Promise((resolve) => setImmediate(resolve));
    expect([signals.codes, signals.stops()]).toEqual([[0], 1]);
  });

  it('ends at once at the second signal, but ignores the copy that npm passes on', () => {
    const signals = handler();
    signals.interrupt();
    signals.pass(5);
    signals.interrupt();
    expect(signals.codes).toEqual([]);
    signals.pass(2_000);
    signals.interrupt();
    expect([signals.codes, signals.stops(), signals.said]).toEqual([[130], 1, [expect.any(String)]]);
  });

  it('stops in order when the terminal is closed, and does not shorten a stop in progress', async () => {
    const alone = handler();
    alone.hangUp();
    const obeying = handler();
    obeying.interrupt();
    for (const signals of [alone, obeying]) {
      signals.pass(2_000);
      signals.hangUp();
      expect([signals.codes, signals.stops()]).toEqual([[], 1]);
      signals.end();
      await new Promise((resolve) => setImmediate(resolve));
      expect(signals.codes).toEqual([0]);
    }
  });

  it('ends at once when it is interrupted after the terminal was closed', () => {
    const signals = handler();
    signals.hangUp();
    signals.pass(2_000);
    signals.interrupt();
    expect([signals.codes, signals.stops()]).toEqual([[130], 1]);
  });
});

describe('the npm that runs the product', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('is reported missing once, when another process has become the parent', () => {
    let parent = 70;
    let missed = 0;
    watchLauncher({ parent: () => parent, onGone: () => (missed += 1) });
    jest.advanceTimersByTime(10_000);
    expect(missed).toBe(0);
    parent = 1;
    jest.advanceTimersByTime(10_000);
    expect(missed).toBe(1);
  });

  it('is not reported missing when it had ended before the first check', () => {
    let missed = 0;
    watchLauncher({ parent: () => 1, onGone: () => (missed += 1) });
    jest.advanceTimersByTime(10_000);
    expect(missed).toBe(0);
  });
});
