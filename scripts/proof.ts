import { readerGone } from '../src/startup/output';
import { type ProofProgress, proveLong } from '../test/properties/long-run';
import startServers from '../test/support/run/global-setup';
import stopServers from '../test/support/run/global-teardown';
import { PROOFS } from '../test/transfers/engine/proof/kinds/all';
import { proveTransfersLong } from '../test/transfers/engine/proof/long-run';

/**
 * `npm run proof -- --operations 1000000 --paths P --transfers T --kinds deposit,payout --seed S --connections C` plays
 * random lives of cards, accounts and tenants on a Postgres in a temporary folder. It proves after each that the books
 * add up (test/properties). Then it proves transfers of every kind, or of the named ones: P on the pure functions and T
 * through Postgres (test/transfers/engine/proof). Ends with 1 and a failing case when anything differs. The same seed
 * plays the same case again.
 */
async function main(unread: AbortSignal): Promise<number> {
  const operations = wholeNumber('operations', 100_000);
  const seed = wholeNumber('seed', Date.now() % 2_147_483_647);
  const connections = wholeNumber('connections', 16);
  const [paths, transfers] = [wholeNumber('paths', 1_000_000), wholeNumber('transfers', 10_000)];
  const kinds = kindsToProve();
  console.log(`Proof with seed ${seed}: ${operations} operations, up to ${connections} at once`);
  await startServers();
  const end = (code: number) => void stopServers().then(() => process.exit(code));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => end(130));
  try {
    const onProgress = (progress: ProofProgress) => {
      unread.throwIfAborted();
      print(progress);
    };
    const tell = (line: string) => {
      unread.throwIfAborted();
      console.log(line);
    };
    const failure =
      (await proveLong({ operations, seed, connections, onProgress })) ??
      (await proveTransfersLong({ paths, transfers, seed, kinds, onProgress: tell }));
    if (unread.aborted) return 141; // as by SIGPIPE, because nothing was proven
    if (failure === undefined) return 0;
    console.error(`\nThe proof failed:\n\n${failure}`);
    return 1;
  } finally {
    await stopServers();
  }
}

function print({ operations, events, scripts, seconds, refused, conflicts }: ProofProgress): void {
  console.log(
    `${operations} operations (${refused} refused), ${events} card events, ${scripts} scripts proven, ` +
      `${conflicts} conflicts, ${seconds.toFixed(0)} s, ${(operations / seconds).toFixed(0)} operations/s`,
  );
}

function kindsToProve(): string[] {
  const known: string[] = PROOFS.map(({ proof }) => proof.kind.name);
  const at = process.argv.indexOf('--kinds');
  const kinds = at < 0 ? known : (process.argv[at + 1] ?? '').split(',');
  if (kinds.every((kind) => known.includes(kind))) return kinds;
  console.error(`--kinds takes a list of ${known.join(', ')}`);
  process.exit(2);
}

function wholeNumber(name: string, usual: number): number {
  const at = process.argv.indexOf(`--${name}`);
  if (at < 0) return usual;
  const number = Number(process.argv[at + 1]);
  if (!Number.isSafeInteger(number) || number < 0) {
    console.error(`--${name} takes a whole number`);
    process.exit(2);
  }
  return number;
}

main(readerGone()).then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
