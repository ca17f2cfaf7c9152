import type { Party } from '../kernel/parties';
import type { ChainParty } from './chain/port';
import type { PARTY_DEFINITIONS } from './definitions';
import type { Documents } from './documents/port';
import type { Mailer } from './mail/port';
import type { Signer } from './signer/port';
import type { Witness } from './witness/port';

type Definitions = typeof PARTY_DEFINITIONS;

/** The parties that speak our protocol, each behind its port. */
type DefinedParties = { [P in Party]: ReturnType<Definitions[P]['without']> };

/** The outside parties, each behind its port. */
export interface Parties extends DefinedParties {
  documents: Documents;
  /** Delivers mail to cardholders and operators. */
  mail: Mailer;
  /** The chains, each by the nodes of its network. */
  chain: ChainParty;
  /** Holds the keys of our wallets. */
  signer: Signer;
  /** Is told the head of the audit chain. */
  witness: Witness;
}
