import { type Allocation, type Wallet, type WalletStatus, walletStatusAfter } from './record';

/** How long a wallet may be asked for: a minute, which a payer needs at least, to ninety days. Seconds. */
export const TTL_SECONDS = { min: 60, max: 90 * 86_400 };

/** The highest index that may be skipped to. BIP-32 ends at 2^31, so half of all indexes stay for wallets. */
export const HIGHEST_FLOOR = 1_000_000_000;

const SECOND_MS = 1_000;

export const laterBy = (at: Date, seconds: number): Date => new Date(at.getTime() + seconds * SECOND_MS);

/** How long it was asked for, in seconds; nothing: until it is released. */
export const ttlOf = ({ startedAt, expiresAt }: Pick<Allocation, 'startedAt' | 'expiresAt'>) =>
  expiresAt === null ? undefined : (expiresAt.getTime() - startedAt.getTime()) / SECOND_MS;

/** Whether it holds its wallet then: its time counts, not when the process came to end it. */
export const holdsAt = (
  { endedAt, expiresAt }: Pick<Allocation, 'endedAt' | 'expiresAt'>,
  at: Date,
): boolean => endedAt === null && (expiresAt === null || expiresAt > at);

/** As it is at that time: one that has rested is available, whenever that is noticed. */
export const restedBy = <Of extends Pick<Wallet, 'status' | 'quarantinedUntil'>>(wallet: Of, at: Date): Of =>
  wallet.status === 'quarantined' && wallet.quarantinedUntil !== null && wallet.quarantinedUntil <= at
    ? { ...wallet, status: walletStatusAfter(wallet.status, 'return'), quarantinedUntil: null }
    : wallet;

/** How an allocation has ended. */
export const endOf = ({ endedAt, expiresAt }: Pick<Allocation, 'endedAt' | 'expiresAt'>) =>
  expiresAt !== null && endedAt !== null && endedAt >= expiresAt ? 'expired' : 'released';

/**
 * The wallet's status as the client of an allocation is told it: once that is over, by its own end alone, for who has the wallet
 * after it is nobody else's matter.
 */
export function statusToldAt(
  allocation: Pick<Allocation, 'endedAt' | 'expiresAt' | 'updatedAt'>,
  { status }: Pick<Wallet, 'status'>,
  { at, quarantineSeconds }: { at: Date; quarantineSeconds: number },
): WalletStatus {
  if (status === 'disabled') return 'disabled';
  if (holdsAt(allocation, at)) return 'allocated';
  const isResting = allocation.endedAt === null || laterBy(allocation.updatedAt, quarantineSeconds) > at;
  return isResting ? 'quarantined' : 'available';
}
