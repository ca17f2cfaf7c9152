import { randomUUID } from 'node:crypto';
import { audit } from '../../kernel/audit/audit';
import type { SignerOperator } from '../../kernel/config/signer-operators';
import type { Database } from '../../kernel/db/database';
import { openBreak } from '../../process/breaks/operations';
import { type AllowList, type JudgedList, judgeList, networksOf, type SeenList } from './allow-list';
import { configuredNetworks } from './configured';
import type { AllowedNetwork } from './rules';
import { IN_FORCE, keepVerdict, newestLists, type ShownList } from './store';

/** Keeps the list that was accepted last, where no other process can write. */
export interface SeenLists {
  read(): Promise<SeenList | undefined>;
  write(seen: SeenList): Promise<void>;
}

/** Finds what may be signed now. */
export interface Allowing {
  /** Networks; or a sentence why nothing is allowed. */
  allowed(): Promise<readonly AllowedNetwork[] | string>;
}

/** The configuration of networks and gas stations, for a sandbox. It holds against nobody who can write to the database. */
export const allowedByConfiguration = (database: Database): Allowing => ({
  allowed: () => configuredNetworks(database),
});

/** How long a list is taken for the present one. */
const KEPT_MS = 1_000;

/** Asks once for the requests of a moment. */
export function keptBriefly(allowing: Allowing): Allowing {
  let known: ReturnType<Allowing['allowed']> | undefined;
  let since = 0;
  return {
    allowed() {
      if (known && performance.now() - since < KEPT_MS) return known;
      since = performance.now();
      known = allowing.allowed();
      known.catch(() => (known = undefined));
      return known;
    },
  };
}

export interface SignedListsOptions {
  database: Database;
  operators: readonly SignerOperator[];
  seen: SeenLists;
  /** Of the first wallet, as the seed gives it. */
  firstAddress: () => Promise<string>;
  /** The machine's time. */
  now: () => Date;
}

/** How long before its expiry a list is shown to people. */
const SOON_MS = 14 * 86_400_000;

/** Lists that are read at once. An operator who needs more has signed so many in vain. */
const LISTS = 20;

/** The newest list under two signatures. A list that was accepted once rules out every list before it for ever. */
export function allowedBySignedLists(options: SignedListsOptions): Allowing {
  const { database, operators, seen, now } = options;
  return {
    async allowed() {
      const before = await seen.read();
      const firstAddress = await options.firstAddress();
      const judging = { operators, firstAddress, seen: before, at: now() };
      const lists = await newestLists(database, LISTS);
      const judged = lists.map((list) => ({ list, word: judgeList(list, judging) }));
      const found = judged.find(({ word }) => 'list' in word);
      for (const { list, word } of judged)
        await keepVerdict(database, list.digest, verdictOf(list, word, found?.list));
      if (!found || !('list' in found.word)) return nothing(judged, before);
      const { digest, sequence } = found.list;
      // Written first, so that no transaction is signed under a list that a restart would forget.
      if (before?.digest !== digest) {
        await seen.write({ digest, sequence });
        await auditAccepted(database, found.list, firstAddress);
      }
      await showExpiry(database, found.word.list, now());
      return networksOf(found.word.list);
    },
  };
}

function verdictOf(list: ShownList, word: JudgedList, inForce: ShownList | undefined): string {
  if ('refused' in word) return word.refused;
  return list === inForce ? IN_FORCE : `The list ${inForce?.sequence} has replaced it.`;
}

/** Why nothing is allowed: the fault of the newest list, or that there is none. */
function nothing(judged: readonly { word: JudgedList }[], before: SeenList | undefined): string {
  const [newest] = judged;
  if (!newest) return 'There is no allow-list.';
  const why = 'refused' in newest.word ? newest.word.refused : '';
  return before
    ? `The allow-list ${before.sequence} is not in force any more. The newest one: ${why}`
    : `No allow-list is in force. The newest one: ${why}`;
}

/** Shows a list that expires soon, because nothing is signed afterwards. */
async function showExpiry(database: Database, { sequence, expiresAt }: AllowList, at: Date): Promise<void> {
  if (new Date(expiresAt).getTime() - at.getTime() > SOON_MS) return;
  const subject = `allow-list:${sequence}`;
  await openBreak(database, { tenantId: null, kind: 'allow_list_expires', subject, detail: expiresAt });
}

const auditAccepted = (
  database: Database,
  { sequence, digest, signatures }: ShownList,
  firstAddress: string,
) =>
  audit(database, {
    caller: SIGNER,
    requestId: randomUUID(),
    tenantId: null,
    action: 'allow-list.accept',
    subject: String(sequence),
    after: { digest, firstAddress, signedBy: signatures.map(({ operator }) => operator) },
  });

/** The actor of the signing process in the audit log. */
export const SIGNER = { tenantId: 'signer', role: 'admin' } as const;
