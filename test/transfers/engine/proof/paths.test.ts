/** @long proves random paths of every kind. */
import { TRANSFER_KINDS } from '../../../../src/transfers/kinds';
import { PROOFS } from './kinds/all';
import { proveKind } from './paths';

/** `PROOF_RUNS=1000000` for as many of each kind; `npm run proof` does. */
const RUNS = Number(process.env['PROOF_RUNS'] ?? 2_000);

it.each(PROOFS.map(({ proof }) => [proof.kind.name, proof] as const))(
  `%s, by ${RUNS} random paths: the books hold what the party says`,
  (_, proof) => {
    const { comparedPaths, statuses } = proveKind(proof, { runs: RUNS });
    expect(comparedPaths).toBeGreaterThan(RUNS / 3); // by another way to the same end
    // It was worth it: paths have come to every status.
    const all = new Set(proof.kind.transitions.map(({ to }) => to));
    for (const status of proof.never ?? []) all.delete(status);
    expect([...statuses]).toEqual(expect.arrayContaining([...all]));
  },
  7_200_000,
);

it('every kind is proved', () => {
  const proved = PROOFS.map(({ proof }) => proof.kind.name);
  expect(proved.sort()).toEqual(TRANSFER_KINDS.map(({ name }) => name).sort());
});
