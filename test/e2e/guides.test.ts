/** @long @isolated launches the product and types the guides. */
import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { cardwright } from '../../client/src';
import { createDatabase, type Database } from '../../src/kernel/db/database';
import type { TemporalClient } from '../../src/kernel/temporal/connection';
import { connectionUrl } from '../../src/startup/embedded/postgres/connection';
import { DATABASE } from '../../src/startup/embedded/postgres/server';
import { INTEGRATE } from '../docs/steps';
import { commandsOf, programOf, typed } from '../docs/typed';
import { setLimits } from '../support/operator';
import { takeTurn, temporalAt } from '../support/outside/temporal-client';
import { ownPort } from '../support/own-port';
import { temporaryFolder } from '../support/servers';
import { DEMO_MS, installation } from './installation';

/** Types the commands of the guides on a new product, and then runs the demo of a sweep. */

const world = installation();
const { dataDir } = world;

/** Triggers the schedules of scan, top-up and sweep, so that no test waits for their minute. */
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

async function embeddedDatabase(): Promise<Database> {
  const path = join(dataDir, 'postgres.json');
  const state = JSON.parse(readFileSync(path, 'utf8')) as { port: number; password: string };
  return createDatabase({ url: connectionUrl(state, DATABASE), poolSize: 1, name: 'guides' });
}

/** @returns the output of these commands in a shell, in a temporary folder with the product's `.data` */
async function reader(commands: string[]): Promise<string> {
  const folder = temporaryFolder('guide');
  symlinkSync(dataDir, join(folder, '.data'));
  const environment = { PATH: process.env['PATH'], DATA_DIR: dataDir };
  const url = world.whole.credentials.baseUrl;
  const typing = commands.join('\n').replaceAll('9900', String(await ownPort()));
  return typed(typing, { folder, url, environment }).finally(() => rmSync(folder, { recursive: true }));
}

const expectEach = (out: string, told: string[]) => {
  for (const each of told) expect(out).toContain(each);
};

