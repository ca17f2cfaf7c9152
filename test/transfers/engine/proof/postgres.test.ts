import { depositThroughPostgres } from './deposits-postgres';
import { proveThroughPostgres } from './postgres-proof';

/** `PROOF_TRANSFERS=10000 PROOF_SEED=…` for more, or the same again; `npm run proof` does. */
const TRANSFERS = Number(process.env['PROOF_TRANSFERS'] ?? 300);
const SEED = Number(process.env['PROOF_SEED'] ?? Date.now() % 1_000_000_000);

it(`deposits, ${TRANSFERS} through Postgres (seed ${SEED}): whatever dies or is lost, the books are the party's`, async () => {
  const run = { transfers: TRANSFERS, seed: SEED };
  const { wrong, faults, statuses, decisions } = await proveThroughPostgres(depositThroughPostgres, run);
  expect(wrong).toEqual([]);
  // It was worth it: much has died, transfers came far, and people have decided.
  expect(faults).toBeGreaterThan(TRANSFERS);
  expect(Object.keys(statuses)).toEqual(
    expect.arrayContaining(['chargeback', 'completed', 'failed', 'manual_review']),
  );
  expect(Object.keys(decisions)).toEqual(
    expect.arrayContaining(['approve', 'conclude', 'credit', 'question', 'refund']),
  );
}, 7_200_000);
