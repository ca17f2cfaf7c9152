import { Reply, type Route, route } from '../../../http/route';
import { audit } from '../../../kernel/audit/audit';
import type { Sql } from '../../../kernel/db/database';
import { assertAsShown } from '../../../kernel/wire/shown-fields';
import type { Services } from '../../../services';
import { requireNetwork } from '../../networks/operations';
import type { Network } from '../../networks/record';
import { readPending } from '../../pending-changes';
import { GUARDED } from '../guarded';
import { applyGasTerms, judgeGasTerms, requireGasConfig } from './operations';
import { GAS_CONFIG_CHANGE, requestGasChange } from './two-people';
import { gasConfigAwaiting, gasConfigBody, gasConfigSchema, gasConfigView, SHOWN } from './view';

const path = '/v1/gas-station/config/{chain}';

/** Routes of a chain's gas configuration (`interface.md 4.1`). */
export const gasConfigRoutes = (services: Services): Route[] => [readRoute(services), saveRoute(services)];

const readRoute = ({ database }: Services): Route =>
  route({
    ...{ method: 'GET', path, ...GUARDED, response: gasConfigSchema },
    summary: 'Get chain configuration',
    description:
      'Version 0 while none was ever set: then nothing happens by itself, and nothing can be swept.',
    async read({ params }) {
      const network = await requireNetwork(database, params['chain'] ?? '');
      const config = gasConfigView(await requireGasConfig(database, network), network);
      return { ...config, pending: await pendingOf(database, network) };
    },
  });

const saveRoute = ({ now }: Services): Route =>
  route({
    ...{ method: 'PUT', path, ...GUARDED, response: gasConfigSchema, awaitsApproval: gasConfigAwaiting },
    summary: 'Update chain configuration',
    description:
      'Keeps what is absent, clears what is null, and needs the `version` that GET tells; what GET shows beside is taken back as it is. `treasuryAddress` must be an address of ' +
      'the chain that is none of ours, never was a station, and is no token; another one than before opens the break ' +
      '`gas_treasury_changed`. Operations that are open keep theirs: one that the service signs waits with `stopped`, one that a person executes goes where it says. ' +
      'Live, and in the sandbox with `DUAL_CONTROL=on`, a treasury, or `autoSweep` switched on, takes other people: the answer is 202 with ' +
      '`approvalId` and the unchanged configuration, and nothing of the body holds until they approve. The treasury takes effect 24 hours ' +
      'after that, and nothing is swept without a person until then.',
    body: gasConfigBody,
    problems: ['version_conflict'],
    async write(tx, request) {
      const { params, body, caller } = request;
      const network = await requireNetwork(tx, params['chain'] ?? '');
      assertAsShown(body, network, ['chain']);
      const judged = await judgeGasTerms(tx, network, body, body.version);
      const before = gasConfigView(judged.before, network);
      assertAsShown(body, before, SHOWN);
      const entry = { ...request, subject: network.chain, tenantId: null, before };
      const asked = { requestedBy: caller.tenantId, at: now() };
      const approval = await requestGasChange(tx, network, judged, asked);
      if (approval) {
        const { id: approvalId, changes } = approval;
        await audit(tx, { ...entry, action: 'gas-station.config.ask', after: { approvalId, changes } });
        return new Reply(202, { ...before, approvalId, pending: await pendingOf(tx, network) });
      }
      const after = gasConfigView(await applyGasTerms(tx, network, judged), network);
      await audit(tx, { ...entry, action: 'gas-station.config', after });
      return { ...after, pending: await pendingOf(tx, network) };
    },
  });

const pendingOf = (sql: Sql, { chain }: Network) => readPending(sql, GAS_CONFIG_CHANGE, chain);
