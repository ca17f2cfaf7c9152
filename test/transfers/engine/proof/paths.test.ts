/** @long proves random paths of every kind. */
import { TRANSFER_KINDS } from '../../../../src/transfers/kinds';
import { PROOFS } from './kinds/all';
import { proveKind } from './paths';

/** Paths of each kind. `PROOF_RUNS=1000000` plays more, as `npm run proof` does. */
const RUNS = Number(process.env['PROOF_RUNS'] ?? 2_000);

it.each(PROOFS.map(({ proof }) => [proof.kind.name, proof] as const))(
  `the books of %s hold what the party says, on ${RUNS} random paths`,
  (_, proof) => {
    const { comparedPaths, statuses } = proveKind(proof, { runs: RUNS });
    expect(comparedPaths).toBeGreaterThan(RUNS / 3); // a detour with the same end
    // The paths have reached every status.
    const all = new Set(proof.kind.transitions.map(({ to }) => to));
    for (const status of proof.never ?? []) all.delete(status);
    expect([...statuses]).toEqual(expect.arrayContaining([...all]));
  },
  7_200_000,
);

it('every kind has a proof', () => {
  const proved = PROOFS.map(({ proof }) => proof.kind.name);
  expect(proved.sort()).toEqual(TRANSFER_KINDS.map(({ name }) => name).sort());
});
