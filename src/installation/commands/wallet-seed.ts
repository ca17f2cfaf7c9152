import type { Command } from 'commander';
import { importSeed, seedStatus } from '../../chain/wallets/seed/seed';
import { show } from '../../desk/cli/console';
import { INSTALLATION } from '../../desk/operators/operations';
import type { CommandContext } from './context';

/**
 * The import of the wallets' seed, before the product runs. The mnemonic is read from the standard input, and passes
 * through no request. All else about the seed is the desk's.
 */
export function addWalletSeedCommands(program: Command, { console, run }: CommandContext): void {
  program
    .command('wallet-seed')
    .description('what the keys of all wallets are derived from (BIP-39, BIP-44)')
    .command('import')
    .description(
      'takes the mnemonic on the standard input (12 to 24 English words, no passphrase); refused once wallets exist',
    )
    .option('--json', 'print { "exists", "createdAt", "firstAddresses", "inUse", "nextIndex" }')
    .action(({ json }: { json?: boolean }) =>
      run(async (session) => {
        const mnemonic = (await console.read?.()) ?? '';
        await session.change(
          session.knownActor ?? INSTALLATION,
          (tx) => importSeed(session.keyring, tx, mnemonic),
          ({ createdAt }) => ({
            action: 'wallet.seed.import',
            subject: '',
            after: { createdAt: createdAt.toISOString() },
          }),
        );
        const found = await seedStatus(session.database, session.keyring);
        const first = found.firstAddresses?.evm;
        show(console, json, found, `Wallets are derived from it: the first on EVM chains is ${first}.`);
      }),
    );
}
