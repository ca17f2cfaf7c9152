/** @long */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { Decimal } from '../../../src/kernel/money/money';
import { createHttpExternalCards } from '../../../src/parties/external-cards/http';
import type { CardOrderAnswer, ExternalCards } from '../../../src/parties/external-cards/port';
import type { CardOrderWord } from '../../../src/parties/external-cards/word';
import { OutcomeUnknown, PartyAway, PartyRefused } from '../../../src/process/party-errors';
import { checkRunningSums } from '../../../src/transfers/check';
import { closeAccount } from '../../../src/transfers/close-account';
import { concludeTransfer } from '../../../src/transfers/conclude';
import { resolveSuspense } from '../../../src/transfers/suspense';
import { emptied, userAccount } from '../../accounts/closing/support';
import type { Client, TestApi } from '../../support/api';
import { fund } from '../../support/cards';
import {
  asked,
  balanceOf,
  bookedOn,
  breaksOf,
  type Clock,
  foldOf,
  freshKey,
  looked,
  onClock,
} from './support';

let api: TestApi & { clock: Clock };
let client: Client;
let own: ExternalCards;
/** The acquirer's answers to an order and to a question. */
let onOrder: () => Promise<CardOrderAnswer>;
let onAsk: () => Promise<CardOrderAnswer | 'unknown_to_party'>;
let orders = 0;
beforeAll(async () => {
  api = await onClock();
  own = api.services.parties.externalCards;
});
beforeEach(async () => {
  client = await api.client();
  orders = 0;
  const order = () => {
    orders += 1;
    return onOrder();
  };
  api.services.parties.externalCards = { ...own, order, ask: () => onAsk() };
});
afterEach(async () => expect(await checkLedger(api.database)).toEqual([]));
afterAll(() => api.close());

let version = 0;
const word = (status: CardOrderWord['status'], moved: number, ...returns: number[]): CardOrderWord => ({
  status,
  version: (version += 1),
  moved: new Decimal(moved),
  returns: returns.map((amount, n) => ({ id: `r${n}`, amount: new Decimal(amount) })),
});

/** Plays these words of the acquirer in turn. */
async function told(id: string, ...words: CardOrderWord[]): Promise<void> {
  for (const each of words) {
    onOrder = async () => ({ word: each });
    onAsk = onOrder;
    await looked(api, id);
  }
}

const eventsOf = async (id: string) =>
  (
    await api.database.query<{ registration: string; data: string; key: string }>(
      `select registration, data, idempotency_key as key from events where event = 'transfer.status_changed'
          and data::json->>'recordId' = $1 order by number`,
      [id],
    )
  ).map(({ data, ...row }) => ({ ...row, ...JSON.parse(data) }));

