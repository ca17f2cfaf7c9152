/** @long */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { createApi } from '../../src/composition';
import { createRateLimiter } from '../../src/kernel/rate-limit';
import { createRateShare, keepRateShare, type RateShare } from '../../src/kernel/rate-share';
import { type Client, type TestApi, testApi } from '../support/api';

const log = pino({ level: 'silent' });
let api: TestApi;
let client: Client;
beforeAll(async () => {
  api = await testApi();
  client = await api.client();
});
afterEach(() => api.database.query('delete from api_processes'));
afterAll(() => api.close());

const shareOf = (id: string) => createRateShare({ database: api.database, log }, id);
const shares = (all: RateShare[]) => all.map((each) => each.share());
const known = async () =>
  (await api.database.query<{ id: string }>('select id from api_processes order by id')).map(({ id }) => id);

describe('the share of an API process', () => {
  it('is one divided by the number of processes, and grows when one leaves', async () => {
    const all = ['a', 'b', 'c', 'd'].map(shareOf);
    expect(shares(all)).toEqual([1, 1, 1, 1]);
    for (const each of [...all, ...all]) await each.beat();
    expect(shares(all)).toEqual([0.25, 0.25, 0.25, 0.25]);
    for (const each of all.slice(2)) await each.leave();
    for (const each of all.slice(0, 2)) await each.beat();
    expect(shares(all.slice(0, 2))).toEqual([0.5, 0.5]);
  });

  it('ignores a silent process, and deletes it', async () => {
    const [own, silent] = [shareOf('own'), shareOf('silent')];
    await silent.beat();
    await own.beat();
    expect(own.share()).toBe(0.5);
    const agoOf = (seconds: number) =>
      api.database.query(
        `update api_processes set beat_at = clock_timestamp() - make_interval(secs => $1) where id = 'silent'`,
        [seconds],
      );
    await agoOf(11);
    await own.beat();
    expect([own.share(), await known()]).toEqual([1, ['own', 'silent']]);
    await agoOf(61);
    await own.beat();
    expect(await known()).toEqual(['own']);
  });

  it('stays the same while it cannot be read', async () => {
    let isAway = false;
    const query: typeof api.database.query = (...given) =>
      isAway ? Promise.reject(new Error('away')) : api.database.query(...given);
    const own = createRateShare({ database: { ...api.database, query }, log }, 'own');
    await shareOf('other').beat();
    await own.beat();
    isAway = true;
    await own.beat();
    await own.leave();
    expect(own.share()).toBe(0.5);
  });

  it('is announced before the process serves, and released when it stops', async () => {
    const kept = await keepRateShare(shareOf('kept'));
    expect(await known()).toEqual(['kept']);
    await kept.stop();
    expect(await known()).toEqual([]);
  });
});

describe('the rate limit over two API processes', () => {
  const limit = { perSecond: 10, burst: 20 };
  let now = 0;
  let processes: { server: Server; share: RateShare }[];

  async function started(id: string) {
    const share = shareOf(id);
    const spend = createRateLimiter(() => now, share.share);
    const handle = createApi(api.services, { observe: () => undefined, spend }).callback();
    const server = createServer((request, response) => void handle(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { server, share };
  }

  /** Number of admitted calls when each process gets this many. */
  async function letThrough(calls: number): Promise<number> {
    const headers = { 'x-client-id': client.clientId, 'x-client-secret': client.clientSecret };
    const answers = processes.flatMap(({ server }) => {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/client/settings`;
      return Array.from({ length: calls }, () => fetch(url, { headers }));
    });
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.every((status) => status === 200 || status === 429)).toBe(true);
    return statuses.filter((status) => status === 200).length;
  }

  beforeAll(async () => {
    await api.database.query('update tenants set settings = $2 where id = $1', [
      client.clientId,
      JSON.stringify({ rateLimit: limit }),
    ]);
    processes = [await started('one'), await started('two')];
  });
  afterAll(async () => {
    for (const { server } of processes) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('equals that of one process: the burst, and the rate per second', async () => {
    for (const { share } of [...processes, ...processes]) await share.beat();
    expect(await letThrough(40)).toBe(20);
    for (let second = 1; second <= 4; second += 1) {
      now += 1_000;
      expect(await letThrough(40)).toBe(10);
    }
    now += 60_000;
    expect(await letThrough(40)).toBe(20);
  });

  it('is whole again for the process that is left', async () => {
    const [first, second] = processes as [(typeof processes)[0], (typeof processes)[0]];
    await second.share.beat();
    await second.share.leave();
    await first.share.beat();
    now += 60_000;
    processes = [first];
    expect(await letThrough(40)).toBe(20);
    processes = [first, second];
  });

  it('admits one call at each process, even with a small share of the burst', () => {
    const spend = createRateLimiter(
      () => 0,
      () => 0.1,
    );
    expect([spend('a', { perSecond: 1, burst: 2 }), spend('a', { perSecond: 1, burst: 2 })]).toMatchObject([
      { allowed: true, remaining: 0, reset: 10 },
      { allowed: false, reset: 10 },
    ]);
  });
});
