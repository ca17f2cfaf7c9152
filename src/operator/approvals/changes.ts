import {
  executeGasChange,
  GAS_CONFIG_CHANGE,
  gasConfigChange,
} from '../../chain/gas-station/config/two-people';
import { gasConfigView } from '../../chain/gas-station/config/view';
import { saveNetwork } from '../../chain/networks/operations';
import { NETWORK_CHANGE, networkChange, termsAsked } from '../../chain/networks/two-people';
import { judgedAgain } from '../../chain/networks/update';
import { networkView } from '../../chain/networks/view';
import { followingAtOnce } from '../../watch/chains/process';
import { change, type Executed } from './kind';

const gasConfig = change({
  terms: gasConfigChange,
  async execute(session, tx, terms, { reason }) {
    const { network, before, after } = await executeGasChange(tx, terms, session.now());
    const view = gasConfigView(after, network);
    const entry = {
      action: 'gas-station.config',
      subject: network.chain,
      tenantId: null,
      before: gasConfigView(before, network),
      after: { ...view, reason },
    };
    return { entry, result: view };
  },
});

/** The nodes are asked again, because their answers may have changed. */
const networkConfig = change({
  terms: networkChange,
  async prove(session, asked) {
    return judgedAgain(session, asked.chain, termsAsked(session, asked));
  },
  async execute(session, tx, { chain, version, ...asked }, { reason }, head) {
    const terms = termsAsked(session, { chain, version, ...asked });
    const following = followingAtOnce(session);
    const { before, after } = await saveNetwork(session, tx, chain, terms, version, following);
    if (head) await following.begin(tx, chain, head, session.now());
    const view = networkView({ network: after, rpcUrls: terms.rpcUrls });
    const entry = {
      action: 'networks.update',
      subject: chain,
      tenantId: null,
      before: before && networkView(before),
      after: { ...view, reason },
    };
    return { entry, result: view };
  },
});

/** Changes of configurations that need two people. Stored approvals refer to these names. */
export const CHANGE_KINDS = {
  [GAS_CONFIG_CHANGE]: gasConfig,
  [NETWORK_CHANGE]: networkConfig,
} as const satisfies Record<string, Executed>;