describe('a late word', () => {
  it.each([
    ['withdrawal', 'returned in part, then failed', [[100], [100, 40], []], 'returned', '500.00', 0],
    ['withdrawal', 'returned in part, then arrived', [[100], [100, 40], [100]], 'completed', '398.50', 100],
    ['topup', 'returned in part, then failed', [[100], [100, 40], []], 'returned', '500.00', 0],
    ['topup', 'failed, then arrived, then failed', [[], [100], []], 'failed', '500.00', 0],
    [
      'topup',
      'charged back twice, won back once',
      [[100], [100, 40, 60], [100, 40]],
      'returned',
      '558.92',
      -60,
    ],
  ] as const)('of a %s that was %s is booked', async (kind, _, moves, status, balance, party) => {
    const { id, accountId, show } = await asked(api, client, kind, 'tok_visa');
    for (const [moved, ...returns] of moves)
      await told(id, moved === undefined ? word('failed', 0) : word('succeeded', moved, ...returns));
    expect((await show()).status).toBe(status);
    expect(await balanceOf(client, accountId)).toBe(`${balance} 0.00`);
    expect(await foldOf(api, accountId)).toBe(balance);
    expect(await bookedOn(api, id, 'external_cards:USD')).toBe(party);
    expect(await bookedOn(api, id, 'suspense:USD')).toBe(0);
  });

  it('of a failed top-up puts the money into suspense, and the operator credits its owner', async () => {
    const { id, accountId, show } = await asked(api, client, 'topup', 'tok_visa');
    await told(id, word('failed', 0), word('succeeded', 100));
    expect([(await show()).status, await balanceOf(client, accountId)]).toEqual(['failed', '500.00 0.00']);
    expect(await breaksOf(api, id)).toEqual(['transfer_suspense 100']);
    const given = {
      transferId: id,
      resolution: 'credit',
      accountId,
      reason: 'it was paid once',
      decidedBy: 'operator:ada',
    } as const;
    await api.database.transaction((tx) => resolveSuspense(api.services, tx, given));
    expect(await balanceOf(client, accountId)).toBe('600.00 0.00');
    expect(await foldOf(api, accountId)).toBe('600.00');
    const open = await api.database.query(
      'select id from breaks where subject = $1 and resolved_at is null',
      [id],
    );
    expect(open).toEqual([]);
  });

  it('keeps its break while the account is below zero, whatever else is booked', async () => {
    const { id, accountId } = await asked(api, client, 'withdrawal', 'tok_visa');
    await told(id, word('failed', 0));
    const spent = { accountId, amount: '450.00', reason: 'test' };
    const admin = await api.client('admin');
    expect((await admin.call('POST', '/v1/accounts/admin-withdrawal', spent)).status).toBe(201);
    await told(id, word('succeeded', 150));
    const open = async () => {
      const text = 'select kind from breaks where subject = $1 and resolved_at is null order by kind';
      return (await api.database.query<{ kind: string }>(text, [id])).map(({ kind }) => kind);
    };
    expect(await open()).toEqual(['transfer_below_zero', 'transfer_contradicted', 'transfer_suspense']);
    const written = {
      transferId: id,
      resolution: 'write_off',
      reason: 'lost',
      decidedBy: 'operator:ada',
    } as const;
    await api.database.transaction((tx) => resolveSuspense(api.services, tx, written));
    expect(await open()).toEqual(['transfer_below_zero', 'transfer_contradicted']);
    await fund(api, accountId, '500.00');
    await looked(api, id);
    expect(await open()).toEqual(['transfer_contradicted']);
  });

  it.each([
    ['with a list of changes', 'is not asked for'],
    ['without a list', 'is asked for over four months'],
  ])('after a failure at an acquirer %s %s', async (list) => {
    const { changes, ...without } = api.services.parties.externalCards;
    const listed = list === 'with a list of changes';
    api.services.parties.externalCards = (listed ? { ...without, changes } : without) as ExternalCards;
    const { id } = await asked(api, client, 'topup', 'tok_visa');
    await told(id, word('failed', 0));
    const due = async () =>
      (
        await api.database.query<{ due: Date | null }>('select due_by as due from transfers where id = $1', [
          id,
        ])
      )[0]?.due ?? null;
    if (listed) return expect(await due()).toBeNull();
    for (let looks = 0; (await due()) !== null && looks < 20; looks += 1) {
      api.clock.at = new Date(((await due()) as Date).getTime() + 1_000);
      await looked(api, id);
    }
    expect(api.clock.at.getTime() - Date.now()).toBeGreaterThan(119 * 86_400_000);
    expect(await due()).toBeNull();
  });

  it('of a withdrawal on a closed account holds nothing beside what the account has paid', async () => {
    const { id, accountId } = await asked(api, client, 'withdrawal', 'tok_visa');
    await told(id, word('succeeded', 100));
    await emptied(client, accountId, (await userAccount(client)).accountId);
    await api.database.transaction((tx) => closeAccount(tx, accountId, new Date()));
    const now = async () => [await balanceOf(client, accountId), await bookedOn(api, id, 'suspense:USD')];
    await told(id, word('processing', 0));
    expect(await now()).toEqual(['0.00 101.50', 0]);
    await told(id, word('failed', 0));
    expect(await now()).toEqual(['0.00 0.00', 101.5]);
    await told(id, word('processing', 0));
    expect(await now()).toEqual(['0.00 101.50', 0]);
    await told(id, word('succeeded', 100));
    expect(await now()).toEqual(['0.00 0.00', 0]);
    expect(await checkRunningSums(api.database)).toEqual([]);
  });

  it('that arrives after a newer word is dropped', async () => {
    const { id, show } = await asked(api, client, 'topup', 'tok_visa');
    const old = word('succeeded', 100);
    await told(id, old);
    let release = () => undefined as unknown;
    const onItsWay = new Promise<void>((resolve) => {
      release = resolve;
    });
    const begun = new Promise<void>((resolve) => {
      onAsk = async () => {
        resolve();
        await onItsWay;
        onAsk = async () => ({ word: newer });
        return { word: { ...old, version: undefined } };
      };
    });
    const newer = { ...word('succeeded', 100, 100), version: undefined };
    const slow = looked(api, id);
    await begun;
    onAsk = async () => ({ word: newer });
    await looked(api, id);
    release();
    expect((await slow).status).toBe('returned');
    expect(await show()).toMatchObject({ status: 'returned', returnedAmount: '100.00' });
  });
});

