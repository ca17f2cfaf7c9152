import { Reply, type Route, route } from '../../../http/route';
import { audit } from '../../../kernel/audit/audit';
import { deciderOf } from '../../../kernel/caller';
import type { Sql } from '../../../kernel/db/database';
import { notFound } from '../../../kernel/errors';
import { askedUnderDualControl } from '../../../process/desk/stored';
import type { Services } from '../../../services';
import { requireNetwork } from '../../networks/operations';
import { readPending } from '../../pending-changes';
import { GUARDED, GUARDED_READ } from '../guarded';
import { requireGasConfig } from './operations';
import { assertPut, GAS_CONFIG_CHANGE, gasConfigChange } from './two-people';
import { gasConfigAwaiting, gasConfigBody, gasConfigSchema, gasConfigView } from './view';

const path = '/v1/gas-station/config/{chain}';

/** Routes of a chain's gas configuration (`interface.md 4.1`). */
export const gasConfigRoutes = (services: Services): Route[] => [readRoute(services), saveRoute(services)];

const readRoute = ({ database }: Services): Route =>
  route({
    method: 'GET',
    path,
    ...GUARDED_READ,
    response: gasConfigSchema,
    summary: 'Get chain configuration',
    description: 'Version 0 while none was ever set: then nothing is automatic, and nothing can be swept.',
    async read({ params }) {
      const network = await requireNetwork(database, params['chain'] ?? '');
      const config = gasConfigView(await requireGasConfig(database, network), network);
      return { ...config, pending: await pendingOf(database, network.chain) };
    },
  });

const saveRoute = ({ now, keyring }: Services): Route =>
  route({
    method: 'PUT',
    path,
    scope: 'manage',
    ...GUARDED,
    response: gasConfigSchema,
    awaitsApproval: gasConfigAwaiting,
    summary: 'Update chain configuration',
    description:
      'An absent field keeps its value, null resets it. `version` must be the version that GET shows; read-only fields may be sent back ' +
      'unchanged. `treasuryAddress` must be an address of the chain that is not ours, never was a station and is no token. A new treasury ' +
      'opens the break `gas_treasury_changed`. Open operations keep their treasury: operations that the service signs wait with `stopped`, and ' +
      'operations that a person executes continue. Live, and in the sandbox with `DUAL_CONTROL=on`, other people must approve a new ' +
      'treasury, or that `autoSweep` is switched on. The answer is then 202 with `approvalId` and the unchanged configuration. No change ' +
      'applies before the approval. ' +
      'The treasury takes effect 24 hours later, and nothing is swept without a person until then.',
    body: gasConfigBody,
    problems: ['version_conflict'],
    async write(tx, request) {
      const { params, body, caller } = request;
      const chain = params['chain'] ?? '';
      const subject = await gasConfigChange.subject.lock(tx, chain);
      if (!subject) throw notFound('network');
      await assertPut(tx, subject, body);
      const actor = deciderOf(caller);
      const judged = { id: chain, subject, input: body, at: now(), actor, proof: undefined };
      const entry = { ...request, subject: chain, tenantId: null };
      const asked = { reason: 'a change of the configuration', requestedBy: actor };
      const approval = await askedUnderDualControl(tx, keyring, gasConfigChange, judged, asked);
      if (approval) {
        const { id: approvalId, changes } = approval;
        const before = gasConfigView(subject.config, subject.network);
        const action = 'gas-station.config.ask';
        await audit(tx, { ...entry, before, action, after: { approvalId, changes } });
        return new Reply(202, { ...before, approvalId, pending: await pendingOf(tx, chain) });
      }
      const by = { decidedBy: actor, reason: null };
      const { before, after } = await gasConfigChange.execute(tx, judged, by);
      await audit(tx, { ...entry, before, action: GAS_CONFIG_CHANGE, after });
      return { ...after, pending: await pendingOf(tx, chain) };
    },
  });

const pendingOf = (sql: Sql, chain: string) => readPending(sql, GAS_CONFIG_CHANGE, chain);
