import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import type { Console } from '../../../desk/cli/console';
import { invalid } from '../../../kernel/errors';
import { entropyOf, requirePassphrase, type SeedSecret } from '../../../parties/signer/secret';
import { combineShares } from '../../../parties/signer/shares/combine';
import type { GivenShare } from '../../../parties/signer/shares/read';
import { assertSharePassphrase } from '../../../parties/signer/shares/split';

/** Options that name files, because arguments stand in the list of processes and in the shell's history. */
export interface SecretFiles {
  shares?: string[];
  mnemonic?: string;
  passphrase?: string;
  sharePassphrase?: string;
}

/** Adds the options that say where the secret is read. */
export const withSecretFiles = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--shares <files...>',
        'files with shares, one a line; - reads the standard input',
      ).conflicts('mnemonic'),
    )
    .option('--mnemonic <file>', 'file with 12 to 24 English words (BIP-39); - reads the standard input')
    .option('--passphrase <file>', "file with the mnemonic's passphrase (BIP-39), if the seed has one")
    .option(
      '--share-passphrase <file>',
      'file with the passphrase of the shares (SLIP-39), if they have one',
    );

/** A secret that people brought. */
export interface Brought {
  secret: SeedSecret;
  form: 'shares' | 'mnemonic';
  /** How many shares were tried, and how many open the seed. Null: a mnemonic. */
  shares: number | null;
  threshold: number | null;
}

/** @throws Problem 400 that names the file and the line at fault, and repeats no word of it */
export async function readSecret(console: Console, files: SecretFiles): Promise<Brought> {
  const passphrase =
    files.passphrase === undefined
      ? ''
      : requirePassphrase(lineOf(await read(console, files.passphrase, 'passphrase')));
  if (files.mnemonic !== undefined) {
    const words = linesOf(await read(console, files.mnemonic, 'mnemonic')).join(' ');
    return {
      secret: { entropy: entropyOf(words), passphrase },
      form: 'mnemonic',
      shares: null,
      threshold: null,
    };
  }
  const given = await sharesOf(console, files.shares ?? ['-']);
  const { entropy, threshold } = await combineShares(given, await sharePassphraseOf(console, files));
  if (![16, 20, 24, 28, 32].includes(entropy.length))
    throw invalid(
      'These shares open a secret that is no mnemonic (BIP-39): they are of another product.',
      'shares',
    );
  return { secret: { entropy, passphrase }, form: 'shares', shares: given.length, threshold };
}

/** The passphrase of shares. Empty: none is given. @throws Problem 400 naming `sharePassphrase` */
export async function sharePassphraseOf(
  console: Console,
  { sharePassphrase: file }: Pick<SecretFiles, 'sharePassphrase'>,
): Promise<string> {
  if (file === undefined) return '';
  const given = requirePassphrase(lineOf(await read(console, file, 'sharePassphrase')));
  assertSharePassphrase(given);
  return given;
}

async function sharesOf(console: Console, files: readonly string[]): Promise<GivenShare[]> {
  const shares: GivenShare[] = [];
  for (const file of files) {
    const lines = linesOf(await read(console, file, 'shares'));
    const name = file === '-' ? 'standard input' : basename(file);
    if (lines.length === 0) throw invalid(`${name}: holds no share.`, 'shares');
    for (const [place, words] of lines.entries())
      shares.push({ name: lines.length === 1 ? name : `${name}, share ${place + 1}`, words });
  }
  return shares;
}

async function read(console: Console, file: string, field: string): Promise<string> {
  if (file === '-') return (await console.read?.()) ?? '';
  return readFile(file, 'utf8').catch(() => {
    throw invalid(`${file}: cannot be read.`, field);
  });
}

/** Lines that are neither empty nor a comment. */
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

/** The first line as it is, because spaces belong to a passphrase. */
const lineOf = (text: string): string => text.split(/\r?\n/)[0] ?? '';
