import { randomUUID } from 'node:crypto';
import { type Command, InvalidArgumentError } from 'commander';
import { type Comparison, compareSeed } from '../../../chain/wallets/seed/compare';
import { fingerprintOfSecret } from '../../../chain/wallets/seed/import';
import { show } from '../../../desk/cli/console';
import { INSTALLATION } from '../../../desk/operators/operations';
import { audit } from '../../../kernel/audit/audit';
import { createDatabase } from '../../../kernel/db/database';
import type { PublicKeys } from '../../../parties/signer/derivation';
import { FINGERPRINT } from '../../../parties/signer/fingerprint';
import { addressAt } from '../../../parties/signer/local';
import type { SeedContext } from './context';
import { type Brought, readSecret, type SecretFiles, withSecretFiles } from './input';

interface Options extends SecretFiles {
  fingerprint?: string;
  offline?: boolean;
  json?: boolean;
}

const SHOWN_ADDRESSES = 5;

/** What a proof tells. It holds no secret. */
interface Verified extends Pick<Brought, 'form' | 'shares' | 'threshold'> {
  fingerprint: string;
  firstAddresses: string[];
  /** By the fingerprint of the minutes. Null: none was given. */
  isAsWritten: boolean | null;
  /** Null: the database was not asked, or cannot be reached. */
  database: Comparison | null;
  /** Null: there was nothing to compare with. */
  isSame: boolean | null;
}

export function addVerifyCommand(group: Command, context: SeedContext): void {
  const { console, exit } = context;
  withSecretFiles(group.command('verify'))
    .description(
      "says whether shares or a mnemonic open the installation's seed. Needs no key, writes the audit log only, and ends with 1 where they do not",
    )
    .option('--fingerprint <text>', 'of the minutes of the ceremony, to compare with', fingerprintArgument)
    .option('--offline', 'ask no database, on a machine without a network')
    .option('--json', 'print { "fingerprint", "firstAddresses", "isAsWritten", "database", "isSame", … }')
    .action(async ({ fingerprint: written, offline = false, json, ...files }: Options) => {
      const brought = await readSecret(console, files);
      const { publicKeys, fingerprint } = await fingerprintOfSecret(brought.secret);
      brought.secret.entropy.fill(0);
      const compared = offline ? null : await comparedWith(context, publicKeys, { fingerprint, brought });
      const isAsWritten = written === undefined ? null : written === fingerprint;
      const verdicts = [isAsWritten, compared?.isSame ?? null].filter((verdict) => verdict !== null);
      const { form, shares, threshold } = brought;
      const verified = {
        form,
        shares,
        threshold,
        fingerprint,
        isAsWritten,
        firstAddresses: Array.from({ length: SHOWN_ADDRESSES }, (_, index) =>
          addressAt({ publicKeys }, 'evm', index),
        ),
        database: compared,
        isSame: verdicts.length === 0 ? null : verdicts.every(Boolean),
      };
      show(console, json, verified, textOf(verified, offline));
      exit(verified.isSame === true ? 0 : 1);
    });
}

function fingerprintArgument(given: string): string {
  const text = given.trim().toLowerCase();
  if (!FINGERPRINT.test(text)) throw new InvalidArgumentError('As 0123-4567-89ab-cdef-0123.');
  return text;
}

/** @returns null where no database can be reached. The audit log names the installation, because no key tells who asks */
async function comparedWith(
  { console, address }: SeedContext,
  publicKeys: PublicKeys,
  { fingerprint, brought: { form, shares } }: { fingerprint: string; brought: Brought },
): Promise<Comparison | null> {
  try {
    const database = createDatabase({ url: await address(), poolSize: 1, name: 'cardwright installation' });
    try {
      return await database.transaction(async (tx) => {
        const compared = await compareSeed(tx, publicKeys);
        await audit(tx, {
          caller: { tenantId: INSTALLATION, role: 'admin' },
          requestId: randomUUID(),
          tenantId: null,
          action: 'wallet.seed.verify',
          subject: '',
          after: { fingerprint, form, shares, isSame: compared.isSame },
        });
        return compared;
      });
    } finally {
      await database.close();
    }
  } catch (error) {
    console.err(
      `The database was not asked: ${error instanceof Error ? error.message : String(error)} (--offline asks none)`,
    );
    return null;
  }
}

function textOf(verified: Verified, offline: boolean): string {
  const { form, shares, threshold, fingerprint, firstAddresses, isAsWritten, database, isSame } = verified;
  const what = form === 'mnemonic' ? 'The mnemonic' : `${shares} shares, of which any ${threshold} open it,`;
  const lines = [`${what}: the seed is ${fingerprint}.`, 'First addresses on EVM chains:', ...firstAddresses];
  if (isAsWritten !== null)
    lines.push(
      isAsWritten ? 'It is the fingerprint of the minutes.' : 'It is NOT the fingerprint of the minutes.',
    );
  if (database && database.isSame !== null) lines.push(databaseText(database, fingerprint));
  if (isSame === null)
    lines.push(
      offline || !database
        ? 'Nothing to compare with: give --fingerprint of the minutes.'
        : 'The installation has neither wallets nor a ceremony to compare with: give --fingerprint of the minutes.',
    );
  return lines.join('\n');
}

function databaseText({ isSame, wallets, wrong, ceremony }: Comparison, fingerprint: string): string {
  if (isSame) return `It is the seed of the installation: ${wallets} of its wallets were compared.`;
  if (wrong.length > 0)
    return `It is NOT the seed of the installation: the wallets ${wrong.join(', ')} have other addresses.`;
  return `It is NOT the seed of the last ceremony: that was ${ceremony}, and this is ${fingerprint}.`;
}
