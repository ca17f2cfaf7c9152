import { tryScripts } from './check';
import { openStage, type ProofStage } from './run';

/** Decisions part 5, 1, 4, 6 and 7. `npm run proof` plays longer ones; FC_SEED plays others. */
const SEED = Number(process.env['FC_SEED'] ?? 20_260_131);

let stage: ProofStage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

it(`whatever happens, in whatever order and at once: all adds up (seed ${SEED})`, async () => {
  expect(await tryScripts(stage, { seed: SEED, runs: 12, waves: 12, width: 1 })).toBeUndefined();
  expect(await tryScripts(stage, { seed: SEED, runs: 15, waves: 12, width: 12 })).toBeUndefined();
}, 120_000);
