import { Decimal } from '../../../src/kernel/money/money';
import { type Question, resultsOf } from '../../../src/transfers/screening/operations';
import { type TestApi, testApi } from '../../support/api';
import { type Switchable, switchable } from '../../support/switchable';

/** Rounds of questions to the sandbox's screening party over HTTP. */

const clock = { aheadMs: 0 };
let api: TestApi;
let switches: Switchable;
/** Keys that the party was asked to screen, and keys whose outcome was read. */
const asked: string[] = [];
const read: string[] = [];
beforeAll(async () => {
  api = await testApi({ now: () => new Date(Date.now() + clock.aheadMs) });
  switches = switchable(api);
  const { screening } = api.services.parties;
  api.services.parties.screening = {
    ...screening,
    screen(request) {
      asked.push(request.key);
      return screening.screen(request);
    },
    outcome(key) {
      read.push(key);
      return screening.outcome(key);
    },
  };
});
beforeEach(() => {
  asked.length = 0;
  read.length = 0;
});
afterAll(() => api.close());

let made = 0;

/** Questions about payments to addresses with this ending. */
const questions = (count: number, ending: string): Question[] =>
  Array.from({ length: count }, () => {
    made += 1;
    return {
      screened: {
        key: `screened-${made}`,
        direction: 'outbound',
        chain: 'local',
        asset: 'USDT',
        address: `0x${'7'.repeat(34)}${ending}`,
        accountId: null,
        ownAddress: null,
        txHash: null,
        ordinal: null,
        blockAt: null,
        amount: new Decimal(25),
      },
    };
  });

const statusesOf = async (all: readonly Question[]) =>
  (await resultsOf(api.services, all)).map(({ status }) => status);
const known = (all: readonly Question[]): Question[] =>
  all.map((each) => ({ ...each, known: { status: 'pending' } }));

/** Questions at the same time (`AT_ONCE`). */
const AT_ONCE = 16;

it('asks for many at once, and gives the results in the order of the questions', async () => {
  const mixed = [...questions(20, 'abc123'), ...questions(2, 'bad001'), ...questions(20, 'abc123')];
  const cleared = Array.from({ length: 20 }, () => 'cleared');
  expect(await statusesOf(mixed)).toEqual([...cleared, 'refused', 'refused', ...cleared]);
});

it('ends the round once the party is away, and every screening stays pending', async () => {
  const many = [...questions(AT_ONCE, 'bad005'), ...questions(44, 'abc123')];
  expect(new Set(await statusesOf(many))).toEqual(new Set(['pending']));
  expect(asked.length).toBeLessThanOrEqual(AT_ONCE);
  clock.aheadMs += 30_000;
  expect(new Set(await statusesOf(known(many)))).toEqual(new Set(['cleared']));
});

describe('a stopped party', () => {
  beforeAll(() => switches.stop('screening'));
  afterAll(() => switches.start('screening'));

  it('gets no new screening, so that it stays pending', async () => {
    const many = questions(20, 'abc123');
    expect(new Set(await statusesOf(many))).toEqual(new Set(['pending']));
    expect(new Set(await statusesOf(known(many)))).toEqual(new Set(['pending']));
    expect([asked.length, read.length]).toEqual([0, 20]);
    await switches.start('screening');
    expect(new Set(await statusesOf(known(many)))).toEqual(new Set(['cleared']));
    await switches.stop('screening');
  });

  it('is asked for the outcomes of known screenings', async () => {
    await switches.start('screening');
    const given = questions(3, 'bad002');
    expect(await statusesOf(given)).toEqual(['pending', 'pending', 'pending']);
    await switches.stop('screening');
    clock.aheadMs += 20_000;
    const fresh = questions(3, 'abc123');
    const mixed = [...fresh, ...known(given)];
    expect(await statusesOf(mixed)).toEqual([
      ...['pending', 'pending', 'pending'],
      ...['cleared', 'cleared', 'cleared'],
    ]);
    expect(asked).toEqual(given.map(({ screened }) => screened.key));
  });
});
