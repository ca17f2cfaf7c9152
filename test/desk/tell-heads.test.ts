import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tellHeads } from '../../src/desk/witness/tell-heads';
import { audit } from '../../src/kernel/audit/audit';
import type { HourlyHead } from '../../src/kernel/audit/heads';
import { verifyAudit } from '../../src/kernel/audit/log';
import { createWitness } from '../../src/parties/witness/create';
import type { Witness } from '../../src/parties/witness/port';
import { PartyAway } from '../../src/process/party-errors';
import { type TestDatabase, testDatabase } from '../support/database';
import { masterKeysText } from '../support/keyring';
import { command } from '../support/operator';

let test: TestDatabase;
let folder: string;
let hour: number;
beforeEach(async () => {
  test = await testDatabase(4);
  folder = await mkdtemp(join(tmpdir(), 'cardwright-heads-'));
  hour = 9;
});
afterEach(async () => {
  await test.drop();
  await rm(folder, { recursive: true, force: true });
});

const now = () => new Date(Date.UTC(2026, 0, 31, hour, 17));
const write = (subject: string) =>
  test.runtime.transaction((tx) =>
    audit(tx, {
      caller: { tenantId: 'operator:ida', role: 'admin' },
      requestId: 'r',
      action: 'test',
      subject,
      tenantId: null,
    }),
  );

/** A witness in memory that fails while it is away. */
function memory() {
  const told: HourlyHead[] = [];
  const state = { told, away: false };
  const witness: Witness = {
    configured: true,
    async tell(head) {
      if (state.away) throw new PartyAway();
      told.push(head);
    },
  };
  return { ...state, state, tell: () => tellHeads({ database: test.runtime, parties: { witness }, now }) };
}

it('tells the head once an hour, however often it runs', async () => {
  const { told, tell } = memory();
  expect(await tell()).toBe(0); // an empty log has no head
  await write('one');
  expect(await tell()).toBe(1);
  await write('two');
  expect(await tell()).toBe(0);
  hour += 1;
  expect(await tell()).toBe(1);
  expect(told.map(({ hour: at, number }) => [at, number])).toEqual([
    ['2026-01-31T09:00:00.000Z', 1],
    ['2026-01-31T10:00:00.000Z', 2],
  ]);
  expect(await verifyAudit(test.runtime, told)).toMatchObject({ entries: 2, known: 2 });
});

it('tells the heads of all hours in which the witness was away, each as it was then', async () => {
  const { told, tell, state } = memory();
  state.away = true;
  await write('one');
  await expect(tell()).rejects.toThrow(PartyAway);
  hour += 1;
  await write('two');
  await expect(tell()).rejects.toThrow(PartyAway);
  state.away = false;
  hour += 1;
  expect(await tell()).toBe(3);
  expect(told.map(({ number }) => number)).toEqual([1, 2, 2]);
});

it('does nothing where no witness is configured', async () => {
  await write('one');
  const witness = createWitness(undefined, now);
  expect(await tellHeads({ database: test.runtime, parties: { witness }, now })).toBe(0);
  expect(await test.database.query('select 1 from audit_heads')).toEqual([]);
});

describe('audit verify --told', () => {
  const path = () => join(folder, 'heads');
  const MASTER_KEYS = masterKeysText();
  const environment = () => ({
    DATABASE_URL: test.runtimeUrl,
    MASTER_KEYS,
    AUDIT_HEAD_TO: path(),
  });

  beforeEach(async () => {
    const witness = createWitness({ kind: 'file', path: path() }, now);
    for (const subject of ['one', 'two', 'three']) {
      await write(subject);
      await tellHeads({ database: test.runtime, parties: { witness }, now });
      hour += 1;
    }
  });

  /** Rewrites the log from an entry on with a chain that is right in itself, as the owner of the database could. */
  const rewrite = (from: number) =>
    test.database.transaction(async (tx) => {
      await tx.query('set local session_replication_role = replica');
      await tx.query(`update audit_log set actor = 'eve' where id = $1`, [from]);
      await tx.query('delete from audit_chain where number >= $1', [from]);
      for (let number = from; number <= 3; number += 1)
        await tx.query(
          `insert into audit_chain (number, entry_id, previous, hash)
           select $1, a.id, c.hash, sha256(c.hash || audit_content(a)) from audit_log a, audit_chain c
            where a.id = $1 and c.number = $1::bigint - 1`,
          [number],
        );
    });

  it('compares every head with the chain', async () => {
    const right = await command(environment(), 'audit', 'verify', '--told');
    expect([right.code, right.out]).toEqual([
      0,
      expect.stringMatching(/^3 rows are .* 3 known heads are in the chain\. The head: 3:/),
    ]);
  });

  it('names the first row that differs from what was told, even where the chain is right in itself', async () => {
    await rewrite(2);
    expect((await command(environment(), 'audit', 'verify')).code).toBe(0);
    const wrong = await command(environment(), 'audit', 'verify', '--told');
    expect([wrong.code, wrong.out]).toEqual([
      1,
      expect.stringMatching(
        /^Broken at row 2: the chain was rewritten\. 1 rows .* 1 known heads are in the chain\.$/,
      ),
    ]);
  });

  it('reads a file that was copied from elsewhere', async () => {
    const copy = join(folder, 'copy');
    await writeFile(copy, await readFile(path()));
    await rewrite(3);
    const { AUDIT_HEAD_TO: _, ...elsewhere } = environment();
    const wrong = await command(elsewhere, 'audit', 'verify', '--told', copy);
    expect([wrong.code, wrong.out]).toEqual([1, expect.stringContaining('row 3')]);
    const nowhere = await command(elsewhere, 'audit', 'verify', '--told');
    expect([nowhere.code, nowhere.err]).toEqual([1, expect.stringContaining('--told FILE')]);
  });
});