describe('an order', () => {
  it.each(['not_found', undefined])('to a wrong address (404, code %s) stays open', async (code) => {
    const server = createServer((_, response) =>
      response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify({ code })),
    ).listen(0);
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    api.services.parties.externalCards = createHttpExternalCards({ baseUrl, secret: Buffer.from('s') });
    const { id, accountId, show } = await asked(api, client, 'withdrawal', 'tok_visa');
    await expect(looked(api, id)).rejects.toThrow(PartyAway);
    expect((await show()).status).toBe('pending');
    server.close();
    api.services.parties.externalCards = own;
    await looked(api, id);
    api.clock.pass(2);
    await looked(api, id);
    expect((await show()).status).toBe('completed');
    expect(await balanceOf(client, accountId)).toBe('398.50 0.00');
  });

  it('that was refused fails, and is not given again', async () => {
    const { id, accountId, show } = await asked(api, client, 'withdrawal', 'tok_visa');
    onOrder = async () => {
      throw new PartyRefused('card_not_supported');
    };
    onAsk = async () => 'unknown_to_party';
    await looked(api, id);
    expect(await show()).toMatchObject({ status: 'failed', failure: 'card_not_supported' });
    expect(await balanceOf(client, accountId)).toBe('500.00 0.00');
    onOrder = async () => ({ word: word('succeeded', 100) });
    await looked(api, id);
    expect([(await show()).status, orders]).toEqual(['failed', 1]);
  });

  it('whose answer was lost is given again', async () => {
    const { id, show } = await asked(api, client, 'withdrawal', 'tok_visa');
    onOrder = async () => {
      throw new OutcomeUnknown();
    };
    onAsk = async () => 'unknown_to_party';
    await expect(looked(api, id)).rejects.toThrow(OutcomeUnknown);
    onOrder = async () => ({ word: word('succeeded', 100) });
    await looked(api, id);
    expect([(await show()).status, orders]).toEqual(['completed', 2]);
  });

  it('that the acquirer has forgotten keeps its status, with a break', async () => {
    const { id, show } = await asked(api, client, 'withdrawal', 'tok_visa');
    await told(id, word('processing', 100));
    onAsk = async () => 'unknown_to_party';
    await looked(api, id);
    expect([(await show()).status, orders]).toEqual(['processing', 1]);
    expect(await breaksOf(api, id)).toEqual(['transfer_forgotten_by_party null']);
  });

  it('that was concluded as failed is not given again, and follows a later word', async () => {
    const { id, accountId, show } = await asked(api, client, 'withdrawal', 'tok_visa');
    onOrder = async () => {
      throw new PartyAway();
    };
    await expect(looked(api, id)).rejects.toThrow(PartyAway);
    const given = { transferId: id, as: 'failed', evidence: 'a letter', decidedBy: 'operator:ada' } as const;
    await api.database.transaction((tx) => concludeTransfer(api.services, tx, given));
    expect([(await show()).status, await balanceOf(client, accountId)]).toEqual(['failed', '500.00 0.00']);
    onAsk = async () => 'unknown_to_party';
    onOrder = async () => ({ word: word('succeeded', 100) });
    await looked(api, id);
    expect([(await show()).status, orders]).toEqual(['failed', 1]);
    onAsk = onOrder;
    await looked(api, id);
    expect([(await show()).status, await balanceOf(client, accountId)]).toEqual(['completed', '398.50 0.00']);
    expect(await breaksOf(api, id)).toEqual(['transfer_contradicted null']);
  });

  it.each(['topup', 'withdrawal'] as const)(
    'of a %s whose answer has too many decimals moves nothing, with a break',
    async (kind) => {
      const { id, accountId, show } = await asked(api, client, kind, 'tok_visa');
      const before = await balanceOf(client, accountId);
      onOrder = async () => ({ word: word('succeeded', 100.005) });
      onAsk = onOrder;
      await expect(looked(api, id)).rejects.toThrow(OutcomeUnknown);
      expect([(await show()).status, await balanceOf(client, accountId)]).toEqual(['pending', before]);
      expect(await breaksOf(api, id)).toEqual(['party_word_unreadable null']);
      onOrder = async () => ({ word: word('succeeded', 100) });
      onAsk = onOrder;
      await looked(api, id);
      expect((await show()).status).toBe('completed');
    },
  );

  it('that was concluded as failed after its debit is returned', async () => {
    const { id, accountId, show } = await asked(api, client, 'withdrawal', 'tok_visa');
    await told(id, word('processing', 100));
    const given = { transferId: id, as: 'failed', evidence: 'a letter', decidedBy: 'operator:ada' } as const;
    await api.database.transaction((tx) => concludeTransfer(api.services, tx, given));
    expect(await show()).toMatchObject({ status: 'returned', returnedAmount: '100.00' });
    expect(await balanceOf(client, accountId)).toBe('500.00 0.00');
  });

  it.each(['topup', 'withdraw'])('of a %s is not given for a user who was blocked before', async (path) => {
    const { body: user } = await client.call('POST', '/v1/users', {});
    const { body: account } = await client.call('POST', `/v1/users/${user.id}/accounts`, {
      currency: 'USD',
    });
    await fund(api, account.id, '500.00');
    const url = `/v2/accounts/${account.id}/${path}`;
    const body = { amount: '100.00', paymentMethodToken: 'tok_visa' };
    const { id } = (await client.call('POST', `${url}/card`, body, freshKey())).body;
    const blocked = await client.call('PATCH', `/v1/users/${user.id}/status`, { status: 'blocked' });
    expect(blocked.status).toBe(200);
    await looked(api, id);
    const { body: shown } = await client.call('GET', `${url}/${id}`);
    expect([shown.status, shown.failure, orders]).toEqual(['failed', 'user_blocked', 0]);
    expect(await balanceOf(client, account.id)).toBe('500.00 0.00');
  });
});

it('each status has one webhook, under the key of the call', async () => {
  const accountKey = { 'x-idempotency-key': 'a-key-that-travels' };
  const { accountId } = await asked(api, client, 'topup', 'tok_visa');
  const path = `/v2/accounts/${accountId}/topup`;
  const body = { amount: '100.00', paymentMethodToken: 'tok_visa' };
  const { id } = (await client.call('POST', `${path}/card`, body, accountKey)).body;
  const processing = word('processing', 0);
  await told(id, processing, processing, word('succeeded', 100), word('succeeded', 100, 100));
  const common = {
    id: expect.stringMatching(/^evt_/),
    recordId: id,
    accountId,
    timestamp: expect.any(String),
  };
  const registered = { registration: 'transfer', key: 'a-key-that-travels' };
  expect(await eventsOf(id)).toEqual([
    { ...registered, ...common, previousStatus: 'pending', status: 'processing' },
    { ...registered, ...common, previousStatus: 'processing', status: 'completed' },
    { ...registered, ...common, previousStatus: 'completed', status: 'returned', failure: 'returned' },
  ]);
});
