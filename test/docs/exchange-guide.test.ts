/** @long @isolated types the guide. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKeyring } from '../../src/kernel/security/keyring';
import { advance } from '../../src/transfers/engine/advance';
import { exchangeOrderKind } from '../../src/transfers/exchange/orders/kind';
import { exchangeWithdrawalKind } from '../../src/transfers/exchange/withdrawals/kind';
import { type TestApi, testApi } from '../support/api';
import { fund, masterAccount } from '../support/cards';
import { urlOf } from '../support/database';
import { anotherOperator } from '../support/operator';
import { commandsOf, SHELL, typed } from './typed';

/** The commands of the guide to the exchange do what it says: in a shell, against the sandbox's exchange. */

const KEPT = ['ACCOUNT', 'EURO', 'ORDER', 'DESTINATION', 'WITHDRAWAL'];

let api: TestApi;
let folder: string;
let environment: NodeJS.ProcessEnv;
beforeAll(async () => {
  const masterKey = randomBytes(32);
  api = await testApi({ keyring: createKeyring(masterKey) });
  const [client, admin] = [await api.client(), await api.client('admin')];
  await fund(api, await masterAccount(client, 'USD'), '1000.00');
  folder = mkdtempSync(join(tmpdir(), 'guide-'));
  mkdirSync(join(folder, '.data'));
  writeFileSync(join(folder, '.data/credentials.json'), JSON.stringify({ client, admin }));
  writeFileSync(join(folder, 'kept'), '');
  const [row] = await api.database.query<{ name: string }>('select current_database() as name');
  const place = { DATABASE_URL: urlOf(row?.name ?? ''), MASTER_KEY: masterKey.toString('base64') };
  environment = { ...process.env, ...(await anotherOperator(place, 'ida')) };
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

/** @returns what the commands have printed; variables are kept for the next ones */
function shell(commands: string): Promise<string> {
  const keep = `for name in ${KEPT.join(' ')}; do echo "$name=\${!name:-}"; done > kept`;
  return typed([SHELL, '. ./kept', commands, keep].join('\n'), { folder, url: api.url, environment });
}

const kept = (name: string) =>
  new RegExp(`^${name}=(.*)$`, 'm').exec(readFileSync(join(folder, 'kept'), 'utf8'))?.[1] ?? '';

/** As its workflow does, until it has that status. */
async function looked(look: () => Promise<{ status: string }>, status: string): Promise<void> {
  while ((await look()).status !== status) await sleep(100);
  // The sandbox's exchange settles a little later.
  await sleep(500);
}

it('leads from rates to a withdrawal', async () => {
  const [begin, rates, exchange, order, settlement, withdrawal, ...more] =
    commandsOf('docs/guides/exchange.md');
  expect(more).toEqual([]);

  await shell(begin ?? '');
  expect(await shell(rates ?? '')).toContain('"from":"USD","to":"EUR"');
  expect(await shell(exchange ?? '')).toContain('"exchange_out"');
  expect(await shell(order ?? '')).toContain('"status":"created"');
  await looked(() => advance(api.services, exchangeOrderKind, kept('ORDER')), 'awaiting_settlement');
  const checked = await shell(settlement ?? '');
  expect(checked).toContain(`"ordersReleased":["${kept('ORDER')}"]`);
  expect(checked).toContain('"status":"completed"');
  expect(await shell(withdrawal ?? '')).toContain('"status":"created"');
  await looked(() => advance(api.services, exchangeWithdrawalKind, kept('WITHDRAWAL')), 'completed');
});
