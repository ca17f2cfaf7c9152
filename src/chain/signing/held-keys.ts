import type { Logger } from 'pino';
import type { Database } from '../../kernel/db/database';
import { type HeldKey, HeldKeyFault } from '../../parties/signer/held/key';
import { publishHeldKey } from '../../parties/signer/held/published';
import { closeBreaksOf, openBreakAgain } from '../../process/breaks/operations';

/** Kinds of breaks: the provider does not answer or denies the key; its answer is another key's or cannot be read. */
const AWAY = 'signing_key_away';
const WRONG = 'signing_key_wrong';

const subjectOf = ({ address }: Pick<HeldKey, 'address'>): string => `address:${address}`;

/** Shows a held key that has given no usable signature. The request waits, and is tried again. */
export async function showFault(database: Database, log: Logger, fault: HeldKeyFault): Promise<void> {
  log.warn({ address: fault.address, kind: fault.kind, reason: fault.reason }, 'a held key has not signed');
  // The reason may name a request of the provider, so that the detail is the kind alone.
  await openBreakAgain(database, {
    tenantId: null,
    kind: fault.kind === 'wrong' ? WRONG : AWAY,
    subject: subjectOf(fault),
    detail: fault.kind,
  });
}

/** Closes the break of a key that signs again. The break of a wrong answer stays for a person. */
export const closeAway = (database: Database, key: Pick<HeldKey, 'address'>, at: Date): Promise<void> =>
  closeBreaksOf(database, { subject: subjectOf(key), kinds: [AWAY], at });

/**
 * Makes a check that asks each key for its address, and tells other processes the right addresses. A key that was right
 * once is not asked again.
 */
export function heldKeyCheck(
  { database, log, now }: { database: Database; log: Logger; now: () => Date },
  keys: readonly HeldKey[],
): () => Promise<void> {
  const proven = new Set<string>();
  async function checkOne(key: HeldKey): Promise<void> {
    try {
      const told = await key.told();
      if (told !== key.address) throw new HeldKeyFault(key.address, 'wrong', `it is the key of ${told}.`);
      await publishHeldKey(database, key);
      await closeAway(database, key, now());
      proven.add(key.address);
    } catch (error) {
      if (!(error instanceof HeldKeyFault)) throw error;
      await showFault(database, log, error);
    }
  }
  return async () => {
    await Promise.all(keys.filter(({ address }) => !proven.has(address)).map(checkOne));
  };
}
