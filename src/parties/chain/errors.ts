import { PartyAway, PartyRefused } from '../../process/party-errors';

/** No node of the chain gives a readable answer. Nothing is known, and nothing was done. */
export class ChainAway extends PartyAway {
  override name = 'ChainAway';
  constructor(readonly chain: string) {
    super('the chain cannot be reached');
  }
}

/** Too few nodes answer for a majority, so the value that needs one is unknown. */
export class NodesDisagree extends ChainAway {
  override name = 'NodesDisagree';
}

/** A node refuses for good, for example because the transaction would revert or its nonce is used. */
export class ChainRefused extends PartyRefused {
  override name = 'ChainRefused';
}
