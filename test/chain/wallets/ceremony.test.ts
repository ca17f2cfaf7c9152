/** @long */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adoptWallets, straysAmong } from '../../../src/chain/wallets/operations';
import { newId } from '../../../src/kernel/ids';
import { addressAt } from '../../../src/parties/signer/local';
import { findSeed } from '../../../src/parties/signer/seed';
import { runInstallation } from '../../../src/startup/installation/run';
import { newAddress } from '../../parties/chain/raw-contracts';
import { type Client, type TestApi, testApi } from '../../support/api';
import { masterAccount } from '../../support/cards';
import { startTestChain, type TestChain } from '../../support/chain';
import { masterKeysText, SIGNER_KEYS_TEXT } from '../../support/keyring';
import { withLocalNetwork } from '../../support/networks';
import { anotherOperator, command, commandReading, operatorEnvironment } from '../../support/operator';

/** An installation with two operators. */
interface Installation {
  api: TestApi;
  client: Client;
  ida: Record<string, string>;
  bob: Record<string, string>;
}

let chain: TestChain;
let first: Installation;
let empty: Installation;
let token: string;
let folder: string;

async function installed(): Promise<Installation> {
  const api = await testApi();
  const ida = await operatorEnvironment(api.database);
  return { api, client: await api.client(), ida, bob: await anotherOperator(ida, 'bob') };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cardwright-ceremony-'));
  [chain, first, empty] = await Promise.all([startTestChain(), installed(), installed()]);
  ({ token } = await withLocalNetwork(first.api, chain));
  await withLocalNetwork(empty.api, chain, { token: token as `0x${string}` });
}, 120_000);
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await Promise.all([first.api.close(), empty.api.close(), chain.stop()]);
});

const told = (out: string) => JSON.parse(out) as Record<string, any>;

/** Asks for an export or an import as ida, and approves it as bob. @returns the approval's id */
async function approved({ ida, bob }: Installation, ...asked: string[]): Promise<string> {
  const id = await requested(ida, ...asked);
  const { err } = await command(bob, 'approval', 'approve', id);
  if (err !== '') throw new Error(err);
  return id;
}

async function requested(ida: Record<string, string>, ...asked: string[]): Promise<string> {
  const { out, err } = await command(ida, 'wallet-seed', ...asked, '--reason', 'ceremony', '--json');
  if (err !== '') throw new Error(err);
  return told(out)['approval'].id;
}

const EXPORT = ['permit-export', '--form', 'shares', '--shares', '5', '--threshold', '3'];

/** Exports shares into a new folder. */
async function exported(at: Installation, name: string, ...more: string[]) {
  const to = join(folder, name);
  const id = await approved(at, ...EXPORT);
  const done = await command(at.ida, 'seed', 'export', '--approval', id, '--to', to, '--json', ...more);
  if (done.code !== 0) throw new Error(done.err);
  return {
    id,
    files: told(done.out)['files'] as string[],
    fingerprint: String(told(done.out)['fingerprint']),
    done,
  };
}

async function allocated({ client }: Installation, reference: string, more: object = {}): Promise<string> {
  const accountId = await masterAccount(client);
  const { body } = await client.call('POST', '/v1/wallets/allocate', {
    chain: 'local',
    asset: 'USDT',
    accountId,
    reference,
    ...more,
  });
  return body.address;
}

const EVERYWHERE = { permanent: true, scope: 'evm' };

const verify = (at: Record<string, string>, ...argv: string[]) =>
  command(at, 'seed', 'verify', ...argv, '--json');
const OFFLINE = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };

