import { checkLedger } from '../../src/kernel/ledger/check';
import type { MoneyParty } from '../../src/kernel/outbox/queues';
import { PartyAway } from '../../src/process/party-errors';
import { discover, receiveReport } from '../../src/transfers/discover';
import { transferProcesses } from '../../src/transfers/reconcilables';
import { accountBalance } from '../cards/cards/support';
import { completed, type DepositWorld, depositWorld, look } from '../transfers/deposits/support';
import { onClock } from '../transfers/external-cards/support';
import { enabled, ibanBalance, lookedAtCredit } from '../transfers/iban/support';

/**
 * A party's news stays in Postgres until it was asked for. These tests run without Temporal, so every signal is lost
 * and only the reconciler's look-up is left.
 */

let world: DepositWorld;
beforeAll(async () => {
  world = await depositWorld();
});
beforeEach(async () => {
  world.client = await world.api.client();
});
afterEach(async () => {
  world.double.faults.length = 0;
  world.clock.ahead += 60 * MINUTE_MS;
  expect(await checkLedger(world.api.database)).toEqual([]);
});
afterAll(() => world.close());

const MINUTE_MS = 60_000;
/** The reconciler's look-up: records that were due five minutes ago. */
async function overdue({ database, services } = world.api): Promise<string[]> {
  const before = new Date(services.now().getTime() - 5 * MINUTE_MS);
  const found = await Promise.all(transferProcesses.map((each) => each.stale(database, before, 1_000, [])));
  return found.flat().map(({ workflowId, action }) => `${action} ${workflowId}`);
}
const callback = (sessionId: string) =>
  world.double.tell(world.api.url, sessionId, { at: world.api.services.now() });

describe('a look at a resting transfer', () => {
  it('is requested until it was taken, whatever Temporal has lost', async () => {
    const { id, accountId, session } = await completed(world);
    expect(await overdue()).not.toContain(`look deposit-${id}`);
    session.disputes.push({ id: 'dp_1', amount: '100.00', status: 'open' });
    expect(await callback(session.sessionId)).toBe(200);
    world.double.faults.push('away');
    await expect(look(world, id)).rejects.toThrow(PartyAway);
    world.clock.ahead += 6 * MINUTE_MS;
    expect(await overdue()).toContain(`look deposit-${id}`);
    await look(world, id);
    expect(await accountBalance(world.client, accountId)).toBe('0.00 0.00');
    world.clock.ahead += 6 * MINUTE_MS;
    expect(await overdue()).not.toContain(`look deposit-${id}`);
  });

  it('that is told while the party is asked is not satisfied by the earlier answer', async () => {
    const { id, session } = await completed(world);
    const { checkout } = world.api.services.parties;
    for (const told of [1, 2]) {
      // Told once more than the step has read: once while resting, and once while a look was due.
      world.api.services.parties.checkout = {
        ...checkout,
        ask: async (sessionId) => {
          const word = await checkout.ask(sessionId);
          await callback(session.sessionId);
          return word;
        },
      };
      await look(world, id).finally(() => {
        world.api.services.parties.checkout = checkout;
      });
      world.clock.ahead += 6 * MINUTE_MS;
      expect([told, await overdue()]).toEqual([told, expect.arrayContaining([`look deposit-${id}`])]);
    }
    await look(world, id);
    world.clock.ahead += 6 * MINUTE_MS;
    expect(await overdue()).not.toContain(`look deposit-${id}`);
  });

  it('does not invalidate an answer under way', async () => {
    const { id, session } = await completed(world);
    const revision = async () =>
      (await world.api.database.query('select revision from transfers where id = $1', [id]))[0];
    const before = await revision();
    await callback(session.sessionId);
    expect(await revision()).toEqual(before);
  });
});

describe('a name that no transfer has', () => {
  const tell = (ref: string, { services, database } = world.api, party: MoneyParty = 'checkout') =>
    database.transaction((tx) => receiveReport(services, tx, party, [ref]));

  it('is investigated until it is known, whatever Temporal has lost', async () => {
    const api = await onClock();
    const { bank } = api.services.parties;
    const client = await api.client();
    const { iban } = await enabled(api, client);
    const paid = { iban, amount: '500.00', mute: true };
    const bankId = (await client.call('POST', '/sandbox/iban-credits', paid)).body.id as string;
    await tell(bankId, api, 'bank');
    api.services.parties.bank = { ...bank, ask: () => Promise.reject(new PartyAway()) };
    await expect(lookedAtCredit(api, bankId)).rejects.toThrow(PartyAway);
    api.clock.pass(6 * 60);
    expect(await overdue(api)).toEqual([`look iban-credit-${bankId}`]);
    api.services.parties.bank = bank;
    await lookedAtCredit(api, bankId);
    expect(await ibanBalance(client)).toBe('500.00 0.00');
    api.clock.pass(24 * 3_600);
    expect(await overdue(api)).toEqual([]);
    await api.close();
  });

  it('makes the transfer that now has the name look', async () => {
    const { id, session } = await completed(world);
    const name = `late-${session.sessionId}`;
    await tell(name); // before the answer that gives the transfer this name
    await world.api.database.query('update transfers set party_ref = $2 where id = $1', [id, name]);
    expect(await discover(world.api.services, 'checkout', name)).toBe('known');
    world.clock.ahead += 6 * MINUTE_MS;
    const found = await overdue();
    expect(found).toContain(`look deposit-${id}`);
    expect(found).not.toContain(`look checkout-payment-${name}`);
  });

  it('that is told again while the party is asked is investigated again', async () => {
    const { services } = world.api;
    const sessionId = world.double.foreign('CHF');
    await tell(sessionId);
    const { checkout } = services.parties;
    services.parties.checkout = {
      ...checkout,
      ask: async (name) => {
        const word = await checkout.ask(name);
        await tell(name);
        return word;
      },
    };
    expect(
      await discover(services, 'checkout', sessionId).finally(() => {
        services.parties.checkout = checkout;
      }),
    ).toBe('nothing');
    world.clock.ahead += 6 * MINUTE_MS;
    expect(await overdue()).toContain(`look checkout-payment-${sessionId}`);
    expect(await discover(services, 'checkout', sessionId)).toBe('nothing');
    expect(await overdue()).not.toContain(`look checkout-payment-${sessionId}`);
  });

  it('that is signed nonsense is asked for during a day and then shown to a person', async () => {
    const { services, database } = world.api;
    const sessionId = 'nonsense';
    expect(await callback(sessionId)).toBe(200);
    expect(await discover(services, 'checkout', sessionId)).toBe('open');
    world.clock.ahead += 23 * 60 * MINUTE_MS;
    expect(await overdue()).toContain(`look checkout-payment-${sessionId}`);
    expect(await discover(services, 'checkout', sessionId)).toBe('open');
    world.clock.ahead += 60 * MINUTE_MS;
    expect(await discover(services, 'checkout', sessionId)).toBe('missing');
    expect(await overdue()).not.toContain(`look checkout-payment-${sessionId}`);
    expect(
      await database.query('select kind, detail from breaks where subject = $1 and resolved_at is null', [
        sessionId,
      ]),
    ).toEqual([{ kind: 'party_word_missing', detail: 'checkout' }]);
  });
});
