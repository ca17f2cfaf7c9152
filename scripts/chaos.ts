import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { FAULTS, type FaultName } from '../test/chaos/run/faults';
import { type ChaosReport, REST_MS, runChaos } from '../test/chaos/run/run';
import { CLOCK_SHIFTS_MS } from '../test/chaos/run/world';
import { wholeNumber } from './support/arguments';
import { unpackCommit } from './unpack-commit';

const EPILOG = `
Starts an installation of separate processes in temporary folders: two APIs behind a balancer, two workers, two dispatchers, desk, signer,
parties, Postgres, Temporal and a local chain. Plays every kind of transfer, lives of cards, sweeps and webhooks, and breaks the parts meanwhile.
After the last fault the lives must end within ${REST_MS / 60_000} minutes, and then everything must come to rest within ${REST_MS / 60_000} minutes.

Exits with 0 when every proof holds, 1 when one is violated, 2 when it was called wrongly.`;

const FAILED = `
What to do: look for the ids above in the logs, near the faults, whose times stand at the beginning. Worker 2 logs its own wrong time.
Decide whether the product or the run is wrong. --faults with the faults before the violation makes a shorter run.`;

interface ChaosArguments {
  minutes: number;
  seed: number;
  faults?: FaultName[];
  other?: string;
}

/** Time for a broken off run to stop its servers. */
const CLOSE_MS = 15_000;

/** `npm run chaos -- --minutes N --seed S`: see `--help`, and docs/contributing.md. */
async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  const { minutes, seed, other } = options;
  console.log(`Chaos for ${minutes} minutes with seed ${seed}`);
  const unpacked = other === undefined ? undefined : await unpackCommit(other);
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => {
      ending.abort();
      setTimeout(() => process.exit(130), CLOSE_MS);
    });
  try {
    const report = await runChaos({
      ...options,
      signal: ending.signal,
      other: unpacked?.folder,
      show: (line) => console.log(line),
    });
    for (const line of linesOf(report, options)) console.log(line);
    return Object.keys(report.violated).length > 0 ? 1 : 0;
  } finally {
    unpacked?.remove();
  }
}

function readOptions(argv: readonly string[]): ChaosArguments {
  return new Command('chaos')
    .description('breaks an installation under load, and proves that nothing is lost or doubled')
    .option('--minutes <count>', 'duration of the faults', wholeNumber(1), 30)
    .option('--seed <number>', 'repeats the faults of an earlier run', wholeNumber(1), Date.now() % 1_000_000)
    .option(
      '--faults <names>',
      `only these faults, divided by commas: ${Object.keys(FAULTS).join(', ')}`,
      faultNames,
    )
    .option('--other <commit>', 'the second API, worker and dispatcher run this commit')
    .addHelpText('after', EPILOG)
    .exitOverride()
    .parse(argv, { from: 'user' })
    .opts<ChaosArguments>();
}

function faultNames(text: string): FaultName[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !(name in FAULTS));
  if (unknown.length > 0) throw new InvalidArgumentError(`Unknown: ${unknown.join(', ')}.`);
  return names as FaultName[];
}

/** The end of the output: work, faults, proofs, and the command that repeats the run. */
function linesOf(report: ChaosReport, { minutes, seed, faults, other }: ChaosArguments): string[] {
  const { rows, violated, logs } = report;
  const width = Math.max(...rows.map(({ kind }) => kind.length), 'kind'.length);
  const more = [faults && `--faults '${faults.join(',')}'`, other && `--other ${other}`].filter(Boolean);
  return [
    '',
    `${'kind'.padEnd(width)}  begun  ended by outcome`,
    ...rows.map(
      ({ kind, begun, ended }) => `${kind.padEnd(width)}  ${`${begun}`.padStart(5)}  ${counts(ended)}`,
    ),
    '',
    `Faults: ${counts(report.faults)}`,
    `Clocks apart: ${counts(CLOCK_SHIFTS_MS, ' ms')}`,
    ...Object.entries(report.skipped).map(([name, why]) => `Not played: ${name}, because ${why}`),
    `Longest unavailability for a client that asks each second: ${seconds(report.longestGapMs)}`,
    `Longest wait of a client for the definite answer to a write: ${seconds(report.longestWaitMs)}`,
    '',
    ...report.proven.map((name) => `proven: ${name}`),
    ...Object.entries(violated).flatMap(([name, found]) => [`VIOLATED: ${name}`, found]),
    ...(Object.keys(violated).length > 0 ? [FAILED] : []),
    `The logs are in ${logs}`,
    `Seed ${seed}: npm run chaos -- ${['--minutes', minutes, '--seed', seed, ...more].join(' ')}`,
  ];
}

const counts = (of: Readonly<Record<string, number>>, unit = ''): string =>
  Object.entries(of)
    .map(([name, count]) => `${name} ${count}${unit}`)
    .join(', ') || 'none';
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2);
    console.error(error);
    process.exit(1);
  },
);
