/** @long proves random paths of every kind through Postgres. */
import { PROOFS } from './kinds/all';
import { proveThroughPostgres } from './postgres-proof';

/** `PROOF_TRANSFERS=10000 PROOF_SEED=…` for more of each kind, or the same again; `npm run proof` does. */
const TRANSFERS = Number(process.env['PROOF_TRANSFERS'] ?? 150);
const SEED = Number(process.env['PROOF_SEED'] ?? Date.now() % 1_000_000_000);

it.each(PROOFS.map((given) => [given.proof.kind.name, given] as const))(
  `%s, ${TRANSFERS} through Postgres (seed ${SEED}): whatever dies or is lost, the books are the party's`,
  async (_, given) => {
    const run = { transfers: TRANSFERS, seed: SEED };
    const { wrong, faults, statuses, decisions } = await proveThroughPostgres(given, run);
    expect(wrong).toEqual([]);
    // It was worth it: much has died, transfers came far, and people have decided.
    expect(faults).toBeGreaterThan(TRANSFERS);
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining([...given.comesTo]));
    expect(Object.keys(decisions)).toEqual(expect.arrayContaining([...given.decided]));
  },
  7_200_000,
);
