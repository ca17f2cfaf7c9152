import { type Allocation, type Wallet, type WalletStatus, walletStatusAfter } from './record';

/** Shortest and longest time of an allocation: one minute, which a payer needs, to ninety days. Seconds. */
export const TTL_SECONDS = { min: 60, max: 90 * 86_400 };

/** The highest index that may be skipped to. BIP-32 ends at 2^31, so half of all indexes stay for wallets. */
export const HIGHEST_FLOOR = 1_000_000_000;

const SECOND_MS = 1_000;

export const laterBy = (at: Date, seconds: number): Date => new Date(at.getTime() + seconds * SECOND_MS);

/** The requested time of an allocation in seconds. Undefined: until released. */
export const ttlOf = ({ startedAt, expiresAt }: Pick<Allocation, 'startedAt' | 'expiresAt'>) =>
  expiresAt === null ? undefined : (expiresAt.getTime() - startedAt.getTime()) / SECOND_MS;

/** Whether an allocation holds its wallet at a time. Its expiry counts, not the moment its process ended it. */
export const holdsAt = (
  { endedAt, expiresAt }: Pick<Allocation, 'endedAt' | 'expiresAt'>,
  at: Date,
): boolean => endedAt === null && (expiresAt === null || expiresAt > at);

/** The wallet as of a time: a quarantined wallet whose cooldown is over is available, even before that is stored. */
export const restedBy = <Of extends Pick<Wallet, 'status' | 'quarantinedUntil'>>(wallet: Of, at: Date): Of =>
  wallet.status === 'quarantined' && wallet.quarantinedUntil !== null && wallet.quarantinedUntil <= at
    ? { ...wallet, status: walletStatusAfter(wallet.status, 'return'), quarantinedUntil: null }
    : wallet;

/** How an allocation ended. */
export const endOf = ({ endedAt, expiresAt }: Pick<Allocation, 'endedAt' | 'expiresAt'>) =>
  expiresAt !== null && endedAt !== null && endedAt >= expiresAt ? 'expired' : 'released';

/**
 * The wallet's status that the client of an allocation sees. After the allocation's end the status follows from that
 * end alone, so the client does not learn who has the wallet next.
 */
export function statusForClient(
  allocation: Pick<Allocation, 'endedAt' | 'expiresAt' | 'updatedAt'>,
  { status }: Pick<Wallet, 'status'>,
  { at, quarantineSeconds }: { at: Date; quarantineSeconds: number },
): WalletStatus {
  if (status === 'disabled') return 'disabled';
  if (holdsAt(allocation, at)) return 'allocated';
  const isResting = allocation.endedAt === null || laterBy(allocation.updatedAt, quarantineSeconds) > at;
  return isResting ? 'quarantined' : 'available';
}
