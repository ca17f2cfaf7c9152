import { PartyAway, PartyRefused } from '../../process/party-errors';

/** No node of the chain answers, or what they answer cannot be read: nothing is known, and nothing was done. */
export class ChainAway extends PartyAway {
  override name = 'ChainAway';
  constructor(readonly chain: string) {
    super('the chain cannot be reached');
  }
}

/** Some nodes answer, and not most of all: what must be known by the word of most is not known. */
export class NodesDisagree extends ChainAway {
  override name = 'NodesDisagree';
}

/** A node says that it will never do it: a transaction that would be reverted, a nonce that was used. */
export class ChainRefused extends PartyRefused {
  override name = 'ChainRefused';
}
