import type { Command } from 'commander';
import { disableWallet, enableWallet } from '../../../../chain/wallets/disable';
import { poolStats } from '../../../../chain/wallets/operations';
import { importSeed, seedStatus, skipTo } from '../../../../chain/wallets/seed';
import { show, table } from '../../../../desk/cli/console';
import { indexArgument, reasonArgument } from '../../arguments';
import type { CommandContext } from '../../context';

interface Given {
  reason: string;
  json?: boolean;
}

/** Commands for the pool of wallets and its seed. */
export function addWalletCommands(program: Command, context: CommandContext): void {
  const group = program.command('wallet').description('wallets that take deposits on chains, and their seed');
  addStats(group, context);
  addDisable(group, context);
  addEnable(group, context);
  const seed = group
    .command('seed')
    .description('what the keys of all wallets are derived from (BIP-39, BIP-44)');
  addSeedStatus(seed, context);
  addSeedImport(seed, context);
  addSeedSkipTo(seed, context);
}

const STATUSES = ['available', 'allocated', 'quarantined', 'disabled', 'total'] as const;

function addStats(group: Command, { console, run }: CommandContext): void {
  group
    .command('stats')
    .description('how many wallets the pool of each network has')
    .option('--json', 'print them as JSON')
    .action(({ json }: { json?: boolean }) =>
      run(async ({ database, now }) => {
        const pools = await poolStats(database, now());
        const rows = pools.map((pool) => [pool.chain, ...STATUSES.map((status) => pool[status])]);
        show(console, json, pools, table(['chain', ...STATUSES], rows));
      }),
    );
}

function addDisable(group: Command, { console, run }: CommandContext): void {
  group
    .command('disable <chain> <address>')
    .description(
      'nobody gets it any more, and whoever had it has it no more; what comes to it is kept uncredited',
    )
    .requiredOption('--reason <text>', 'why: kept in the audit log', reasonArgument)
    .option('--json', 'print { "chain", "address", "status", "ended" }')
    .action((chain: string, address: string, { reason, json }: Given) =>
      run(async (session) => {
        const { after, ended } = await session.change(
          (tx) => disableWallet(session, tx, { chain, address }),
          (changed) => ({
            action: 'wallet.disable',
            subject: changed.after.id,
            before: { status: changed.before.status },
            after: { status: changed.after.status, ended: changed.ended, reason },
          }),
        );
        const { status } = after;
        const told = ended === null ? '' : ` The allocation ${ended} has ended.`;
        show(
          console,
          json,
          { chain, address: after.address, status, ended },
          `${after.address} is disabled.${told}`,
        );
      }),
    );
}

function addEnable(group: Command, { console, run }: CommandContext): void {
  group
    .command('enable <chain> <address>')
    .description('the tenant that had it may get it again, after the rest of one that was released')
    .option('--json', 'print { "chain", "address", "status" }')
    .action((chain: string, address: string, { json }: Pick<Given, 'json'>) =>
      run(async (session) => {
        const { after } = await session.change(
          (tx) => enableWallet(session, tx, { chain, address }),
          (changed) => ({
            action: 'wallet.enable',
            subject: changed.after.id,
            before: { status: changed.before.status },
            after: { status: changed.after.status },
          }),
        );
        const { status } = after;
        show(console, json, { chain, address: after.address, status }, `${after.address} is ${status}.`);
      }),
    );
}

function addSeedStatus(seed: Command, { console, run }: CommandContext): void {
  seed
    .command('status')
    .description(
      'whether there is one, its first addresses, whether wallets are derived from it, and the index of the next',
    )
    .option('--json', 'print { "exists", "createdAt", "firstAddresses", "inUse", "nextIndex" }')
    .action(({ json }: { json?: boolean }) =>
      run(async ({ database }) => {
        const found = await seedStatus(database);
        const first = Object.entries(found.firstAddresses ?? {}).map(([kind, at]) => `${kind} ${at}`);
        const use = found.inUse ? 'Wallets are derived from it.' : 'No wallet is derived from it yet.';
        const next = `The next wallet has index ${found.nextIndex.evm}.`;
        const told = found.exists
          ? `The seed is of ${found.createdAt}. Its first addresses: ${first.join(', ')}. ${use} ${next}`
          : 'There is no seed: the first wallet makes one.';
        show(console, json, found, told);
      }),
    );
}

function addSeedImport(seed: Command, { console, run }: CommandContext): void {
  seed
    .command('import')
    .description(
      'takes the mnemonic on the standard input (12 to 24 English words, no passphrase); refused once wallets exist',
    )
    .option('--json', 'print { "exists", "createdAt", "firstAddresses", "inUse", "nextIndex" }')
    .action(({ json }: { json?: boolean }) =>
      run(async (session) => {
        const mnemonic = (await console.read?.()) ?? '';
        await session.change(
          (tx) => importSeed(session.keyring, tx, mnemonic),
          ({ createdAt }) => ({
            action: 'wallet.seed.import',
            after: { createdAt: createdAt.toISOString() },
          }),
        );
        const found = await seedStatus(session.database);
        show(
          console,
          json,
          found,
          `Wallets are derived from it: the first on EVM chains is ${found.firstAddresses?.evm}.`,
        );
      }),
    );
}

function addSeedSkipTo(seed: Command, { console, run }: CommandContext): void {
  seed
    .command('skip-to')
    .description('derives no wallet below an index from now on, after a restore; it is only ever raised')
    .argument('<index>', 'of the next wallet: above all that were derived', indexArgument)
    .requiredOption('--reason <text>', 'why: kept in the audit log', reasonArgument)
    .option('--json', 'print { "nextIndex" }')
    .action((index: number, { reason, json }: Given) =>
      run(async (session) => {
        const { after: evm } = await session.change(
          (tx) => skipTo(tx, 'evm', index),
          ({ before, after }) => ({
            action: 'wallet.seed.skip-to',
            before: { evm: before },
            after: { evm: after, reason },
          }),
        );
        show(console, json, { nextIndex: { evm } }, `The next wallet on EVM chains has index ${evm}.`);
      }),
    );
}
