import { tryScripts } from './check';
import { openStage, type ProofStage } from './run';

/** Decisions part 5, 1, 4, 6 and 7. `npm run proof` plays longer ones; FC_SEED plays others. */
const SEED = Number(process.env['FC_SEED'] ?? 20_260_131);

let stage: ProofStage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

it.each([
  ['one after the other', { runs: 8, waves: 40, width: 1 }],
  ['at once', { runs: 12, waves: 24, width: 12 }],
])(
  `whatever happens, %s: all adds up (seed ${SEED})`,
  async (_, size) => {
    expect((await tryScripts(stage, { seed: SEED, ...size })) ?? 'all holds').toBe('all holds');
  },
  300_000,
);
