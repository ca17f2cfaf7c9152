import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hasHistory, withCommit } from '../scripts/unpack-commit';
import { compare, isHeld, type Pair } from './comparison';
import { runTurn } from './turn';

const ROOT = join(__dirname, '..');
const PLANNED = 10;

/**
 * `npm run bench -- compare [--against COMMIT] [--pairs N]` compares the authorizations of this checkout with those of
 * an earlier commit (default: `bench/baseline.json`). A pair is one turn of each in random order, because the machine
 * drifts within minutes. Without `--pairs` it plans ten, and ends earlier when no further pair can show that this checkout
 * is slower. Exits with 1 when it is ({@link compare}).
 */
export async function benchComparison(): Promise<void> {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: {
      against: { type: 'string', default: baseline() },
      pairs: { type: 'string' },
    },
  });
  if (!hasHistory()) {
    console.log('skipped: this checkout has no history');
    return;
  }
  const pairs: Pair[] = [];
  await withCommit(values.against, (folder) => {
    const planned = Number(values.pairs ?? PLANNED);
    const isDone = () => pairs.length >= planned || (!values.pairs && isHeld(pairs, planned));
    while (!isDone()) {
      const pair = runPair(folder);
      console.log(JSON.stringify(pair));
      pairs.push(pair);
    }
  });
  const comparisons = compare(pairs);
  console.log(`${values.against} (before) and this checkout (after), ${pairs.length} pairs`);
  console.table(
    comparisons.map(({ before, after, ratio, ...rest }) => ({
      ...rest,
      before: before.toFixed(3),
      after: after.toFixed(3),
      ratio: ratio.toFixed(3),
    })),
    ['measure', 'before', 'after', 'ratio', 'worse', 'verdict'],
  );
  if (comparisons.some(({ verdict }) => verdict === 'slower')) process.exitCode = 1;
}

function baseline(): string {
  return (JSON.parse(readFileSync(join(__dirname, 'baseline.json'), 'utf8')) as { commit: string }).commit;
}

function runPair(folder: string): Pair {
  if (randomInt(2) === 0) {
    const before = runTurn(folder);
    return { before, after: runTurn(ROOT) };
  }
  const after = runTurn(ROOT);
  return { before: runTurn(folder), after };
}