describe('a rehearsed restore', () => {
  it('finds every address and balance again in an empty installation', async () => {
    const addresses: string[] = [];
    for (const reference of ['a', 'b', 'c', 'd', 'e', 'f', 'g'])
      addresses.push(await allocated(first, reference));
    await chain.pay(token as `0x${string}`, addresses[0] ?? '', 12_345_678n);
    await chain.pay(token as `0x${string}`, addresses[6] ?? '', 1_000_000n);
    await chain.pay(null, addresses[3] ?? '', 5n * 10n ** 17n);
    const { files, fingerprint } = await exported(first, 'rehearsed');

    const three = [files[4], files[0], files[2]] as string[];
    const proof = await verify(empty.ida, '--shares', ...three, '--fingerprint', fingerprint);
    expect([proof.code, told(proof.out)]).toMatchObject([
      0,
      { isAsWritten: true, database: { isSame: null } },
    ]);
    const id = await approved(empty, 'permit-import', '--fingerprint', fingerprint);
    const done = await command(empty.bob, 'seed', 'import', '--approval', id, '--shares', ...three, '--json');
    expect([done.err, told(done.out)]).toEqual([
      '',
      { fingerprint, isRestored: false, firstAddress: addresses[0] },
    ]);

    const before = await empty.api.database.query('select count(*) from audit_log');
    const scan = await command(empty.ida, 'seed', 'recover', '--gap', '20', '--json');
    const { found, nextIndex } = told(scan.out);
    const line = (index: number, asset: string, balance: string) => ({
      index,
      address: addresses[index],
      chain: 'local',
      asset,
      balance,
      isKnown: false,
    });
    expect(found).toEqual([line(0, 'USDT', '12.345678'), line(3, 'ETH', '0.5'), line(6, 'USDT', '1')]);
    expect(await empty.api.database.query('select count(*) from audit_log')).toEqual(before);
    expect(await empty.api.database.query('select id from wallets')).toEqual([]);
    const text = (await command(empty.ida, 'seed', 'recover', '--to', '6')).out;
    expect(text).toContain('7 indexes were asked for on local.');
    expect(text).toContain('local:USDT: 13.345678 in all');

    const skip = ['--index', String(nextIndex), '--reason', 'recovered'];
    expect((await command(empty.ida, 'wallet-seed', 'skip-to', ...skip)).code).toBe(0);
    expect(addresses).not.toContain(await allocated(empty, 'after'));

    const derive = async () =>
      told((await command(empty.ida, 'seed', 'recover', '--gap', '20', '--derive', '--json')).out);
    expect(await derive()).toMatchObject({ usedTo: 6, derived: 7 });
    const made = await empty.api.database.query(
      `select derivation_index as index, address from wallets where adopted and status = 'available' order by 1`,
    );
    expect(made).toEqual(addresses.map((address, index) => ({ index, address })));
    const again = await derive();
    expect(again['derived']).toBe(0);
    expect(again['found'].every(({ isKnown }: { isKnown: boolean }) => isKnown)).toBe(true);
    expect(addresses).not.toContain(await allocated(empty, 'later'));
    const known = told((await command(first.ida, 'seed', 'recover', '--to', '6', '--json')).out);
    expect(known['found'].map(({ isKnown }: { isKnown: boolean }) => isKnown)).toEqual([true, true, true]);
  }, 120_000);

  it('makes the wallets of all networks before a new payer comes, and leaves other uses of an index alone', async () => {
    const second = await startTestChain({ chainId: 4_242 });
    const anew = await installed();
    try {
      const { files, fingerprint } = await exported(first, 'anew');
      await withLocalNetwork(anew.api, chain, { token: token as `0x${string}` });
      const id = await approved(anew, 'permit-import', '--fingerprint', fingerprint);
      await command(anew.ida, 'seed', 'import', '--approval', id, '--shares', ...files.slice(0, 3));
      const { database, keyring } = anew.api.services;
      const seed = (await findSeed(database, keyring))!;
      const emptied = addressAt(seed, 'evm', 40) as `0x${string}`;
      await second.client.setNonce({ address: emptied, nonce: 1 });
      const derive = async (...more: string[]) =>
        command(anew.ida, 'seed', 'recover', '--gap', '45', '--derive', '--json', ...more);
      const wallets = (where: string) =>
        database.query(
          `select chain, count(*)::int as count, max(derivation_index) as last from wallets where ${where} group by 1 order by 1`,
        );

      const alone = await derive('--chain', 'local');
      expect([alone.code, told(alone.err)['field']]).toEqual([2, 'to']);
      // A payer who came before the second network and the recovery, and a station whose key another system holds.
      const scoped = await allocated(anew, 'scoped', EVERYWHERE);
      expect(scoped).toBe(addressAt(seed, 'evm', 0));
      await anew.client.call('POST', '/v1/wallets/release', { chain: 'local', address: scoped });
      const other = await second.token();
      await withLocalNetwork(anew.api, second, { chain: 'second', token: other });
      await database.query(
        `insert into wallets (id, chain, kind, address, derivation_index, purpose, status, held_by, created_at, updated_at)
         values ($1, 'local', 'evm', $2, 1, 'station', 'available', 'kms', now(), now())`,
        [newId('wallet'), newAddress()],
      );

      const done = told((await derive()).out);
      expect(done).toMatchObject({ usedTo: 40, derived: 39 + 40, nextIndex: done['indexes'] });
      expect(done['notMade']).toEqual([
        { chain: 'local', index: 1 },
        { chain: 'second', index: 1 },
      ]);
      expect(await wallets(`adopted and bound_to = 'native_coin'`)).toEqual([
        { chain: 'local', count: 39, last: 40 },
        { chain: 'second', count: 40, last: 40 },
      ]);
      const fresh = await allocated(anew, 'fresh', EVERYWHERE);
      const [{ index } = { index: -1 }] = await database.query<{ index: number }>(
        'select derivation_index as index from wallets where address = $1',
        [fresh],
      );
      expect(index).toBe(done['nextIndex']);
      // The index of the scope is whole: its tenant gets it again on both networks.
      await database.query(
        `update wallets set quarantined_until = now() - interval '1 day' where status = 'quarantined'`,
      );
      expect(await allocated(anew, 'again', EVERYWHERE)).toBe(scoped);
      expect(await wallets(`derivation_index = 0 and scope = 'evm' and status = 'allocated'`)).toEqual([
        { chain: 'local', count: 1, last: 0 },
        { chain: 'second', count: 1, last: 0 },
      ]);
      expect(told((await derive()).out)).toMatchObject({ derived: 0 });
      const [entry] = await database.query<{ after: object }>(
        `select after from audit_log where action = 'wallet.seed.recover' order by id limit 1`,
      );
      expect(entry?.after).toEqual({ chains: ['local', 'second'], to: 40, nextIndex: done['nextIndex'] });

      // A network that is enabled later books money on the recovered addresses, too.
      await withLocalNetwork(anew.api, { ...second, chainId: 4_243 }, { chain: 'third', token: other });
      const strays = await straysAmong(database, keyring, 'third', [emptied]);
      expect(strays.get(emptied)).toMatchObject({ homeChain: 'local', tenantId: null, isOurs: true });
      const third = { chain: 'third', kind: 'evm' } as const;
      await database.transaction((tx) => adoptWallets({ keyring }, tx, third, [emptied]));
      expect(await wallets(`chain = 'third' and adopted and bound_to = 'native_coin'`)).toEqual([
        { chain: 'third', count: 1, last: 40 },
      ]);
      expect((await straysAmong(database, keyring, 'third', [emptied])).size).toBe(0);
    } finally {
      await Promise.all([anew.api.close(), second.stop()]);
    }
  }, 120_000);

  it('gives an installation back the keys of its wallets after SIGNER_KEYS are lost', async () => {
    const { files, fingerprint } = await exported(first, 'lost-keys');
    const id = await approved(first, 'permit-import', '--fingerprint', fingerprint);
    const renewed = { ...first.ida, SIGNER_KEYS: masterKeysText(Buffer.alloc(32, 7), 'renewed') };
    const done = await command(
      renewed,
      'seed',
      'import',
      '--approval',
      id,
      '--shares',
      ...files.slice(0, 3),
      '--json',
    );
    expect([done.err, told(done.out)]).toMatchObject(['', { fingerprint, isRestored: true }]);
    const [row] = await first.api.database.query('select sealed_by from wallet_seeds');
    expect(row).toEqual({ sealed_by: 'renewed' });
    // The old key again, for the tests that follow.
    const again = await approved(first, 'permit-import', '--fingerprint', fingerprint);
    await command(first.ida, 'seed', 'import', '--approval', again, '--shares', ...files.slice(0, 3));
  });
});

