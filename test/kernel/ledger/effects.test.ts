import { ACCOUNT_EFFECTS, CARD_EFFECTS } from '../../../src/kernel/ledger/effects';

/** `interface.md 3.4` as a second copy: `available pending spent`. */
const CARDS = {
  issue: '1 0 0',
  topup: '1 0 0',
  withdraw: '-1 0 0',
  authorization: '-1 1 0',
  cancel: '1 -1 0',
  settle: '0 -1 1',
  refund: '1 0 -1',
  decline: '0 0 0',
  freeze: '0 0 0',
  unfreeze: '0 0 0',
  close: '0 0 0',
};

/** Rows of 3.4 with a subtype. */
const ACCOUNTS = {
  'fee/settle_fee': '0 -1 0',
  'fee/decline_fee': '-1 0 0',
  'transfer/card_deposit': '-1 0 0',
  'transfer/card_withdraw': '1 0 0',
  'transfer/card_closed_refund': '1 0 0',
  'transfer/card_closed_cancel': '0 0 0',
};

/** Rows of 3.4 for whole types, and those of decisions part 3. */
const BY_TYPE = { deposit: '1 0 0', withdraw: '-1 0 0', fee: '-1 0 0' };
const TRANSFERS_IN = ['account_in', 'exchange_in', 'card_buffer_refund'];
const TRANSFERS_OUT = ['account_out', 'exchange_out', 'card_buffer_deposit'];

const shown = (effects: Record<string, { available: number; pending: number; spent: number }>) =>
  Object.fromEntries(
    Object.entries(effects).map(([name, { available, pending, spent }]) => [
      name,
      `${available} ${pending} ${spent}`,
    ]),
  );

it('matches the contract for cards', () => {
  expect(shown(CARD_EFFECTS)).toEqual(CARDS);
});

it('matches the contract for accounts', () => {
  const all = shown(ACCOUNT_EFFECTS);
  expect(all).toMatchObject(ACCOUNTS);
  for (const [name, effect] of Object.entries(all)) {
    const [type = '', subtype = ''] = name.split('/');
    if (name in ACCOUNTS) continue;
    if (type === 'transfer')
      expect([name, effect]).toEqual([name, TRANSFERS_IN.includes(subtype) ? '1 0 0' : '-1 0 0']);
    else expect([name, effect]).toEqual([name, BY_TYPE[type as keyof typeof BY_TYPE]]);
  }
  expect(Object.keys(all)).toEqual(expect.arrayContaining(TRANSFERS_OUT.map((each) => `transfer/${each}`)));
});
