import { type Decimal, ZERO } from '../../../kernel/money/money';

/** Identifies a network's transaction. A message in another currency belongs to another chain. */
export interface NetworkKey {
  cardId: string;
  /** The reference that the network gives its transaction. */
  reference: string;
  currency: string;
}

/**
 * The chain of a network's transaction, and the amounts whose messages came before their authorization. A late
 * authorization must not hold these amounts again. The network's send times decide which authorization is late. Amounts
 * are in `currency`.
 */
export interface NetworkReference extends NetworkKey {
  /** The chain's authorization; null when nothing was held yet. */
  authorizationId: string | null;
  /** The amount that was cleared without an authorization, and when the last such clearing was sent. */
  settledAhead: Decimal;
  settledAheadAt: Date | null;
  /** The amount that was reversed without a hold, and when the last such reversal was sent. */
  reversedAhead: Decimal;
  reversedAheadAt: Date | null;
  /** The amount that we released after unanswered declines. A later reversal by the network then releases nothing. */
  releasedUnanswered: Decimal;
  /** When the last final clearing was sent. */
  finalAt: Date | null;
}

/** References of the messages on a board. */
export interface NetworkReferences {
  /**
   * Finds a reference or creates an empty one. Rules change it in place and register it by {@link
   * NetworkReferences.keep}.
   */
  of(key: NetworkKey): NetworkReference;
  keep(reference: NetworkReference): void;
  /** The references that must be written. */
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
  cardId,
  reference,
  currency,
  authorizationId: null,
  finalAt: null,
  releasedUnanswered: ZERO,
  settledAhead: ZERO,
  settledAheadAt: null,
  reversedAhead: ZERO,
  reversedAheadAt: null,
});
