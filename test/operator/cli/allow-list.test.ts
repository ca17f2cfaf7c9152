import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { getAddress } from 'viem';
import type { SeenList } from '../../../src/chain/signing/allow-list';
import { servingOf } from '../../../src/chain/signing/process';
import { readSignerOperators } from '../../../src/kernel/config/signer-operators';
import { openKeyring } from '../../../src/kernel/security/installation-keys';
import { insertNetwork } from '../../chain/wallets/support';
import { type TestDatabase, testDatabase } from '../../support/database';
import { masterKeysOf, seedKeys } from '../../support/keyring';
import { anotherOperator, command, operatorEnvironment } from '../../support/operator';
import { temporaryFolder } from '../../support/servers';

describe('the commands about allow-lists', () => {
  const folder = temporaryFolder('allow-list');
  let db: TestDatabase;
  let ida: NodeJS.ProcessEnv;
  let bob: NodeJS.ProcessEnv;
  beforeAll(async () => {
    db = await testDatabase();
    const contract = getAddress(`0x${'ab'.repeat(20)}`);
    await insertNetwork(db.database, {
      assets: [{ symbol: 'USDT', contract, decimals: 6, minDeposit: '1' }],
    });
    const first = await operatorEnvironment(db.database, 'ida');
    const second = await anotherOperator(first, 'bob');
    ida = { ...first, OPERATOR_SIGNING_KEY_PATH: join(folder, 'ida.pem') };
    bob = { ...second, OPERATOR_SIGNING_KEY_PATH: join(folder, 'bob.pem') };
  });
  afterAll(() => db.drop());

  const keyOf = async (operator: NodeJS.ProcessEnv) => {
    const { code, out } = await command(operator, 'signing-key', 'create');
    expect(code).toBe(0);
    return /([A-Za-z0-9+/]{43}=)$/.exec(out)?.[1] ?? '';
  };
  const statusOf = async () =>
    JSON.parse((await command(ida, 'allow-list', 'list', '--json')).out).map(
      ({ status, signedBy }: { status: string; signedBy: string }) => [status, signedBy],
    );

  it('take a list from its draft to its force, by two operators with keys of their own', async () => {
    const keys = [await keyOf(ida), await keyOf(bob)];
    const file = join(folder, 'ida.pem');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain('PRIVATE KEY');
    expect((await command(ida, 'signing-key', 'create')).code).not.toBe(0);

    const { operators } = readSignerOperators(`ida:${keys[0]},bob:${keys[1]}`);
    const kept: { seen?: SeenList } = {};
    const keyring = await openKeyring(db.database, masterKeysOf(ida['MASTER_KEYS'] ?? ''));
    const serving = await servingOf({
      database: db.database,
      log: pino({ level: 'silent' }),
      ...seedKeys(keyring),
      operators,
      seen: {
        read: async () => kept.seen,
        write: async (seen) => void (kept.seen = seen),
      },
      now: () => new Date(),
    });

    const draft = await command(ida, 'allow-list', 'draft', '--days', '30', '--daily-fees', '0.25');
    const list = JSON.parse(draft.out);
    const contract = getAddress(`0x${'ab'.repeat(20)}`);
    expect(draft.err).toContain('every address is new to you');
    expect(draft.err).toContain(`+ local token ${contract}`);
    expect(draft.err).toContain(`${contract}: the database names no decision of operators.`);
    expect(list.networks[0].sources).toEqual({ [contract]: '' });
    expect(list).toMatchObject({ version: 1, sequence: 1, firstAddress: expect.stringMatching(/^0x/) });
    const path = join(folder, 'list.json');
    writeFileSync(path, draft.out);
    const unsaid = await command(ida, 'allow-list', 'sign', path);
    expect([unsaid.code, unsaid.err]).toEqual([2, expect.stringContaining('who has confirmed the address')]);
    for (const network of list.networks) delete network.sources;
    writeFileSync(path, JSON.stringify(list));
    const left = await command(ida, 'allow-list', 'sign', path);
    expect([left.code, left.err]).toEqual([
      2,
      expect.stringContaining(`sources must say where each new address comes from: ${contract}.`),
    ]);
    list.networks[0].sources = { [contract.toLowerCase()]: SOURCE };
    // Another order and another spelling are the same list.
    writeFileSync(path, JSON.stringify(Object.fromEntries(Object.entries(list).reverse()), null, 4));
    const signed = await command(ida, 'allow-list', 'sign', path);
    expect([signed.code, signed.out]).toEqual([0, expect.stringContaining('You have signed the list 1')]);
    expect(await statusOf()).toEqual([['waits for 1 more', 'ida']]);
    expect(await serving.judge(REQUEST)).toContain('needs 2 signatures');

    const second = await command(bob, 'allow-list', 'sign', '--sequence', '1');
    expect([second.code, second.err]).toEqual([0, expect.stringContaining(`${contract}: ${SOURCE}`)]);
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    await serving.check();
    expect(await statusOf()).toEqual([['in force', 'ida bob']]);
    expect(kept.seen).toMatchObject({ sequence: 1 });
    const entries = JSON.parse((await command(ida, 'allow-list', 'entries', '--json')).out);
    expect(entries.map(({ role, value }: { role: string; value: string }) => [role, value])).toEqual(
      expect.arrayContaining([['daily fees', '0.25']]),
    );
  });

  it('show what a forged database adds to the list in force, and take it from nobody without a source', async () => {
    const forged = getAddress(`0x${'66'.repeat(20)}`);
    const asset = { symbol: 'EVIL', contract: forged, decimals: 6, minDeposit: '1' };
    await db.database.query(`update networks set assets = assets || $1::jsonb`, [JSON.stringify([asset])]);
    const draft = await command(bob, 'allow-list', 'draft', '--daily-fees', '0.5');
    expect(draft.err.split('\n')).toEqual([
      'Compared with the list 1, which is in force and which you have signed:',
      `+ local token ${forged}`,
      '  local gas a day: 0.25 -> 0.5',
      `  ${forged}: the database names no decision of operators.`,
      expect.stringContaining('Ask them by a way that does not lead through this installation.'),
    ]);
    const list = JSON.parse(draft.out);
    expect(list.networks[0].sources).toMatchObject({ [forged]: '' });
    expect(Object.values(list.networks[0].sources)).toContain(SOURCE);
    const path = join(folder, 'forged.json');
    writeFileSync(path, draft.out);
    expect((await command(bob, 'allow-list', 'sign', path)).code).toBe(2);
    // The database calls a list with the address in force, which he has not signed.
    const [row] = await db.database.query<{ body: string }>(
      'select body from allow_lists where sequence = 1',
    );
    const body = (row?.body ?? '').replace('"sequence":1', '"sequence":9');
    await db.database.query(
      `insert into allow_lists (digest, sequence, body, verdict, judged_at, created_at)
         values (repeat('9', 64), 9, $1, 'in force', now(), now())`,
      [body],
    );
    expect((await command(bob, 'allow-list', 'draft')).err).toContain('every address is new to you');
    await db.database.query('delete from allow_lists where sequence = 9');
    await db.database.query(`update networks set assets = assets - 1`);
  });

  it('refuse a list before the newest one, a faulty one, and an operator without a key', async () => {
    const path = join(folder, 'faulty.json');
    writeFileSync(path, '{"version":1}');
    const faulty = await command(ida, 'allow-list', 'sign', path);
    expect([faulty.code, faulty.err]).toEqual([2, expect.stringContaining('networks')]);
    const nobody = { ...ida, OPERATOR_SIGNING_KEY_PATH: join(folder, 'none.pem') };
    const keyless = await command(nobody, 'allow-list', 'sign', join(folder, 'list.json'));
    expect([keyless.code === 0, keyless.err]).toEqual([false, expect.stringContaining('signing-key create')]);
    const draft = JSON.parse((await command(ida, 'allow-list', 'draft')).out);
    expect(draft.sequence).toBe(2);
    writeFileSync(path, JSON.stringify(draft));
    expect((await command(ida, 'allow-list', 'sign', path)).code).toBe(0);
    const old = await command(bob, 'allow-list', 'sign', join(folder, 'list.json'));
    expect([old.code === 0, old.err]).toEqual([
      false,
      expect.stringContaining('sequence must be at least 2'),
    ]);
  });
});

const SOURCE = 'Contract of the issuer, read to ida and bob by its treasurer on the telephone';

const REQUEST = {
  kind: 'authorization',
  index: 0,
  authorization: { chainId: 1, contract: `0x${'1'.repeat(40)}`, nonce: 0 },
} as const;
