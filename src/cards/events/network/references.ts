import { type Decimal, ZERO } from '../../../kernel/money/money';

/** What names a network's transaction. Its messages in another currency are of another chain. */
export interface NetworkKey {
  cardId: string;
  /** The network's. */
  reference: string;
  currency: string;
}

/**
 * The chain of a network's transaction, and what came before the authorization that it was about: that one must not hold the
 * same money again. Lateness goes by the times at which messages were sent. Amounts are in `currency`.
 */
export interface NetworkReference extends NetworkKey {
  /** The chain's authorization; null where nothing was held yet. */
  authorizationId: string | null;
  /** Cleared without having been authorized, and when the last of it was sent. */
  settledAhead: Decimal;
  settledAheadAt: Date | null;
  /** Reversed without having been held. */
  reversedAhead: Decimal;
  reversedAheadAt: Date | null;
  /** Released by ourselves, of declines that nobody had judged in time. The network may yet reverse it, which releases nothing then. */
  releasedUnanswered: Decimal;
  /** When the last final clearing was sent. */
  finalAt: Date | null;
}

/** Those that the messages on a board are of. */
export interface NetworkReferences {
  /** What is known of it; a new one where nothing is. It is changed in place, and kept by {@link NetworkReferences.keep}. */
  of(key: NetworkKey): NetworkReference;
  keep(reference: NetworkReference): void;
  /** What is to be written. */
  changed(): NetworkReference[];
}

export function createNetworkReferences(known: NetworkReference[]): NetworkReferences {
  const all = new Map(known.map((each) => [nameOf(each), each]));
  const kept = new Set<NetworkReference>();
  return {
    of(key) {
      const name = nameOf(key);
      const found = all.get(name) ?? unknown(key);
      all.set(name, found);
      return found;
    },
    keep: (reference) => void kept.add(reference),
    changed: () => [...kept],
  };
}

const nameOf = ({ cardId, currency, reference }: NetworkKey) => `${cardId} ${currency} ${reference}`;

const unknown = ({ cardId, reference, currency }: NetworkKey): NetworkReference => ({
  ...{ cardId, reference, currency, authorizationId: null, finalAt: null, releasedUnanswered: ZERO },
  ...{ settledAhead: ZERO, settledAheadAt: null, reversedAhead: ZERO, reversedAheadAt: null },
});
