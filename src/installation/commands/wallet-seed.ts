import type { Command } from 'commander';
import { importSeed, seedStatus } from '../../chain/wallets/seed/seed';
import { show } from '../../desk/cli/console';
import { INSTALLATION } from '../../desk/operators/operations';
import { conflict } from '../../kernel/errors';
import { sealSeedAnew } from '../../parties/signer/seed';
import type { CommandContext } from './context';

/**
 * Shortcuts with SIGNER_KEYS: one person gives a sandbox a known seed, and seals the seed anew. A live installation takes a
 * seed by a key ceremony (`seed import`).
 */
export function addWalletSeedCommands(program: Command, { console, run }: CommandContext): void {
  const group = program
    .command('wallet-seed')
    .description('what the keys of all wallets are derived from (BIP-39, BIP-44), sealed by SIGNER_KEYS');
  group
    .command('import')
    .description(
      'in a sandbox: takes the mnemonic on the standard input (12 to 24 English words, no passphrase), before the first wallet',
    )
    .option('--json', 'print { "exists", "createdAt", "firstAddresses", "inUse", "nextIndex" }')
    .action(({ json }: { json?: boolean }) =>
      run(async (session) => {
        if (!session.sandbox)
          throw conflict('invalid_transition', 'In live two people import a seed: "seed import".');
        const mnemonic = (await console.read?.()) ?? '';
        const keys = { keyring: session.keyring, signerKeys: await session.signerKeys() };
        await session.change(
          session.knownActor ?? INSTALLATION,
          (tx) => importSeed(keys, tx, mnemonic),
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
  group
    .command('rotate')
    .description('seals the seed under the first of SIGNER_KEYS, while the product runs')
    .option('--json', 'print { "before", "after" }')
    .action(({ json }: { json?: boolean }) =>
      run(async (session) => {
        const signerKeys = await session.signerKeys();
        const told = await session.change(
          session.knownActor ?? INSTALLATION,
          (tx) => sealSeedAnew(tx, signerKeys),
          (after) => ({ action: 'wallet.seed.rotate', subject: '', after }),
        );
        show(console, json, told, `"${told.after}" now seals the seed. "${told.before}" did before.`);
      }),
    );
}
