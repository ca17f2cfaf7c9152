/** @long proves random sequences of calls. */
import { tryScripts } from './check';
import { openStage, type Proof, type ProofStage } from './run';

/** Decisions part 5, 1, 4, 6 and 7. `npm run proof` plays longer scripts. FC_SEED selects other scripts. */
const SEED = Number(process.env['FC_SEED'] ?? 20_260_131);

let stage: ProofStage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

/** Situations that the scripts must reach. `buffered-life.test.ts` covers the rarer ones. */
const NEEDED = [
  ...['a buffer is drawn', 'topup completed', 'withdraw completed', 'an exchange'],
  ...['advice: authorization', 'authorization: authorization', 'authorization: decline'],
  ...['clearing: settle', 'refund: refund', 'reversal: nothing'],
];
const reached = new Set<string>();

it.each([
  ['one after the other', { runs: 8, waves: 40, width: 1 }],
  ['at once', { runs: 12, waves: 24, width: 12 }],
])(
  `all balances add up after random operations, %s (seed ${SEED})`,
  async (_, size) => {
    const onProof = (_script: unknown, proof: Proof) => {
      for (const word of proof.reached) reached.add(word);
    };
    expect((await tryScripts(stage, { seed: SEED, ...size, onProof })) ?? 'all holds').toBe('all holds');
  },
  300_000,
);

it('the scripts reach the situations that they must cover', () => {
  expect([...reached]).toEqual(expect.arrayContaining(NEEDED));
});
