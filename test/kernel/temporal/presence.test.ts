import { createLogger } from '../../../src/kernel/logging';
import { createPresence } from '../../../src/kernel/temporal/presence';
import { until } from '../../support/until';

function watched() {
  const lines: { level: string; msg: string }[] = [];
  const log = createLogger({
    level: 'info',
    destination: { write: (line) => void lines.push(JSON.parse(line)) },
  });
  const state: { why: string | undefined; asked: number } = { why: undefined, asked: 0 };
  const presence = createPresence({
    absence: async () => {
      state.asked += 1;
      return state.why;
    },
    log,
    lookMs: 1,
  });
  return { presence, state, told: () => lines.map(({ level, msg }) => `${level}: ${msg}`) };
}

const AWAY = 'TEMPORAL_ADDRESS: Temporal does not answer at 127.0.0.1:1.';

it('logs an absence once for any number of callers, and its end once', async () => {
  const { presence, state, told } = watched();
  state.why = AWAY;
  const missed = await Promise.all(Array.from({ length: 20 }, () => presence.missed()));
  expect(new Set(missed)).toEqual(new Set([true]));
  await until(() => state.asked > 10);
  expect(await presence.missed()).toBe(true);
  expect(told()).toEqual([`warn: ${AWAY} Committed commands wait until Temporal is back.`]);
  state.why = undefined;
  await until(() => told().length > 1);
  expect(told()[1]).toBe('info: Temporal is back');
  state.why = AWAY;
  expect(await presence.missed()).toBe(true);
  expect(told()).toHaveLength(3);
  await presence.stop();
});

it('logs nothing for a call that failed while Temporal serves', async () => {
  const { presence, told } = watched();
  expect(await presence.missed()).toBe(false);
  expect(told()).toEqual([]);
  await presence.stop();
});
