import { Reply, type Route, route } from '../../http/route';
import { audit } from '../../kernel/audit/audit';
import { deciderOf } from '../../kernel/caller';
import type { Sql } from '../../kernel/db/database';
import { notFound } from '../../kernel/errors';
import { createResolver, type Resolve } from '../../kernel/security/allowed-addresses';
import { pageSchema, whole } from '../../kernel/wire/pages';
import { askedUnderDualControl } from '../../process/desk/stored';
import type { Services } from '../../services';
import { readPending } from '../pending-changes';
import { networkInput } from './changes/network-input';
import { NETWORK_CHANGE, networkChange } from './changes/two-people';
import { judgedTerms } from './changes/update';
import type { Following } from './following';
import { assertSavable, findOpened, listNetworks, listOpened, requireNetwork } from './operations';
import { networkAwaiting, networkSchema, networkView } from './view';

const TAG = 'Networks';

/** `interface.md 4.1`, Networks. Clients read networks without their node addresses. */
export function networkRoutes(
  services: Services,
  following: Following,
  resolve: Resolve = createResolver(),
): Route[] {
  return [listRoute(services), readRoute(services), putRoute(services, following, resolve)];
}

const listRoute = ({ database, keyring }: Services) =>
  route({
    method: 'GET',
    path: '/v1/networks',
    tag: TAG,
    summary: 'All network configurations',
    description: 'Sorted by name, including disabled networks.',
    response: pageSchema(networkSchema),
    async read({ caller }) {
      if (caller.role === 'admin') return whole((await listOpened({ keyring }, database)).map(networkView));
      return whole((await listNetworks(database)).map((network) => networkView({ network })));
    },
  });

const readRoute = ({ database, keyring }: Services) =>
  route({
    method: 'GET',
    path: '/v1/networks/{chain}',
    tag: TAG,
    summary: 'The configuration of a chain',
    description:
      'Returns the assets with their minimum deposits, and the confirmations. Admins also see masked `rpcUrls`.',
    response: networkSchema,
    async read({ caller, params: { chain = '' } }) {
      if (caller.role !== 'admin') return networkView({ network: await requireNetwork(database, chain) });
      const opened = await findOpened({ keyring }, database, chain);
      if (!opened) throw notFound('network');
      return { ...networkView(opened), pending: await pendingOf(database, chain) };
    },
  });

function putRoute(services: Services, following: Following, resolve: Resolve) {
  const change = networkChange(services, following, resolve);
  return route({
    method: 'PUT',
    path: '/v1/networks/{chain}',
    scope: 'manage',
    tag: TAG,
    summary: 'Update the configuration of a chain',
    description:
      'An absent field keeps its value, null clears it, and a list is replaced as a whole. `version` must be the present one; ' +
      '`version: 0` creates the network of a chain that has none, and needs every field but `explorerUrl`. ' +
      'The nodes must confirm `chainId` and the decimals of the tokens (400). While no node of an enabled network answers, the ' +
      'answer is 503. `rpcUrls` are https addresses of the public internet; the sandbox also accepts this machine and http. `kind` ' +
      'cannot be changed; `chainId` can until the network is enabled or has a wallet. Reading begins with the blocks after the ' +
      'network is enabled. An asset that wallets are allocated for, or that wallets hold, cannot be removed (409 ' +
      '`invalid_transition`, naming what holds it). A disabled network keeps its wallets and deposits. ' +
      'Live, an enabled network needs nodes of at least two different hosts; three are advised. Live, and in the sandbox with ' +
      '`DUAL_CONTROL=on`, other people must approve a change of `rpcUrls`, `chainId`, `confirmations`, `finality` or the tokens. The answer is ' +
      'then 202 with `approvalId` and the unchanged configuration. No change applies before the approval. One person can always ' +
      'disable a network.',
    role: 'admin',
    permission: 'chain',
    body: networkInput,
    response: networkSchema,
    awaitsApproval: networkAwaiting,
    problems: ['version_conflict', 'invalid_transition', 'unavailable'],
    prepare: ({ params: { chain = '' }, body }) => judgedTerms(services, chain, body, resolve),
    async write(tx, { caller, requestId, params: { chain = '' }, body: input }, { terms, head }) {
      const { version } = input;
      const proof = { terms, head, version };
      const before = await assertSavable(services, tx, chain, terms, version, following);
      const actor = deciderOf(caller);
      const judged = { id: chain, subject: { before }, input, at: services.now(), actor, proof };
      const entry = { caller, requestId, subject: chain, tenantId: null };
      const asked = { reason: 'a change of the configuration', requestedBy: actor };
      const approval = await askedUnderDualControl(tx, services.keyring, change, judged, asked);
      if (approval) {
        const { id: approvalId, changes } = approval;
        const unchanged = before && networkView(before);
        const action = 'networks.update.ask';
        await audit(tx, { ...entry, before: unchanged, action, after: { approvalId, changes } });
        return new Reply(202, { ...unchanged, approvalId, pending: await pendingOf(tx, chain) });
      }
      const by = { decidedBy: actor, reason: null };
      const done = await change.execute(tx, judged, by);
      await audit(tx, { ...entry, action: 'networks.update', before: done.before, after: done.after });
      return { ...done.result, pending: await pendingOf(tx, chain) };
    },
  });
}

const pendingOf = (sql: Sql, chain: string) => readPending(sql, NETWORK_CHANGE, chain);