describe('an export', () => {
  it('writes files that their owner alone reads, and keeps no word anywhere else', async () => {
    const { files, done } = await exported(first, 'files');
    expect(files.map((file) => file.split('/').at(-1))).toEqual([1, 2, 3, 4, 5].map((n) => `share-${n}.txt`));
    expect(statSync(join(folder, 'files')).mode & 0o777).toBe(0o700);
    for (const file of files) expect(statSync(file).mode & 0o777).toBe(0o600);
    const [, words = ''] = readFileSync(files[1] ?? '', 'utf8').split('\n');
    expect(words.split(' ')).toHaveLength(33);
    const kept = JSON.stringify([
      await first.api.database.query('select * from audit_log'),
      await first.api.database.query('select * from approvals'),
      await first.api.database.query('select * from seed_ceremonies'),
      [done.out, done.err],
    ]);
    expect(kept).toContain('wallet.seed.export');
    for (const part of words.match(/\w+ \w+ \w+ \w+/g)?.slice(1) ?? []) expect(kept).not.toContain(part);
  });

  it('shows each share alone at a terminal, and refuses an output that a log may keep', async () => {
    const id = await approved(first, ...EXPORT);
    const argv = ['seed', 'export', '--approval', id];
    expect((await command(first.ida, ...argv)).err).toContain('The output is no terminal');
    const [shown, out]: [string[], string[]] = [[], []];
    const code = await runInstallation(
      argv,
      { SIGNER_KEYS: SIGNER_KEYS_TEXT, ...first.ida },
      {
        out: (line) => out.push(line),
        err: (line) => out.push(line),
        terminal: { showAlone: async (text) => void shown.push(text) },
      },
    );
    expect([code, shown.length, out.join('\n')]).toEqual([
      0,
      5,
      expect.stringContaining('any 3 open the seed'),
    ]);
    const words = shown.map((text) => text.split('\n')[1] ?? '');
    expect(out.join('\n')).not.toContain(words[0]?.slice(-40));
    const proof = await commandReading(words.slice(1, 4).join('\n'), first.ida, 'seed', 'verify', '--json');
    expect([proof.code, told(proof.out)['database'].isSame]).toEqual([0, true]);
  });

  it('gives the mnemonic where that was approved', async () => {
    const id = await approved(first, 'permit-export', '--form', 'mnemonic');
    const to = join(folder, 'mnemonic');
    expect((await command(first.ida, 'seed', 'export', '--approval', id, '--to', to)).code).toBe(0);
    expect(readdirSync(to)).toEqual(['mnemonic.txt']);
    const proof = await verify(first.ida, '--mnemonic', join(to, 'mnemonic.txt'));
    expect([proof.code, told(proof.out)['database'].wrong]).toEqual([0, []]);
  });

  it('needs two people, once, and one of them at the machine', async () => {
    const run = (who: Record<string, string>, id: string, to: string) =>
      command(who, 'seed', 'export', '--approval', id, '--to', join(folder, to), '--json');
    const open = await requested(first.ida, ...EXPORT);
    const alone = await command(first.ida, 'approval', 'approve', open);
    expect(alone.err).toContain('another operator');
    expect((await run(first.ida, open, 'n1')).err).toContain('another operator must have approved it');
    await command(first.bob, 'approval', 'approve', open);
    const { OPERATOR_SECRET: _, ...nobody } = first.ida;
    expect((await run(nobody, open, 'n2')).err).toContain('OPERATOR_SECRET must be of one of the two');
    const eve = await anotherOperator(first.ida, 'eve');
    expect((await run(eve, open, 'n3')).err).toContain('OPERATOR_SECRET must be of one of the two');
    expect((await run(first.bob, open, 'n4')).code).toBe(0);
    expect((await run(first.bob, open, 'n5')).err).toContain('was used already');
    const other = await approved(first, 'permit-export', '--form', 'mnemonic');
    expect(
      (await command(first.ida, 'seed', 'import', '--approval', other, '--shares', ...sharesIn('n4'))).err,
    ).toContain('this needs wallet-seed.permit-import');
    expect((await run(first.ida, other, 'n4')).err).toContain('to must be a new folder');
    const wrong = await command(
      first.ida,
      'wallet-seed',
      'permit-export',
      '--form',
      'shares',
      '--shares',
      '3',
      '--threshold',
      '4',
      '--reason',
      'x',
    );
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('threshold')]);
    for (const name of ['n1', 'n2', 'n3', 'n5']) expect(readdirSync(join(folder, name))).toEqual([]);
  }, 60_000);
});