/** Returns the last commands of a guide and checks their number of calls. */
function storyOf(guide: string, calls: number): string {
  const story = commandsOf(`docs/guides/${guide}.md`).at(-1) ?? '';
  expect(story.match(/\b(?:call|admin) '?\//g)).toHaveLength(calls);
  return story;
}

const withoutStory = (guide: string) => commandsOf(`docs/guides/${guide}.md`).slice(0, -1);

const lastAnswer = (out: string) => JSON.parse(out.trimEnd().split('\n').at(-1) ?? '') as unknown;

it('runs the README: a first request, and a user that is created once', async () => {
  const request = commandsOf('README.md').find((commands) => commands.includes('x-client-id')) ?? '';
  expectEach(await reader([request]), ['"currency":"USD"', '"externalId":"ada"']);
});

/** Builds and runs a program as the guide to the kit says. The compiler is that of this project. */
async function integrated(program: string): Promise<string> {
  const [prepare = '', run = ''] = commandsOf(INTEGRATE);
  const install = /^npm install typescript@.*$/m;
  expect(prepare).toMatch(install);
  const modules = join(__dirname, '../../node_modules');
  const linked = `ln -s ${modules}/typescript ${modules}/@types node_modules/`;
  return reader([
    'echo {} > tsconfig.json', // as in a clone
    'export npm_config_offline=true',
    'npx() { shift; node node_modules/typescript/bin/tsc "$@"; }',
    prepare.replace(install, linked),
    `cat > integrate.mts <<'END'\n${program}END`,
    run,
  ]);
}

it(
  'integrates in an hour: a deposit, a card, its first payment verified, and reconciled books',
  async () => {
    const out = await integrated(programOf(INTEGRATE));
    const [, told = ''] =
      /```text\n([^]*?)```/.exec(readFileSync(join(__dirname, '../..', INTEGRATE), 'utf8')) ?? [];
    const numbered = (text: string) => text.replace(/\d{4} is active/, '0001 is active');
    expect(numbered(out)).toContain(told);
  },
  DEMO_MS,
);

it(
  'runs the README of the kit',
  async () => {
    const out = await integrated(programOf('client/README.md'));
    expectEach(out, ['404 not_found undefined []', 'true []']);
  },
  DEMO_MS,
);

it(
  'runs the quick start of the document: a deposit, a cardholder and a card with money',
  async () => {
    const out = await reader(commandsOf('docs/api/quick-start.md'));
    expectEach(out, ['"status":"completed"', '"maskedNumber":"44112200****']);
    expect(lastAnswer(out)).toMatchObject({ status: 'active', balance: { available: '100.00' } });
  },
  DEMO_MS,
);

it(
  'runs the first guides: a deposit, a card that pays, and their webhooks',
  async () => {
    const [receive = ''] = commandsOf('docs/guides/webhooks.md');
    const out = await reader([
      ...[receive, ...withoutStory('first-card')],
      'until grep -q \'"type":"close"\' webhooks.log; do sleep 0.2; done',
      ...['kill %1; cat webhooks.log', 'call localhost:8080/v1/webhooks -X DELETE'],
    ]);
    expectEach(out, ['"status":"completed"', '"creditedAmount":"679.41"', '"status":"frozen"']);
    expectEach(out, ['"declineReason":"limit_exceeded"', '"status":"closed"', '"buffer":"25.00"']);
    expectEach(out, ['"event":"card_transaction"', '"event":"account_transaction"']);
  },
  DEMO_MS,
);

it(
  'runs the guide to challenges: a payment that needs a code, which one purchase uses',
  async () => {
    const [shell = '', money = '', issue = ''] = commandsOf('docs/guides/first-card.md');
    const another = issue.replaceAll('grace', 'alan'); // the first guide has closed its card
    const out = await reader([shell, money, another, ...commandsOf('docs/guides/challenges.md')]);
    expectEach(out, ['"challengeAbove":"20.00"', '"accepted":true', '{"result":"failed","triesLeft":2}']);
    expectEach(out, ['{"result":"approved","triesLeft":2}', '{"approved":true']);
    expect(out.match(/{"approved":false,"declineReason":"authentication_required"/g)).toHaveLength(2);
    expect(lastAnswer(out)).toMatchObject({
      data: [
        { type: 'decline', declineReason: 'authentication_required' },
        { type: 'authorization', transactionAmount: '30.00', merchant: { id: 'shop-1' } },
        { type: 'decline', declineReason: 'authentication_required' },
        { type: 'issue' },
      ],
    });
  },
  DEMO_MS,
);

it(
  'runs the guide to the exchange: an exchange, an order that completes, and a withdrawal',
  async () => {
    const [shell = '', money = ''] = commandsOf('docs/guides/first-card.md');
    const out = await reader([shell, money, ...withoutStory('exchange')]);
    expectEach(out, ['"from":"USD","to":"EUR"', '"exchange_out"']);
    expect(out).toMatch(/"currency":"EUR",[^}]*"releasable":"[1-9]/);
    const [, order] = /"ordersReleased":\["(exo_\w+)"\]/.exec(out) ?? [];
    expect(out).toMatch(new RegExp(`"id":"${order}"[^\n]*"status":"completed"`));
    expect(out.trimEnd().split('\n').at(-1)).toMatch(/"id":"exw_[^\n]*"status":"completed"/);
  },
  DEMO_MS,
);

it(
  'cancels an exchange order as the guide to the sandbox does, and releases its hold',
  async () => {
    const [shell = '', money = ''] = commandsOf('docs/guides/first-card.md');
    const [cancelled = ''] = commandsOf('docs/sandbox.md').filter((each) => each.includes('exchange-order'));
    const out = await reader([shell, money, cancelled]);
    expectEach(out, [' is disabled.', ' is cancelled.', ' is active.']);
    expect(lastAnswer(out)).toMatchObject({ status: 'cancelled', failure: 'cancelled_by_operator' });
  },
  DEMO_MS,
);

it(
  'creates a user and a card whose buffer covers a payment, in eight calls',
  async () => {
    const [shell = '', money = ''] = commandsOf('docs/guides/first-card.md');
    const out = await reader([shell, money, storyOf('first-card', 8)]);
    expect(lastAnswer(out)).toMatchObject({
      status: 'active',
      balance: { available: '5.00', pending: '0.00', spent: '90.00' },
      buffer: { amount: '5.00' },
    });
  },
  DEMO_MS,
);

it(
  'exchanges dollars and pays euros to a bank account, in five calls',
  async () => {
    const [shell = '', money = ''] = commandsOf('docs/guides/first-card.md');
    const [accounts = '', ...others] = commandsOf('docs/guides/exchange.md');
    const [allowed = ''] = others.find((each) => each.includes('destination waive'))?.split('\n\n') ?? [];
    const another = allowed.replace('DE89370400440532013000', 'FR1420041010050500013M02606');
    const out = await reader([shell, money, accounts, another, storyOf('exchange', 5)]);
    expect(lastAnswer(out)).toMatchObject({ status: 'completed', amount: '30.00', currency: 'EUR' });
  },
  DEMO_MS,
);

it(
  'runs the guides to chains: a payment on the local chain is credited and reported, and the station is ready',
  async () => {
    const [receive = '', address = '', pay = '', release = ''] = commandsOf('docs/guides/chain-deposits.md');
    const [station = '', operations = '', delegate = ''] = commandsOf('docs/guides/gas-station.md');
    expect(operations).toContain('wal_…');
    const out = await reader([
      ...[receive, address, pay, 'until grep -q deposit webhooks.log; do sleep 0.2; done'],
      'kill %1; cat webhooks.log; call localhost:8080/v1/webhooks -X DELETE',
      ...[release, station, delegate],
      'for turn in $(seq 60); do npm run operator -- chain reconcile > said; grep -qE "differs|not compared" said || break; sleep 1; done; cat said',
    ]);
    expectEach(out, [
      '"status":"credited"',
      '"available":"25.000000"',
      '"subtype":"crypto"',
      '"quarantined"',
    ]);
    expect(out).toMatch(/"version":2,[^}]*}\ntrue\n[^]*(pool|treasury) +USDT +25 +25 .* same/);
  },
  DEMO_MS,
);

it(
  'moves a payment to the treasury in four calls, and the books agree',
  async () => {
    const [shell = ''] = commandsOf('docs/guides/first-card.md');
    const address = commandsOf('docs/guides/chain-deposits.md')[1] ?? '';
    const usdt = address.split('\n')[0] ?? '';
    const line = `.find(({ place, asset }) => place === "treasury" && asset === "USDT")?.reported ?? 0`;
    const treasury = `npm run operator --silent -- chain reconcile --json | field '${line}'`;
    const out = await reader([shell, usdt, treasury, storyOf('gas-station', 4), treasury]);
    expectEach(out, ['"status":"credited"', '"amount":"40.000000"']);
    expect(out).toMatch(/treasury +USDT .* same/);
    const amounts = out.match(/^\d+(\.\d+)?$/gm) ?? [];
    expect(Number(amounts.at(-1)) - Number(amounts[0])).toBeGreaterThanOrEqual(40);
  },
  DEMO_MS,
);

it(
  'says why the demo of a sweep cannot run while changes need two people',
  async () => {
    const database = await embeddedDatabase();
    const { baseUrl, admin } = world.whole.credentials;
    const operator = cardwright({ baseUrl, ...admin });
    const path = { chain: 'local' };
    const { version } = await operator.getGasConfig({ path });
    await operator.updateGasConfig({ path, body: { version, autoSweep: false } });
    try {
      await setLimits(database, { dualControl: 'on' });
      const { code, text } = await world.demo('sweep');
      expect([code, text]).toEqual([1, expect.stringMatching(/DUAL_CONTROL=on: .* approve apr_\w+/)]);
    } finally {
      await setLimits(database, { dualControl: 'off' });
      await database.close();
    }
  },
  DEMO_MS,
);

it(
  'runs the demo of a sweep until chain and books agree',
  async () => {
    const { code, text } = await world.demo('sweep');
    expect([code, text]).toEqual([0, expect.stringMatching(/Sweep swp_\w+: 25 USDT/)]);
    const places = ['pool', 'station', 'treasury'].map((place) => expect.stringContaining(`${place}@local`));
    const agreeing = text.split('\n').filter((line) => line.endsWith('difference 0'));
    expect(agreeing).toEqual(expect.arrayContaining(places));
  },
  DEMO_MS,
);
