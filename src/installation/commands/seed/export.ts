import type { Command } from 'commander';
import { EXPORT, keepCeremony, requirePermit } from '../../../chain/wallets/seed/ceremonies';
import type { ExportTerms } from '../../../chain/wallets/seed/decisions';
import { fingerprintOfSecret } from '../../../chain/wallets/seed/import';
import { show } from '../../../desk/cli/console';
import { INSTALLATION } from '../../../desk/operators/operations';
import type { Tx } from '../../../kernel/db/database';
import { conflict } from '../../../kernel/errors';
import { mnemonicOf, type SeedSecret, unpackSecret } from '../../../parties/signer/secret';
import { withEntropy } from '../../../parties/signer/seed';
import { splitIntoShares } from '../../../parties/signer/shares/split';
import { termsOf } from '../../../process/desk/stored';
import type { InstallationSession } from '../../session';
import type { CommandContext } from '../context';
import { sharePassphraseOf } from './input';
import { openTarget, type Page } from './pages';

interface Options {
  approval: string;
  to?: string;
  sharePassphrase?: string;
  json?: boolean;
}

/** What an export tells on the output. The pages hold the secret. */
interface Exported {
  fingerprint: string;
  form: 'shares' | 'mnemonic';
  shares: number | null;
  threshold: number | null;
  /** The mnemonic has a passphrase (BIP-39), which no page holds. */
  hasPassphrase: boolean;
}

export function addExportCommand(group: Command, { console, run }: CommandContext): void {
  group
    .command('export')
    .description(
      'gives people the seed that two operators have approved to export: shares (SLIP-39), or the mnemonic',
    )
    .requiredOption(
      '--approval <id>',
      'of "operator -- wallet-seed permit-export", approved by another operator',
    )
    .option(
      '--to <folder>',
      'a new folder; each share becomes a file that its owner alone reads. Default: the terminal',
    )
    .option('--share-passphrase <file>', 'file with a passphrase that the shares need (SLIP-39)')
    .option('--json', 'print { "fingerprint", "form", "shares", "threshold", "hasPassphrase", "files" }')
    .action(({ approval, to, json, ...given }: Options) =>
      run(async (session) => {
        const passphrase = await sharePassphraseOf(console, given);
        const target = await openTarget(console, to);
        const { pages, exported } = await exportSeed(session, approval, passphrase);
        const files = await target.write(pages);
        show(console, json, { ...exported, files }, textOf(exported, files));
      }),
    );
}

/** Makes the pages in the transaction that uses the approval up. Nobody sees them before it has committed. */
async function exportSeed(session: InstallationSession, id: string, passphrase: string) {
  const signerKeys = await session.signerKeys();
  async function work(tx: Tx): Promise<{ pages: Page[]; exported: Exported }> {
    const permit = await requirePermit(tx, session.keyring, { id, kind: EXPORT, actor: session.knownActor });
    const terms = termsOf(permit.terms).input as ExportTerms;
    return withEntropy(tx, signerKeys, async (packed) => {
      const secret = unpackSecret(packed);
      const { fingerprint } = await fingerprintOfSecret(secret);
      if (permit.restsOn?.['fingerprint'] !== fingerprint)
        throw conflict(
          'version_conflict',
          'The installation has another seed than the one that was approved.',
        );
      const { form, shares = null, threshold = null } = terms;
      const exported = { fingerprint, form, shares, threshold, hasPassphrase: secret.passphrase !== '' };
      const pages = await pagesOf(secret, exported, passphrase);
      const ceremony = { fingerprint, form, shares, threshold, atWork: permit.actor };
      await keepCeremony(tx, { approvalId: id, action: 'export', ...ceremony });
      return { pages, exported };
    });
  }
  return session.change(session.knownActor ?? INSTALLATION, work, ({ exported }) => ({
    action: 'wallet.seed.export',
    subject: id,
    after: exported,
  }));
}

async function pagesOf(
  { entropy }: SeedSecret,
  { fingerprint, form, shares, threshold }: Exported,
  passphrase: string,
): Promise<Page[]> {
  if (form === 'mnemonic' || shares === null || threshold === null) {
    const head = `# The mnemonic (BIP-39) of the seed ${fingerprint}. Whoever reads it has all wallets.`;
    return [{ file: 'mnemonic.txt', text: `${head}\n${mnemonicOf(entropy)}` }];
  }
  const made = await splitIntoShares(entropy, { shares, threshold, passphrase });
  return made.map((words, place) => ({
    file: `share-${place + 1}.txt`,
    text:
      `# Share ${place + 1} of ${shares} (SLIP-39) of the seed ${fingerprint}. Any ${threshold} open it` +
      `${passphrase === '' ? '' : ', with the passphrase of the shares'}.\n${words}`,
  }));
}

function textOf({ fingerprint, form, shares, threshold, hasPassphrase }: Exported, files: string[]): string {
  const made =
    form === 'mnemonic' ? 'The mnemonic' : `${shares} shares, of which any ${threshold} open the seed`;
  return [
    `The seed is ${fingerprint}. Write this fingerprint into the minutes.`,
    ...(files.length > 0 ? [`${made}:`, ...files] : [`${made}: shown.`]),
    ...(hasPassphrase
      ? ['The seed has a passphrase (BIP-39), which is in none of them: keep it apart.']
      : []),
    'Prove each share before the holders leave: npm run installation -- seed verify --shares FILES',
  ].join('\n');
}