const sharesIn = (name: string) => readdirSync(join(folder, name)).map((file) => join(folder, name, file));

describe('a proof', () => {
  it('needs neither a key nor a database, and reads the audit log where there is one', async () => {
    const { files, fingerprint } = await exported(first, 'proof');
    const keyless = { DATABASE_URL: first.ida['DATABASE_URL'] ?? '' };
    const all = await verify(keyless, '--shares', ...files);
    expect([all.code, told(all.out)]).toMatchObject([
      0,
      { shares: 5, threshold: 3, database: { isSame: true } },
    ]);
    const offline = await verify(OFFLINE, '--shares', ...files, '--fingerprint', fingerprint);
    expect([offline.code, offline.err]).toEqual([0, expect.stringContaining('The database was not asked')]);
    expect((await verify(OFFLINE, '--shares', ...files, '--offline')).code).toBe(1); // nothing to compare with
    const [line] = await first.api.database.query<{ after: object }>(
      `select after from audit_log where action = 'wallet.seed.verify' order by id desc limit 1`,
    );
    expect(line?.after).toEqual({ fingerprint, form: 'shares', shares: 5, isSame: true });
  });

  it('says that shares are of another seed', async () => {
    const mnemonic = join(folder, 'other.txt');
    writeFileSync(mnemonic, `${'test '.repeat(11)}junk\n`);
    const other = await verify(first.ida, '--mnemonic', mnemonic);
    expect([other.code, told(other.out)['database'].isSame]).toEqual([1, false]);
    expect((await command(first.ida, 'seed', 'verify', '--mnemonic', mnemonic)).out).toContain(
      'NOT the seed',
    );
    writeFileSync(join(folder, 'passphrase.txt'), 'a passphrase\n');
    const guarded = await verify(
      first.ida,
      '--mnemonic',
      mnemonic,
      '--passphrase',
      join(folder, 'passphrase.txt'),
    );
    expect(told(guarded.out)['fingerprint']).not.toBe(told(other.out)['fingerprint']);
  });

  it('names the share at fault', async () => {
    const { files } = await exported(first, 'faults');
    const other = await exported(first, 'another-set');
    const text = readFileSync(files[1] ?? '', 'utf8')
      .trimEnd()
      .split(' ');
    const typo = join(folder, 'typo.txt');
    writeFileSync(typo, text.with(-5, text.at(-5) === 'acid' ? 'acne' : 'acid').join(' '));
    const err = async (...shares: (string | undefined)[]) =>
      told((await verify(OFFLINE, '--shares', ...(shares as string[]))).err)['message'];
    expect(await err(files[0], typo, files[2])).toContain('typo.txt: its checksum is wrong');
    expect(await err(files[0], files[1], other.files[3])).toContain('share-4.txt: belongs to another set');
    expect(await err(files[0], files[1])).toContain('opens with 3 shares, and 2 are given');
    expect(await err(files[0], files[1], join(folder, 'none.txt'))).toContain('none.txt: cannot be read');
  });
});

