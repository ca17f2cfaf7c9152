import { readBalances } from '../../../src/kernel/ledger/accounts';
import { checkLedger } from '../../../src/kernel/ledger/check';
import { setUserStatus } from '../../../src/people/users/operations';
import { PartyAway, PartyStopped } from '../../../src/process/party-errors';
import { setClientStatus } from '../../../src/tenants/clients/operations';
import { decideApproval } from '../../../src/transfers/approval/decide';
import { concludeTransfer } from '../../../src/transfers/conclude';
import { depositKind } from '../../../src/transfers/deposits/kind';
import { advance } from '../../../src/transfers/engine/advance';
import type { AnyKind } from '../../../src/transfers/engine/kind';
import { disableDestination } from '../../../src/transfers/exchange/withdrawals/disable-destination';
import { exchangeWithdrawalKind } from '../../../src/transfers/exchange/withdrawals/kind';
import { cardWithdrawalKind } from '../../../src/transfers/external-cards/kind';
import { orderKey, payoutKind } from '../../../src/transfers/payouts/kind';
import { lookAtUnordered } from '../../../src/transfers/unordered';
import { accountBalance } from '../../cards/cards/support';
import { type Client } from '../../support/api';
import { fund } from '../../support/cards';
import {
  created as createdDeposit,
  type DepositWorld,
  depositWorld,
  look as lookAtDeposit,
  read as readDeposit,
} from '../deposits/support';
import { destinationOf, exchangeDouble, newKey, withdrawn } from '../exchange/withdrawals/support';
import { created as createdPayout, read as readPayout, statusesTold } from '../payouts/support';

/** Only a step commits `ordered_at`, and it does so before the first call to the party. */

let world: DepositWorld;
let client: Client;
beforeAll(async () => {
  world = await depositWorld();
});
beforeEach(async () => {
  world.clock.ahead = 0;
  client = await world.api.client();
  await needsApproval();
});
afterEach(async () => expect(await checkLedger(world.api.database)).toEqual([]));
afterAll(() => world.close());

const decidedBy = 'operator:ida';

/** Requires an approval for every outgoing payment. */
async function needsApproval(): Promise<void> {
  const none = {
    withdrawal: { approvalAbove: ['EUR', 'USD'].map((currency) => ({ currency, amount: '1.00' })) },
  };
  await world.api.database.query('update tenants set settings = settings || $2::jsonb where id = $1', [
    ...[client.clientId, JSON.stringify({ exchange: none, externalCards: none })],
  ]);
}

const orderedAt = async (id: string): Promise<Date | null> => {
  const [row] = await world.api.database.query<{ at: Date | null }>(
    'select ordered_at as at from transfers where id = $1',
    [id],
  );
  return row?.at ?? null;
};

/** Runs the work while the operator has stopped every party. */
async function stopped<T>(work: () => Promise<T>): Promise<T> {
  const { services } = world.api;
  const { switches } = services;
  services.switches = { ...switches, party: async () => 'stopped' };
  try {
    return await work();
  } finally {
    services.switches = switches;
  }
}

const look = async (kind: AnyKind, id: string) => (await advance(world.api.services, kind, id)).status;
const lookInVain = (kind: AnyKind, id: string) =>
  expect(advance(world.api.services, kind, id)).rejects.toThrow(PartyStopped);

/** Creates a user with a funded account. */
async function user(currency: string): Promise<{ id: string; accountId: string }> {
  const { id } = (await client.call('POST', '/v1/users', {})).body;
  const accountId = String((await client.call('POST', `/v1/users/${id}/accounts`, { currency })).body.id);
  await fund(world.api, accountId, '500.00');
  return { id, accountId };
}

const block = (userId: string) =>
  world.api.database.transaction((tx) =>
    setUserStatus(world.api.services, tx, null, userId, 'blocked', undefined),
  );

/** Creates a withdrawal from the exchange that is approved while the exchange is stopped. */
async function approvedWithdrawal(accountId: string, destinationId: string): Promise<string> {
  const { id } = await withdrawn(client, { accountId, destinationId, amount: '100.00' });
  expect(await look(exchangeWithdrawalKind, id)).toBe('pending_approval');
  const approval = { id, decision: 'approved', decidedBy } as const;
  await stopped(() =>
    world.api.database.transaction((tx) =>
      decideApproval(world.api.services, tx, exchangeWithdrawalKind, approval),
    ),
  );
  return id;
}

