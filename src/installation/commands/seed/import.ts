import type { Command } from 'commander';
import { IMPORT, keepCeremony, requirePermit } from '../../../chain/wallets/seed/ceremonies';
import type { ImportTerms } from '../../../chain/wallets/seed/decisions';
import { fingerprintOfSecret, takeSeed } from '../../../chain/wallets/seed/import';
import { seedStatus } from '../../../chain/wallets/seed/seed';
import { show } from '../../../desk/cli/console';
import { INSTALLATION } from '../../../desk/operators/operations';
import type { Tx } from '../../../kernel/db/database';
import { conflict } from '../../../kernel/errors';
import { termsOf } from '../../../process/desk/stored';
import type { InstallationSession } from '../../session';
import type { CommandContext } from '../context';
import { type Brought, readSecret, type SecretFiles, withSecretFiles } from './input';

interface Options extends SecretFiles {
  approval: string;
  json?: boolean;
}

export function addImportCommand(group: Command, { console, run }: CommandContext): void {
  withSecretFiles(group.command('import'))
    .description(
      'takes the seed that two operators have approved to import, into an empty installation or one with wallets of the same seed',
    )
    .requiredOption(
      '--approval <id>',
      'of "operator -- wallet-seed permit-import", approved by another operator',
    )
    .option('--json', 'print { "fingerprint", "isRestored", "firstAddress" }')
    .action(({ approval, json, ...files }: Options) =>
      run(async (session) => {
        const brought = await readSecret(console, files);
        const { fingerprint, isRestored } = await importSecret(session, approval, brought);
        brought.secret.entropy.fill(0);
        const { firstAddresses } = await seedStatus(session.database, session.keyring);
        const firstAddress = firstAddresses?.evm;
        const next = isRestored
          ? 'Its wallets exist, and their keys are back. Start the signing process.'
          : 'Next: npm run installation -- seed recover, which looks for the money of its addresses.';
        const text = `The seed is ${fingerprint}: the first address on EVM chains is ${firstAddress}.\n${next}`;
        show(console, json, { fingerprint, isRestored, firstAddress }, text);
      }),
    );
}

async function importSecret(session: InstallationSession, id: string, brought: Brought) {
  const { keyring } = session;
  const keys = { keyring, signerKeys: await session.signerKeys() };
  const { fingerprint: given } = await fingerprintOfSecret(brought.secret);
  async function work(tx: Tx) {
    const permit = await requirePermit(tx, keyring, { id, kind: IMPORT, actor: session.knownActor });
    const { fingerprint } = termsOf(permit.terms).input as ImportTerms;
    if (given !== fingerprint)
      throw conflict(
        'invalid_transition',
        `This is the seed ${given}, and ${fingerprint} was approved. A passphrase may be wrong or missing.`,
        brought.form,
      );
    const taken = await takeSeed(keys, tx, brought.secret);
    const { form, shares, threshold } = brought;
    const ceremony = { fingerprint, form, shares, threshold, atWork: permit.actor };
    await keepCeremony(tx, { approvalId: id, action: 'import', ...ceremony });
    return taken;
  }
  return session.change(session.knownActor ?? INSTALLATION, work, (taken) => ({
    action: 'wallet.seed.import',
    subject: id,
    after: { ...taken, form: brought.form, shares: brought.shares },
  }));
}
