import pino from 'pino';
import { createSignalHandler } from '../../src/startup/signals';
import { createStages, StoppedWhileStarting } from '../../src/startup/stages';

const log = pino({ level: 'silent' });

it('stops stages in the opposite order, each after the other, and all although one fails', async () => {
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

it('stops what comes up while everything is being stopped', async () => {
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
    const handle = createSignalHandler({
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
    return { handle, codes, said, stops: () => stops, end: () => end(), pass: (ms: number) => (at += ms) };
  }

  it('stops once and ends with 0 when all has stopped', async () => {
    const signals = handler();
    signals.handle();
    expect(signals.codes).toEqual([]);
    signals.end();
    await new Promise((resolve) => setImmediate(resolve));
    expect([signals.codes, signals.stops()]).toEqual([[0], 1]);
  });

  it('ends at once the second time, but takes the copy that npm passes on for the same', () => {
    const signals = handler();
    signals.handle();
    signals.pass(5);
    signals.handle();
    expect(signals.codes).toEqual([]);
    signals.pass(2_000);
    signals.handle();
    expect([signals.codes, signals.stops(), signals.said]).toEqual([[130], 1, [expect.any(String)]]);
  });
});
