import { createExchangeActivities } from '../../../activities/exchange';
import { Decimal } from '../../../src/kernel/money/money';
import { openBreaksOf } from '../../../src/process/breaks/operations';
import { PartyAway } from '../../../src/process/party-errors';
import { lastBalances, noteBalance } from '../../../src/process/reported-balances';
import { partyBalances } from '../../../src/transfers/settlement/balances';
import { moveSettlement } from '../../../src/transfers/settlement/move';
import { readProcessorBalances } from '../../../src/transfers/settlement/processor-balances';
import type { TestApi } from '../../support/api';
import { type Clock, onClock } from '../external-cards/support';

/** The balance that a card processor reports, compared with our books. */

let api: TestApi & { clock: Clock };
let reported: string | undefined;
beforeEach(async () => {
  api = await onClock();
  reported = '100.00';
  api.services.parties.cardProcessor = {
    ...api.services.parties.cardProcessor,
    async balances() {
      if (reported === undefined) throw new PartyAway();
      return { asOf: api.clock.at, balances: [{ currency: 'USD', amount: new Decimal(reported) }] };
    },
  };
  const funding = {
    party: 'cardProcessor',
    currency: 'USD',
    amount: new Decimal(100),
    as: 'funding',
  } as const;
  await api.database.transaction((tx) => moveSettlement(tx, funding, api.clock.at));
});
afterEach(() => api.close());

const shown = async () =>
  (await openBreaksOf(api.database, 'card-processor:USD')).map(
    ({ kind, amount }) => `${kind} ${amount?.toFixed(2)}`,
  );
const readIn = async (seconds: number) => {
  api.clock.pass(seconds);
  await readProcessorBalances(api.services);
};

it('opens a break for a difference that lasts, and closes it when it ends', async () => {
  await readIn(0);
  reported = '95.00';
  await readIn(300);
  expect(await shown()).toEqual([]);
  reported = '94.00';
  await readIn(3_600);
  expect(await shown()).toEqual(['processor_balance_differs -5.00']);
  reported = '100.00';
  await readIn(300);
  expect(await shown()).toEqual([]);
});

it('shows the smallest difference of the window, because the rest was under way', async () => {
  for (const amount of ['80.00', '97.00', '60.00', '85.00']) {
    reported = amount;
    await readIn(1_200);
  }
  expect(await shown()).toEqual(['processor_balance_differs -3.00']);
  for (const amount of ['70.00', '90.00', '75.00', '80.00']) {
    reported = amount;
    await readIn(1_200);
  }
  expect(await shown()).toEqual(['processor_balance_differs -10.00']);
});

it('counts no movement that comes while the processor is asked', async () => {
  const { balances } = api.services.parties.cardProcessor as { balances(): Promise<unknown> };
  let spent = 0;
  api.services.parties.cardProcessor = {
    ...api.services.parties.cardProcessor,
    async balances() {
      const said = await balances();
      await api.database.transaction((tx) =>
        moveSettlement(
          tx,
          { party: 'cardProcessor', currency: 'USD', amount: new Decimal(1), as: 'withdrawal' },
          api.clock.at,
        ),
      );
      spent += 1;
      return said as never;
    },
  };
  for (let readings = 0; readings < 5; readings += 1) {
    reported = (100 - spent).toFixed(2);
    await readIn(1_200);
  }
  expect([spent, await shown()]).toEqual([5, []]);
});

it('takes a difference to the other side for a new one, as movements under way make it', async () => {
  for (const amount of ['99.00', '101.00', '99.50', '100.50']) {
    reported = amount;
    await readIn(3_000);
  }
  expect(await shown()).toEqual([]);
});

it('shows the reported balance beside the books', async () => {
  reported = '97.00';
  await readIn(0);
  const [balance] = await partyBalances(api.database, { parties: ['cardProcessor'] });
  expect(balance).toMatchObject({ party: 'cardProcessor', currency: 'USD', asOf: api.clock.at });
  expect([balance?.booked, balance?.reported, balance?.difference].map((each) => each?.toFixed(2))).toEqual([
    '100.00',
    '97.00',
    '-3.00',
  ]);
});

it('keeps the last reading while the processor is away', async () => {
  await readIn(0);
  reported = undefined;
  await expect(readIn(300)).rejects.toThrow(PartyAway);
  const [balance] = await partyBalances(api.database, { parties: ['cardProcessor'] });
  expect(balance?.reported?.toFixed(2)).toBe('100.00');
});

it('forgets the readings of parties that report no balance any more, with their breaks', async () => {
  const { readSettlement } = createExchangeActivities(api.services);
  reported = '95.00';
  for (const seconds of [0, 3_600]) {
    await readIn(seconds);
    await api.database.transaction((tx) =>
      noteBalance(
        tx,
        {
          party: 'bank',
          currency: 'EUR',
          readAt: api.clock.at,
          asOf: api.clock.at,
          reported: new Decimal(5),
          booked: new Decimal(0),
        },
        { kind: 'bank_balance_differs', under: 'bank-balance:', windowMs: 0 },
      ),
    );
  }
  const subjects = ['card-processor:USD', 'bank-balance:EUR'];
  expect(await openBreaksOf(api.database, ...subjects)).toHaveLength(2);
  const { balances: _, ...silent } = api.services.parties.cardProcessor;
  api.services.parties.cardProcessor = silent;
  await readSettlement();
  expect(await lastBalances(api.database)).toEqual([]);
  expect(await openBreaksOf(api.database, ...subjects)).toEqual([]);
});