describe('a decision while the party is stopped', () => {
  it('gives no order, so that a disabled destination still cancels the withdrawal', async () => {
    const exchange = exchangeDouble(world.api);
    const { accountId } = await user('EUR');
    const destinationId = await destinationOf(world.api, client);
    const id = await approvedWithdrawal(accountId, destinationId);
    expect(await orderedAt(id)).toBeNull();
    await stopped(() => lookInVain(exchangeWithdrawalKind, id));
    expect(await orderedAt(id)).toBeNull();
    const disabled = await world.api.database.transaction((tx) =>
      disableDestination(world.api.services, tx, { id: destinationId, by: decidedBy }),
    );
    expect(disabled.cancelled).toEqual([id]);
    expect(await look(exchangeWithdrawalKind, id)).toBe('cancelled');
    expect(exchange.orders.size).toBe(0);
  });

  it('gives no order, so that a blocked user still fails the withdrawal to a card', async () => {
    const { id: userId, accountId } = await user('USD');
    const body = { amount: '100.00', paymentMethodToken: 'tok_visa' };
    const path = `/v2/accounts/${accountId}/withdraw/card`;
    const id = String((await client.call('POST', path, body, newKey())).body.id);
    const approval = { id, decision: 'approved', decidedBy } as const;
    await stopped(async () => {
      await world.api.database.transaction((tx) =>
        decideApproval(world.api.services, tx, cardWithdrawalKind, approval),
      );
      await lookInVain(cardWithdrawalKind, id);
    });
    expect(await orderedAt(id)).toBeNull();
    await block(userId);
    expect(await look(cardWithdrawalKind, id)).toBe('failed');
    expect(await world.api.services.parties.externalCards.ask(id)).toBe('unknown_to_party');
  });
});

describe('a payout that was never ordered', () => {
  it('is cancelled while it is processing, when its user is blocked, and reaches no party', async () => {
    const { id: userId, accountId } = await user('EUR');
    const id = await createdPayout(client, accountId);
    await stopped(() => lookInVain(payoutKind, id));
    expect([(await readPayout(client, accountId, id)).status, await orderedAt(id)]).toEqual([
      'processing',
      null,
    ]);
    await block(userId);
    await stopped(async () => expect(await look(payoutKind, id)).toBe('cancelled'));
    expect(await readPayout(client, accountId, id)).toMatchObject({ failure: 'user_blocked' });
    expect(await accountBalance(client, accountId)).toBe('500.00 0.00');
    expect(await statusesTold(world.api, id)).toEqual(['created → processing', 'processing → cancelled']);
  });

  it('is no longer cancelled once the order may have reached the party', async () => {
    const { id: userId, accountId } = await user('EUR');
    const id = await createdPayout(client, accountId);
    const { payouts } = world.api.services.parties;
    const away = async () => Promise.reject(new PartyAway());
    world.api.services.parties.payouts = { ...payouts, order: away };
    await expect(advance(world.api.services, payoutKind, id)).rejects.toThrow(PartyAway);
    world.api.services.parties.payouts = payouts;
    await block(userId);
    expect(await look(payoutKind, id)).toBe('processing');
    expect(await payouts.ask(orderKey(id))).not.toBe('unknown_to_party');
  });

  it('is cancelled although approved, when its user is blocked before the party is back', async () => {
    const { id: userId, accountId } = await user('EUR');
    const destinationId = await destinationOf(world.api, client);
    const exchange = exchangeDouble(world.api);
    const id = await approvedWithdrawal(accountId, destinationId);
    await block(userId);
    expect(await look(exchangeWithdrawalKind, id)).toBe('cancelled');
    expect(exchange.orders.size).toBe(0);
  });
});

describe('the order of a deposit', () => {
  it('is committed before the call to the party, not at the creation', async () => {
    const { id } = await createdDeposit(client);
    expect(await orderedAt(id)).toBeNull();
    const seen: (Date | null)[] = [];
    const { checkout } = world.api.services.parties;
    world.api.services.parties.checkout = {
      ...checkout,
      async createSession(asked) {
        seen.push(await orderedAt(id));
        return checkout.createSession(asked);
      },
    };
    await lookAtDeposit(world, id);
    world.api.services.parties.checkout = checkout;
    expect(seen).toEqual([expect.any(Date)]);
  });

  it('ends by the party’s word, not by time alone, when its answer was lost', async () => {
    const deposit = await createdDeposit(client);
    world.double.faults.push('after');
    await expect(lookAtDeposit(world, deposit.id)).rejects.toThrow();
    world.clock.ahead = 40 * 60_000;
    world.double.faults.push('away');
    await expect(lookAtDeposit(world, deposit.id)).rejects.toThrow();
    expect((await readDeposit(client, deposit)).status).toBe('created');
    expect((await lookAtDeposit(world, deposit.id)).status).toBe('expired');
    expect(world.double.sessions().filter(({ asked }) => asked['depositId'] === deposit.id)).toHaveLength(1);
  });

  it('ends by an operator’s conclusion when the party never answers, but only after it was given', async () => {
    const deposit = await createdDeposit(client);
    const conclude = (as: 'paid' | 'failed') =>
      world.api.database.transaction((tx) =>
        concludeTransfer(world.api.services, tx, {
          transferId: deposit.id,
          as,
          evidence: 'The party is gone.',
          decidedBy,
        }),
      );
    await expect(conclude('failed')).rejects.toMatchObject({ code: 'invalid_transition' });
    world.double.faults.push('away');
    await expect(lookAtDeposit(world, deposit.id)).rejects.toThrow();
    await expect(conclude('paid')).rejects.toMatchObject({ code: 'invalid_transition' });
    await conclude('failed');
    expect(await readDeposit(client, deposit)).toMatchObject({
      status: 'failed',
      failure: 'method_unavailable',
    });
    world.double.requests.length = 0;
    expect((await lookAtDeposit(world, deposit.id)).open).toBe(false);
    expect(world.double.requests).toEqual([]);
  });
});