describe('an import', () => {
  it('refuses a seed that was not approved, and an installation with another one', async () => {
    const third = await installed();
    try {
      const mnemonic = join(folder, 'third.txt');
      writeFileSync(mnemonic, `${'test '.repeat(11)}junk\n`);
      const { fingerprint } = told((await verify(OFFLINE, '--mnemonic', mnemonic)).out);
      const importing = (id: string, ...more: string[]) =>
        command(third.ida, 'seed', 'import', '--approval', id, '--mnemonic', mnemonic, ...more);
      const passphrase = join(folder, 'third-passphrase.txt');
      writeFileSync(passphrase, 'correct horse\n');
      const id = await approved(third, 'permit-import', '--fingerprint', String(fingerprint));
      expect((await importing(id, '--passphrase', passphrase)).err).toContain('A passphrase may be wrong');
      expect((await importing(id)).code).toBe(0);
      const seed = await findSeed(third.api.database, third.api.services.keyring);
      expect(addressAt(seed!, 'evm', 0)).toBe('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');

      const { files, fingerprint: firsts } = await exported(first, 'for-third');
      const another = await approved(third, 'permit-import', '--fingerprint', firsts);
      const refused = await command(third.ida, 'seed', 'import', '--approval', another, '--shares', ...files);
      expect([refused.code, refused.err]).toEqual([4, expect.stringContaining('has another seed')]);
      await withLocalNetwork(third.api, chain, { token: token as `0x${string}` });
      await allocated(third, 'third');
      const inUse = await command(
        third.ida,
        'wallet-seed',
        'permit-import',
        '--fingerprint',
        firsts,
        '--reason',
        'x',
      );
      expect([inUse.code, inUse.err]).toEqual([4, expect.stringContaining('another seed')]);
    } finally {
      await third.api.close();
    }
  }, 60_000);

  it('takes a mnemonic with a passphrase, whose wallets then sign by it', async () => {
    const fourth = await installed();
    try {
      const [mnemonic, passphrase] = [join(folder, 'fourth.txt'), join(folder, 'fourth-passphrase.txt')];
      writeFileSync(mnemonic, `${'test '.repeat(11)}junk\n`);
      writeFileSync(passphrase, 'TREZOR\n');
      const files = ['--mnemonic', mnemonic, '--passphrase', passphrase];
      const { fingerprint, firstAddresses } = told((await verify(OFFLINE, ...files)).out);
      const id = await approved(fourth, 'permit-import', '--fingerprint', String(fingerprint));
      expect((await command(fourth.ida, 'seed', 'import', '--approval', id, ...files)).err).toBe('');
      const { signer } = fourth.api.services.parties;
      expect(await signer.addresses('evm', [0, 1])).toEqual(firstAddresses.slice(0, 2));
      const transaction = {
        chainId: 31_337,
        nonce: 0,
        from: String(firstAddresses[1]),
        to: String(firstAddresses[0]),
        value: 1n,
        data: '0x',
        gas: 21_000n,
        maxFeePerGas: 10n ** 9n,
        maxPriorityFeePerGas: 1n,
      };
      expect((await signer.sign(1, transaction)).raw).toMatch(/^0x02/);
      const shares = await exported(fourth, 'fourth');
      const with3 = ['--shares', ...shares.files.slice(0, 3)];
      expect((await verify(fourth.ida, ...with3)).code).toBe(1); // without the passphrase another seed
      expect((await verify(fourth.ida, ...with3, '--passphrase', passphrase)).code).toBe(0);
    } finally {
      await fourth.api.close();
    }
  }, 60_000);
});
