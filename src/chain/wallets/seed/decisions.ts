import { z } from 'zod';
import { conflict, invalid } from '../../../kernel/errors';
import type { Keyring } from '../../../kernel/security/keyring';
import { FINGERPRINT } from '../../../parties/signer/fingerprint';
import { assertSplit, FEWEST_SHARES, MAX_SHARES } from '../../../parties/signer/shares/split';
import { type Decision, decision, installation, type SubjectSpec } from '../../../process/desk/decision';
import { hasWallets } from '../store';
import { EXPORT, IMPORT } from './ceremonies';
import { presentFingerprint } from './import';

/** What an approved export makes. */
export interface ExportTerms {
  form: 'shares' | 'mnemonic';
  shares?: number | undefined;
  threshold?: number | undefined;
}

export interface ImportTerms {
  /** The seed that people may bring, by `seed verify`. */
  fingerprint: string;
}

interface Present {
  /** Of the seed. Null: there is none. */
  fingerprint: string | null;
  inUse: boolean;
}

/** Why the command alone shows or takes a secret: none may pass through a request, a workflow or the database. */
const NEXT = 'npm run installation -- seed';

/** The decisions of a key ceremony. Each only permits a command of the installation, once and for 24 hours. */
export function seedDecisions(keyring: Keyring): Decision[] {
  const present: SubjectSpec<Present> = {
    ...installation,
    read: async (sql) => ({
      fingerprint: (await presentFingerprint(sql, keyring)) ?? null,
      inUse: await hasWallets(sql),
    }),
    lock: async (tx) => ({
      fingerprint: (await presentFingerprint(tx, keyring)) ?? null,
      inUse: await hasWallets(tx),
    }),
  };
  const restsOn = ({ fingerprint }: Present) => ({ fingerprint });
  return [
    decision<Present, ExportTerms>({
      name: EXPORT,
      title: 'permits one export of the seed, as shares or as a mnemonic, by one of the two who decide',
      permission: 'chain',
      subject: present,
      takesTwo: 'always',
      input: z.strictObject({
        form: z
          .enum(['shares', 'mnemonic'])
          .meta({ description: 'Shares by SLIP-39, or the words of BIP-39.' }),
        shares: z
          .int()
          .min(FEWEST_SHARES)
          .max(MAX_SHARES)
          .optional()
          .meta({ description: 'How many shares.' }),
        threshold: z
          .int()
          .min(FEWEST_SHARES)
          .max(MAX_SHARES)
          .optional()
          .meta({ description: 'How many of them open the seed.' }),
      }),
      restsOn,
      async preview(_, { subject, input }) {
        assertExport(subject, input);
        return [{ field: 'export', from: subject.fingerprint, to: formText(input) }];
      },
      async execute(_, { subject, input }) {
        assertExport(subject, input);
        const { fingerprint } = subject;
        return { after: { fingerprint, ...input }, result: { fingerprint, next: `${NEXT} export` } };
      },
    }),
    decision<Present, ImportTerms>({
      name: IMPORT,
      title: 'permits one import of the seed with that fingerprint, by one of the two who decide',
      permission: 'chain',
      subject: present,
      takesTwo: 'always',
      input: z.strictObject({
        fingerprint: z
          .string()
          .regex(FINGERPRINT)
          .meta({ description: 'Of the seed, as `seed verify` shows it: 0123-4567-89ab-cdef-0123.' }),
      }),
      restsOn,
      preview: async (_, { subject, input }) => {
        assertImport(subject, input);
        return [{ field: 'seed', from: subject.fingerprint, to: input.fingerprint }];
      },
      async execute(_, { subject, input: { fingerprint } }) {
        assertImport(subject, { fingerprint });
        const { fingerprint: before } = subject;
        return {
          before: { fingerprint: before },
          after: { fingerprint },
          result: { fingerprint, next: `${NEXT} import` },
        };
      },
    }),
  ];
}

function assertExport({ fingerprint }: Present, { form, shares, threshold }: ExportTerms): void {
  if (fingerprint === null)
    throw conflict('invalid_transition', 'There is no seed yet: start the signing process.');
  if (form === 'shares') {
    if (shares === undefined) throw invalid('shares is required.', 'shares');
    if (threshold === undefined) throw invalid('threshold is required.', 'threshold');
    assertSplit({ shares, threshold });
  } else if (shares !== undefined || threshold !== undefined)
    throw invalid('shares and threshold belong to the form `shares`.', 'form');
}

function assertImport({ fingerprint, inUse }: Present, wanted: ImportTerms): void {
  if (inUse && fingerprint !== null && fingerprint !== wanted.fingerprint)
    throw conflict(
      'invalid_transition',
      'Wallets are derived from another seed, so this one cannot be taken.',
    );
}

const formText = ({ form, shares, threshold }: ExportTerms): string =>
  form === 'mnemonic' ? 'the mnemonic' : `${shares} shares, of which ${threshold} open the seed`;
