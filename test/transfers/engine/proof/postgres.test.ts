/** @long proves random paths of every kind through Postgres. */
import { PROOFS } from './kinds/all';
import { proveThroughPostgres } from './postgres-proof';

/** Transfers of each kind. `PROOF_TRANSFERS=10000` plays more, and `PROOF_SEED` repeats a run. */
const TRANSFERS = Number(process.env['PROOF_TRANSFERS'] ?? 150);
const SEED = Number(process.env['PROOF_SEED'] ?? Date.now() % 1_000_000_000);
/** Rounds with further seeds, because a run may lack a rare status or decision. */
const MAX_ROUNDS = 6;

it.each(PROOFS.map((given) => [given.proof.kind.name, given] as const))(
  `%s: after crashes and lost answers the books are the party's (${TRANSFERS} transfers, seed ${SEED})`,
  async (_, given) => {
    const met = { statuses: new Set<string>(), decisions: new Set<string>() };
    const missing = () => [
      ...given.requiredStatuses.filter((status) => !met.statuses.has(status)),
      ...given.requiredDecisions.filter((decision) => !met.decisions.has(decision)),
    ];
    for (let round = 0; round === 0 || (round < MAX_ROUNDS && missing().length > 0); round += 1) {
      const run = { transfers: TRANSFERS, seed: SEED + round * TRANSFERS };
      const { wrong, faults, statuses, decisions } = await proveThroughPostgres(given, run);
      expect(wrong).toEqual([]);
      // The run had many crashes.
      expect(faults).toBeGreaterThan(TRANSFERS);
      for (const status of Object.keys(statuses)) met.statuses.add(status);
      for (const decision of Object.keys(decisions)) met.decisions.add(decision);
    }
    // The transfers have reached all required statuses and decisions.
    expect(missing()).toEqual([]);
  },
  7_200_000,
);