describe('an order of a disabled tenant', () => {
  const STOPPING = { reason: 'A leak.', stoppedBy: decidedBy, at: new Date() };
  const disable = () =>
    world.api.database.transaction((tx) => setClientStatus(tx, client.clientId, 'disabled', STOPPING));
  const enable = () =>
    world.api.database.transaction(async (tx) => {
      await setClientStatus(tx, client.clientId, 'active', STOPPING);
      await lookAtUnordered(world.api.services, tx, client.clientId);
    });
  const toldToLook = async () => {
    const commands = `select workflow_id as id from workflow_commands where action = 'look'`;
    return (await world.api.database.query<{ id: string }>(commands)).map(({ id }) => id).sort();
  };
  const dueBy = async (id: string) => {
    const [row] = await world.api.database.query<{ at: Date }>(
      'select due_by as at from transfers where id = $1',
      [id],
    );
    return row?.at.getTime() ?? 0;
  };

  /** Transfers of four kinds, created before the tenant is disabled. */
  async function each() {
    const { accountId: eur } = await user('EUR');
    const { accountId: usd } = await user('USD');
    const exchange = exchangeDouble(world.api);
    const destinationId = await destinationOf(world.api, client);
    const body = { amount: '100.00', paymentMethodToken: 'tok_visa' };
    const card = await client.call('POST', `/v2/accounts/${usd}/withdraw/card`, body, newKey());
    const id = String(card.body.id);
    const approval = { id, decision: 'approved', decidedBy } as const;
    await stopped(() =>
      world.api.database.transaction((tx) =>
        decideApproval(world.api.services, tx, cardWithdrawalKind, approval),
      ),
    );
    return {
      exchange,
      made: [
        { kind: payoutKind, id: await createdPayout(client, eur), status: 'processing' },
        { kind: depositKind, id: (await createdDeposit(client)).id, status: 'created' },
        {
          kind: exchangeWithdrawalKind,
          id: await approvedWithdrawal(eur, destinationId),
          status: 'processing',
        },
        { kind: cardWithdrawalKind, id, status: 'pending' },
      ] as { kind: AnyKind; id: string; status: string }[],
    };
  }

  it('waits, of any kind, and is given as soon as the tenant is enabled', async () => {
    const { made, exchange } = await each();
    await disable();
    world.double.requests.length = 0;
    for (const { kind, id, status } of made) {
      for (const days of [0, 3]) {
        // The deposit is advanced today only, because its page expires by its terms.
        world.clock.ahead = kind === depositKind ? 0 : days * 86_400_000;
        const progress = await advance(world.api.services, kind, id);
        expect(progress).toMatchObject({ status, open: true });
        expect([kind.name, await orderedAt(id)]).toEqual([kind.name, null]);
        const now = world.api.services.now().getTime();
        expect(await dueBy(id)).toBeGreaterThan(now);
        if (kind !== depositKind) expect(progress.lookAt).toBeNull();
      }
    }
    world.clock.ahead = 0;
    expect([world.double.requests, exchange.orders.size]).toEqual([[], 0]);

    await world.api.database.query('delete from workflow_commands');
    await enable();
    expect(await toldToLook()).toEqual(
      made.map(({ kind, id }) => kind.process.look({ id, tenantId: null, partyRef: null }).workflowId).sort(),
    );
    for (const { id } of made) expect(await dueBy(id)).toBeLessThanOrEqual(Date.now());
    for (const { kind, id } of made) {
      await look(kind, id);
      expect([kind.name, await orderedAt(id)]).toEqual([kind.name, expect.any(Date)]);
    }
    expect(exchange.orders.size).toBe(1);
  });

  it('goes on when the party may already have it', async () => {
    const { accountId } = await user('EUR');
    const id = await createdPayout(client, accountId);
    const { payouts } = world.api.services.parties;
    world.api.services.parties.payouts = {
      ...payouts,
      order: async (given) => {
        await payouts.order(given);
        throw new PartyAway();
      },
    };
    await expect(advance(world.api.services, payoutKind, id)).rejects.toThrow(PartyAway);
    world.api.services.parties.payouts = payouts;
    await disable();
    // The sandbox's party sends it a moment later. A slow machine may see that already.
    expect(['processing', 'sent']).toContain(await look(payoutKind, id));
    expect(await orderedAt(id)).toEqual(expect.any(Date));
    expect(await payouts.ask(orderKey(id))).not.toBe('unknown_to_party');
  });

  it('is cancelled when its user is blocked', async () => {
    const { id: userId, accountId } = await user('EUR');
    const id = await createdPayout(client, accountId);
    await disable();
    await block(userId);
    expect(await look(payoutKind, id)).toBe('cancelled');
    expect((await readBalances(world.api.database, [accountId])).get(accountId)?.pending.toFixed(2)).toBe(
      '0.00',
    );
  });
});
