/** @long */
import { forgetUnlisted, listUnlisted } from '../../../src/chain/holdings/unlisted';
import type { Tx } from '../../../src/kernel/db/database';
import {
  decidedAt,
  newDepositsOn,
  refsAbove,
  refsWaiting,
} from '../../../src/transfers/engine/tables/on-chain';
import { expectIndexes } from '../../growth/explain';
import { filledApi, MADE_AT } from '../../growth/filled';
import type { Statement } from '../../growth/spy';
import type { TestApi } from '../../support/api';

/** Statements about a chain's blocks over many ended deposits, of which none is read (see test/growth). */
const LARGE = ['transfers', 'unlisted_tokens'];

let api: TestApi;
let statements: Statement[];
beforeAll(async () => {
  ({ api, statements } = await filledApi(FILLS));
});
afterAll(() => api.close());

/** Of 60,000 deposits the last thirty wait, a third of them without a word. */
const FILLS = [
  `insert into transfers (id, kind, tenant_id, account_id, status, terms, reference_id, party, party_ref, word, created_at, updated_at)
   select 'cdp_' || lpad(n::text, 26, '0'), 'chain_deposit', 'cli_1', 'acc_1', case when n > $1::int - 30 then 'confirming' else 'credited' end,
          jsonb_build_object('chain', 'local', 'confirmations', 3, 'blockNumber', n), 'ref_' || n, 'chain', 'local:' || n,
          case when n > $1::int - 10 then null
               else jsonb_build_object('state', case when n > $1::int - 30 then 'seen' else 'final' end, 'blockNumber', n) end,
          ${MADE_AT}, ${MADE_AT} from generate_series(1, $1::int) n`,
  `insert into unlisted_tokens (chain, tx_hash, ordinal, token, address, units, block_number, block_hash, seen_at)
   select case when n = 1 then 'quiet' else 'local' end, '0x' || n, 0, '0xT', '0xA', 1, n, '0xb', ${MADE_AT} from generate_series(1, $1::int) n`,
];

it.each([
  ['wait at any height', 30, (tx: Tx) => refsWaiting(tx, 'local')],
  ['this height decides', 18, async (tx: Tx) => [...(await decidedAt(tx, 'local', 59_990)).keys()]],
  ['were above a height', 10, (tx: Tx) => refsAbove(tx, 'local', 59_990)],
])('reads only the waiting deposits that %s', async (_, count, read) => {
  await expectReads(30, async () =>
    expect(await api.services.database.transaction(read)).toHaveLength(count),
  );
});

it.each([
  ['of all chains', {}],
  ['of a chain that has few', { chain: 'quiet' }],
  ['after a page', { after: { since: new Date(Date.now() - 86_400_000), id: 'local:0x0:0' } }],
])('lists unlisted tokens %s', async (_, of) => {
  // One more than the page, because the sort reads up to the next moment.
  await expectReads(201, () => listUnlisted(api.services.database, { ...of, limit: 200 }));
});

it('looks for new deposits by those without a word', async () => {
  await expectReads(30, async () => {
    const text = `select ${newDepositsOn('local').sql} as value`;
    const [row] = await api.services.database.query<{ value: string }>(text);
    expect(row?.value).toMatch(/^10 cdp_/);
  });
});

it('forgets the unlisted transfers of replaced blocks', async () => {
  const { database } = api.services;
  await expectIndexes({ database: api.database, statements, large: LARGE }, () =>
    database.transaction((tx) => forgetUnlisted(tx, 'local', 59_990)),
  );
});

/** Expects indexes and a bounded number of rows, because a full index scan is as bad as a full table scan. */
async function expectReads(most: number, work: () => Promise<unknown>): Promise<void> {
  await expectIndexes({ database: api.database, statements, large: LARGE }, work);
  for (const { text, values } of statements.filter((each) => /^select/i.test(each.text))) {
    const [row] = await api.database.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (analyze, format json) ${text}`,
      values,
    );
    expect(readBy((row as { 'QUERY PLAN': [{ Plan: Plan }] })['QUERY PLAN'][0].Plan)).toBeLessThanOrEqual(
      most,
    );
  }
}

interface Plan {
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Plan[];
}

const readBy = (plan: Plan): number =>
  Math.max(
    plan['Actual Rows'] +
      (plan['Rows Removed by Filter'] ?? 0) +
      (plan['Rows Removed by Index Recheck'] ?? 0),
    ...(plan.Plans ?? []).map(readBy),
  );
