import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { TemporalClient } from '../../src/kernel/temporal/connection';
import { freePort } from '../../src/startup/embedded/ports';
import { commandsOf, linesOf, typed } from '../docs/typed';
import { takeTurn, temporalAt } from '../support/outside/temporal-client';
import { temporaryFolder } from '../support/servers';
import { DEMO_MS, installation } from './installation';

/** A newcomer's first money on a chain: what the guides type, on a new product, and then the demo of a sweep. */

const world = installation();
const { dataDir } = world;

/** Nobody waits here for the minutes of the schedule: a scan's, a top-up's, a sweep's. */
let temporal: TemporalClient;
let turns: NodeJS.Timeout;
beforeAll(() => {
  const { port } = JSON.parse(readFileSync(join(dataDir, 'temporal.json'), 'utf8')) as { port: number };
  temporal = temporalAt(`127.0.0.1:${port}`);
  turns = setInterval(() => void takeTurn(temporal, 'gas-auto-sweep'), 1_000);
});
afterAll(async () => {
  clearInterval(turns);
  await temporal?.close();
});

it(
  'does what the guides type: a payment on the local chain is credited and told, and the station is ready',
  async () => {
    const folder = temporaryFolder('guide');
    symlinkSync(dataDir, join(folder, '.data'));
    const port = await freePort();
    const [pay = '', release = '', ...noMore] = commandsOf('docs/guides/chain-deposits.md');
    const [station = '', operations = '', delegate = ''] = commandsOf('docs/guides/gas-station.md');
    expect([noMore, operations]).toEqual([[], expect.stringContaining('wal_…')]);
    const commands = [
      linesOf('README.md', /^(ID|SECRET)=/),
      linesOf('docs/guides/first-card.md', /^(call|field)\(\)/),
      linesOf('docs/guides/exchange.md', /^(ADMIN_(ID|SECRET)=|admin\(\))/),
      ...[pay, 'until grep -q deposit webhooks.log; do sleep 0.2; done', 'kill %1; cat webhooks.log'],
      'call localhost:8080/v1/webhooks -X DELETE', // what the receiver has not answered does not reach that of the demo
      ...[release, station, delegate],
      'for turn in $(seq 60); do npm run operator -- chain reconcile && break; sleep 1; done',
    ].join('\n');
    const environment = { PATH: process.env['PATH'], DATA_DIR: dataDir };
    const out = await typed(commands.replaceAll('9900', String(port)), {
      ...{ folder, url: world.whole.credentials.baseUrl, environment },
    });
    for (const told of [
      '"status":"credited"',
      '"available":"25.000000"',
      '"subtype":"crypto"',
      '"quarantined"',
    ])
      expect(out).toContain(told);
    expect(out).toMatch(/"version":2,[^}]*}true\n[^]*The chains have what the books say\./);
    rmSync(folder, { recursive: true, force: true });
  },
  DEMO_MS,
);

it(
  'takes money in on the local chain: the demo of a sweep ends with a chain and books that agree',
  async () => {
    const { code, text } = await world.demo('sweep');
    expect([code, text]).toEqual([0, expect.stringMatching(/Sweep swp_\w+: 25 USDT/)]);
    const places = ['pool', 'station', 'treasury'].map((place) => expect.stringContaining(`${place}@local`));
    const agreeing = text.split('\n').filter((line) => line.endsWith('difference 0'));
    expect(agreeing).toEqual(expect.arrayContaining(places));
  },
  DEMO_MS,
);
