import { checkLedger } from '../../../src/kernel/ledger/check';
import { Decimal } from '../../../src/kernel/money/money';
import { type Conclude, concludeTransfer } from '../../../src/transfers/conclude';
import { type Resolve, resolveSuspense, suspenseOf } from '../../../src/transfers/suspense';
import { accountBalance } from '../../cards/cards/support';
import { type Client, type TestApi, testApi } from '../../support/api';
import { masterAccount } from '../../support/cards';
import { type PartyDouble, partyDouble, type SetPayout } from './party-double';
import { created, fundedAccount, look, read, told } from './support';

/** Decisions of operators on payouts, apart from approvals: doors of suspense, and conclusions. */
let api: TestApi;
let client: Client;
let accountId: string;
let party: PartyDouble;
beforeAll(async () => {
  api = await testApi();
});
beforeEach(async () => {
  party = await partyDouble(api);
  client = await api.client();
  accountId = await fundedAccount(api, client);
});
afterEach(async () => {
  await party.close();
  expect(await checkLedger(api.database)).toEqual([]);
});
afterAll(() => api.close());

const balance = (id = accountId) => accountBalance(client, id);
const status = async (id: string) => (await read(client, accountId, id)).status as string;
const suspense = async (id: string) =>
  (await suspenseOf(api.database, id)).map(({ amount }) => amount.toFixed(2));
const openBreaks = (id: string) =>
  api.database.query('select kind from breaks where subject = $1 and resolved_at is null', [id]);

async function through(...states: SetPayout[]): Promise<string> {
  const id = await created(client, accountId);
  await look(api, id);
  for (const state of states) {
    party.set(id, state);
    await look(api, id);
  }
  return id;
}

const by = { reason: 'A letter of the bank.', decidedBy: 'operator:ida' };
const door = (transferId: string, given: Omit<Resolve, 'transferId' | 'reason' | 'decidedBy'>) =>
  api.database.transaction((tx) => resolveSuspense(api.services, tx, { transferId, ...given, ...by }));
const conclude = (transferId: string, as: Conclude['as']) =>
  api.database.transaction((tx) =>
    concludeTransfer(api.services, tx, {
      transferId,
      as,
      evidence: by.reason,
      decidedBy: by.decidedBy,
    }),
  );

describe('an excess return', () => {
  it('is credited and written off, and a later change of the party does not undo that', async () => {
    const id = await through({ status: 'returned', returns: { a: '130.00' } });
    expect(await suspense(id)).toEqual(['30.00']);
    const other = await masterAccount(client, 'EUR');
    await door(id, { resolution: 'credit', amount: new Decimal(20), accountId: other });
    await door(id, { resolution: 'write_off' });
    expect([await suspense(id), await openBreaks(id)]).toEqual([[], []]);
    expect(await balance()).toBe('5019.65 0.00');
    party.set(id, { status: 'returned', returns: { a: '100.00' } });
    await look(api, id);
    expect([await suspense(id), await balance()]).toEqual([['-30.00'], '5019.65 0.00']);
    await door(id, { resolution: 'recover', accountId });
    expect([await suspense(id), await balance()]).toEqual([[], '4989.65 0.00']);
    expect((await told(api, id)).slice(3)).toEqual([
      'deposit/payout_returned 20.00',
      'withdraw/payout_returned_reversed 30.00',
    ]);
  });

  it('cannot be returned to a payer, because a payout has none', async () => {
    const id = await through({ status: 'returned', returns: { a: '130.00' } });
    await expect(door(id, { resolution: 'return' })).rejects.toMatchObject({ code: 'invalid_transition' });
  });
});

describe('a payout that the party never ends', () => {
  it('is concluded as paid until the party changes its word', async () => {
    const id = await through();
    await conclude(id, 'paid');
    expect([await status(id), await balance()]).toEqual(['completed', '4899.65 0.00']);
    await look(api, id); // a repeated word
    expect([await status(id), await balance()]).toEqual(['completed', '4899.65 0.00']);
    party.set(id, { status: 'failed', failureCode: 'account_not_found' });
    await look(api, id);
    expect([await status(id), await balance()]).toEqual(['returned', '5000.00 0.00']);
  });

  it('is concluded as failed, which releases the hold without another order', async () => {
    const id = await created(client, accountId);
    party.orders = ['lost'];
    await look(api, id).catch(() => undefined);
    await conclude(id, 'failed');
    expect([await status(id), await balance()]).toEqual(['failed', '5000.00 0.00']);
    await look(api, id);
    expect([party.payments, await status(id)]).toEqual([[], 'failed']);
  });

  it('is not concluded before its order, nor after its end', async () => {
    const fresh = await created(client, accountId);
    await expect(conclude(fresh, 'paid')).rejects.toMatchObject({ code: 'invalid_transition' });
    const done = await through({ status: 'completed' });
    await expect(conclude(done, 'failed')).rejects.toMatchObject({ code: 'invalid_transition' });
  });
});
