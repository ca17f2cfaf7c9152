import { randomUUID } from 'node:crypto';
import { ZERO } from '../../src/kernel/money/money';
import { PartyAway } from '../../src/process/party-errors';
import { transferProcesses } from '../../src/transfers/reconcilables';
import { watchParty } from '../../src/watch/watch';
import { testApi } from '../support/api';
import { credited, enabled, look, paidOut } from '../transfers/iban/support';

/** While a party's list is unreadable or refused, its transfers are polled and a person is shown a break. */

const clock = { at: new Date() };
const failed: string[] = [];
const pass = (seconds: number) => void (clock.at = new Date(clock.at.getTime() + seconds * 1_000));
let api: Awaited<ReturnType<typeof testApi>>;
beforeAll(async () => {
  api = await testApi({
    now: () => clock.at,
    observers: { observeUnreadableList: (party) => void failed.push(party) },
  });
});
afterAll(() => api.close());

/** Turns of the party's watcher, three seconds apart. */
async function watched(turns: number): Promise<void> {
  const ending = new AbortController();
  const { payouts } = api.services.parties;
  let left = turns;
  api.services.parties.payouts = {
    ...payouts,
    changes: async (after) => {
      left -= 1;
      if (left <= 0) ending.abort();
      pass(3);
      return payouts.changes(after);
    },
  };
  const watching = { signal: ending.signal, beat: () => undefined, everyMs: 1 };
  await watchParty(api.services, 'payouts', watching).finally(() => {
    api.services.parties.payouts = payouts;
  });
}

const openBreaks = () =>
  api.database.query('select kind, subject from breaks where resolved_at is null and subject = $1', [
    'payouts',
  ]);
async function overdue(): Promise<string[]> {
  const before = new Date(clock.at.getTime() - 5 * 60_000);
  const found = await Promise.all(
    transferProcesses.map((each) => each.stale(api.database, before, 1_000, [])),
  );
  return found.flat().map(({ args }) => String(args[0]));
}

it('opens a break, counts in a metric, and polls its transfers until it is read again', async () => {
  const client = await api.client();
  const { id: ibanId } = await enabled(api, client);
  await credited(api, ibanId, '900.00');
  const { payouts } = api.services.parties;
  // A slow order whose party never calls back.
  const { id } = await paidOut(client, '30.00', { 'x-idempotency-key': randomUUID() });
  const word = async () => ({ version: 1, status: 'processing', sent: ZERO, returns: [] });
  api.services.parties.payouts = { ...payouts, order: word, ask: word } as unknown as typeof payouts;
  await watched(3);
  expect(await look(api, id)).toMatchObject({ open: true, lookAt: null });
  expect([failed, await openBreaks(), await overdue()]).toEqual([[], [], []]);

  const { changes } = api.services.parties.payouts;
  api.services.parties.payouts.changes = () => Promise.reject(new PartyAway('the party answered 401'));
  await watched(19);
  expect([failed.length, await openBreaks()]).toEqual([19, []]);
  expect(await look(api, id)).toMatchObject({ open: true, lookAt: null }); // the party may be away for a moment
  await watched(5);
  expect(await openBreaks()).toEqual([{ kind: 'party_list_unreadable', subject: 'payouts' }]);
  pass(5 * 60);
  expect(await overdue()).toEqual([id]);
  const asked = await look(api, id);
  expect([asked.open, (asked.lookAt ?? 0) - clock.at.getTime() <= 60_000]).toEqual([true, true]);
  await watched(5); // a polled transfer is not told again
  pass(5 * 60);
  expect(await overdue()).toEqual([]);

  api.services.parties.payouts.changes = changes;
  await watched(2);
  expect(await openBreaks()).toEqual([]);
  pass(10);
  expect(await look(api, id)).toMatchObject({ open: true, lookAt: null });
});
