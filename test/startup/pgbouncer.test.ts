/** @long @isolated runs every role through PgBouncer. */
import { createDatabase, type Database } from '../../src/kernel/db/database';
import { missingSettings } from '../../src/kernel/db/roles';
import { isPooled } from '../../src/kernel/db/session-settings';
import { ask } from '../chaos/persistent';
import { LANE_NAMES, openTenant, startTraffic, type Traffic } from '../chaos/traffic';
import { type PgBouncer, pgBouncerPath, startPgBouncer } from '../support/outside/pgbouncer';
import { type Receiver, startReceiver } from '../support/outside/receiver';
import { type Fleet, startFleet } from '../support/product';
import { until } from '../support/until';
import { killAll, START_MS } from './process';

/** API, worker, signer, desk and the installation's commands through PgBouncer in transaction mode. */

const path = pgBouncerPath();
const throughPgBouncer = path ? describe : describe.skip;
if (!path) console.warn('SKIPPED, the product is not tried through PgBouncer: there is none');

/** Fewer sessions at Postgres than the product has connections, so that transactions change sessions all the time. */
const SERVER_CONNECTIONS = 12;

throughPgBouncer('through PgBouncer in transaction mode', () => {
  let fleet: Fleet;
  let bouncer: PgBouncer;
  let receiver: Receiver;
  let traffic: Traffic;
  let pooled: Database;

  beforeAll(async () => {
    fleet = await startFleet({}, undefined, async (url) => {
      bouncer = await startPgBouncer(path as string, url, SERVER_CONNECTIONS);
      return bouncer.url;
    });
    pooled = createDatabase({ url: bouncer.url, poolSize: 4, name: 'test' });
    receiver = await startReceiver({ http: true });
  }, START_MS);

  afterAll(async () => {
    await traffic?.stop();
    await receiver?.close();
    await pooled?.close();
    await fleet?.close();
    await bouncer?.stop();
    killAll();
  });

  it('has the settings of its sessions by its role', async () => {
    expect(isPooled(bouncer.url)).toBe(true);
    expect(await missingSettings(pooled)).toEqual([]);
  });

  it(
    'serves cards, payouts, deposits, webhooks and operators, and the books agree',
    async () => {
      const credential = await fleet.newTenant(); // an operator signs in at the desk for it
      for (const type of ['card', 'payout'])
        await ask(fleet, credential, 'POST', '/v1/webhooks', { url: receiver.url, type });
      const tenant = await openTenant(fleet, credential, await fleet.newTenant('admin'));
      traffic = startTraffic([fleet.baseUrl], tenant);
      await until(
        () => traffic.refused.length > 0 || LANE_NAMES.every((name) => (traffic.done.get(name) ?? 0) > 10),
      );
      expect(await fleet.operator('client', 'list', '--json')).toMatchObject({ code: 0 });
      await traffic.stop();
      expect(traffic.refused).toEqual([]);
      for (const payout of [traffic.payouts[0], traffic.payouts.at(-1)])
        await until(
          async () => (await ask(fleet, credential, 'GET', payout ?? '')).body.status === 'completed',
        );
      const names = () => new Set(receiver.received.map(({ body }) => body.event));
      await until(() => names().has('card_transaction') && names().has('payout.status_changed'));
      expect(await fleet.operator('ledger', 'check')).toMatchObject({ code: 0 });
      expect(await fleet.operator('audit', 'verify')).toMatchObject({ code: 0 });
      for (const { failures } of [fleet.api, fleet.worker]) expect(failures()).toBe(0);
      for (const { text } of [fleet.api, fleet.worker])
        expect(text()).not.toMatch(/prepared statement|unsupported startup parameter/);
    },
    START_MS,
  );
});
