/** @long proves random paths of every kind through Postgres. */
import { PROOFS } from './kinds/all';
import { proveThroughPostgres } from './postgres-proof';

/** `PROOF_TRANSFERS=10000 PROOF_SEED=…` for more of each kind, or the same again; `npm run proof` does. */
const TRANSFERS = Number(process.env['PROOF_TRANSFERS'] ?? 150);
const SEED = Number(process.env['PROOF_SEED'] ?? Date.now() % 1_000_000_000);
/** Some statuses and decisions are rare, so a run that lacks one is followed by another with further seeds. */
const MAX_ROUNDS = 6;

it.each(PROOFS.map((given) => [given.proof.kind.name, given] as const))(
  `%s, ${TRANSFERS} through Postgres (seed ${SEED}): whatever dies or is lost, the books are the party's`,
  async (_, given) => {
    const met = { statuses: new Set<string>(), decisions: new Set<string>() };
    const missing = () => [
      ...given.comesTo.filter((status) => !met.statuses.has(status)),
      ...given.decided.filter((decision) => !met.decisions.has(decision)),
    ];
    for (let round = 0; round === 0 || (round < MAX_ROUNDS && missing().length > 0); round += 1) {
      const run = { transfers: TRANSFERS, seed: SEED + round * TRANSFERS };
      const { wrong, faults, statuses, decisions } = await proveThroughPostgres(given, run);
      expect(wrong).toEqual([]);
      // It was worth it: much has died.
      expect(faults).toBeGreaterThan(TRANSFERS);
      for (const status of Object.keys(statuses)) met.statuses.add(status);
      for (const decision of Object.keys(decisions)) met.decisions.add(decision);
    }
    // Transfers came far, and people have decided.
    expect(missing()).toEqual([]);
  },
  7_200_000,
);
