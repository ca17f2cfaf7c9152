import { depositProof } from './deposits';
import { proveKind } from './kind-proof';

/** `PROOF_RUNS=1000000` for as many; `npm run proof` does. */
const RUNS = Number(process.env['PROOF_RUNS'] ?? 5_000);

it(`deposits, by ${RUNS} random paths: the books hold what the party says`, () => {
  const { comparedPaths } = proveKind(depositProof, { runs: RUNS });
  expect(comparedPaths).toBeGreaterThan(RUNS / 3); // by another way to the same end
}, 7_200_000);
