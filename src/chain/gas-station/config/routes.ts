import { type Route, route } from '../../../http/route';
import { audit } from '../../../kernel/audit/audit';
import type { Services } from '../../../services';
import { requireNetwork } from '../../networks/operations';
import { assertAsShown } from '../../shown-fields';
import { GUARDED } from '../guarded';
import { requireGasConfig, saveGasTerms } from './operations';
import { gasConfigBody, gasConfigSchema, gasConfigView, givenTerms, SHOWN } from './view';

const path = '/v1/gas-station/config/{chain}';

/** The configuration of a chain's gas station (`interface.md 4.1`). */
export const gasConfigRoutes = (services: Services): Route[] => [readRoute(services), saveRoute()];

const readRoute = ({ database }: Services): Route =>
  route({
    ...{ method: 'GET', path, ...GUARDED, response: gasConfigSchema },
    summary: 'Get chain configuration',
    description:
      'Version 0 while none was ever set: then nothing happens by itself, and nothing can be swept.',
    async read({ params }) {
      const network = await requireNetwork(database, params['chain'] ?? '');
      return gasConfigView(await requireGasConfig(database, network), network);
    },
  });

const saveRoute = (): Route =>
  route({
    ...{ method: 'PUT', path, ...GUARDED, response: gasConfigSchema },
    summary: 'Update chain configuration',
    description:
      'Replaces all of it but the station, and needs the `version` that GET tells; what GET shows beside is taken back as it is. `treasuryAddress` must be an address of ' +
      'the chain that is none of ours, never was a station, and is no token; another one than before opens the break ' +
      '`gas_treasury_changed`. Operations that are open keep theirs: one that the service signs waits with `stopped`, one that a person executes goes where it says.',
    body: gasConfigBody,
    problems: ['version_conflict'],
    async write(tx, request) {
      const { params, body } = request;
      const network = await requireNetwork(tx, params['chain'] ?? '');
      assertAsShown(body, network, ['chain']);
      const { before, after } = await saveGasTerms(tx, network, givenTerms(body), body.version);
      assertAsShown(body, gasConfigView(before, network), SHOWN);
      await audit(tx, {
        ...request,
        ...{ action: 'gas-station.config', subject: network.chain, tenantId: null },
        before: gasConfigView(before, network),
        after: gasConfigView(after, network),
      });
      return gasConfigView(after, network);
    },
  });
