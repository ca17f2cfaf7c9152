/** @long @isolated runs the whole installation, and breaks its parts. */
import { killAll } from '../startup/process';
import { REST_MS, runChaos } from './run/run';

/** Runs `npm run chaos` for three minutes. CHAOS_MINUTES and CHAOS_SEED play another run. */

const MINUTES = Number(process.env['CHAOS_MINUTES'] ?? 3);
const SEED = Number(process.env['CHAOS_SEED'] ?? 40);
/** A busy machine of two cores plays ten in three minutes. */
const LEAST_FAULTS = MINUTES;
/** Start, undisturbed lives and proofs. The lives, the records and the workflows have a time of rest each. */
const AROUND_MS = 600_000 + 3 * REST_MS;

afterAll(killAll);

it(
  'loses and doubles nothing, whatever breaks meanwhile',
  async () => {
    const show = (line: string) => process.stderr.write(`${line}\n`);
    show(`Chaos for ${MINUTES} minutes with seed ${SEED}`);
    const { violated, rows, logs, faults } = await runChaos({ minutes: MINUTES, seed: SEED, show });
    expect({ violated, logs }).toEqual({ violated: {}, logs });
    const played = Object.values(faults).reduce((sum, count) => sum + count, 0);
    expect(played).toBeGreaterThanOrEqual(LEAST_FAULTS);
    expect(rows.filter(({ ended }) => Object.keys(ended).length === 0)).toEqual([]);
  },
  MINUTES * 60_000 + AROUND_MS,
);
