import { type Route, route } from '../../http/route';
import { audit } from '../../kernel/audit/audit';
import { createResolver, type Resolve } from '../../kernel/security/allowed-addresses';
import { pageSchema, whole } from '../../kernel/wire/pages';
import type { Services } from '../../services';
import type { Following } from './following';
import { givenNetwork } from './given';
import {
  findOpened,
  listNetworks,
  listOpened,
  type OpenedNetwork,
  requireNetwork,
  saveNetwork,
} from './operations';
import { judgedTerms } from './update';
import { networkSchema, networkView } from './view';

const TAG = 'Networks';

/** `interface.md 4.1`, Networks: every client reads them, without the addresses of their nodes. */
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
    description: 'By their names, those that are not enabled among them.',
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
      'Its assets with the least that is credited of each, and how many blocks make a payment final. Admins are shown `rpcUrls`, masked.',
    response: networkSchema,
    async read({ caller, params: { chain = '' } }) {
      const opened = caller.role === 'admin' ? await findOpened({ keyring }, database, chain) : undefined;
      return networkView(opened ?? { network: await requireNetwork(database, chain) });
    },
  });

function putRoute(services: Services, following: Following, resolve: Resolve) {
  return route({
    method: 'PUT',
    path: '/v1/networks/{chain}',
    tag: TAG,
    summary: 'Update the configuration of a chain',
    description:
      'Replaces all that can be set, and needs the present `version`; `version: 0` makes the network of a chain that has none. ' +
      'What a node of the chain says of its `chainId` and of the decimals of the tokens must be what is given (400); where none ' +
      'answers that is 503 for what is enabled. `rpcUrls` are https, to the public internet; in the sandbox also this machine, by ' +
      'http, too. `kind` stays; `chainId` can be changed until the network is enabled or has a wallet. Its blocks are read from ' +
      'those on that come once it is enabled. Where an asset is taken out, or the network is not enabled any more, its wallets and what was deposited stay.',
    role: 'admin',
    body: givenNetwork,
    response: networkSchema,
    problems: ['version_conflict', 'unavailable'],
    prepare: ({ params: { chain = '' }, body }) => judgedTerms(services, chain, body, resolve),
    async write(tx, { caller, requestId, params: { chain = '' }, body: { version } }, judged) {
      const { terms, head } = judged;
      const isUsed = () => following.isUsed(tx, chain);
      const { before, after } = await saveNetwork(services, tx, chain, terms, version, isUsed);
      if (head) await following.begin(tx, chain, head, services.now());
      const opened = { network: after, rpcUrls: terms.rpcUrls };
      await audit(tx, {
        ...{ caller, requestId, action: 'networks.update', subject: chain, tenantId: null },
        before: before && networkView(before),
        after: { ...networkView(opened), rpcUrlsChanged: areOthers(before, opened) },
      });
      return networkView(opened);
    },
  });
}

/** Masked, two addresses of one provider look the same. */
const areOthers = (before: OpenedNetwork | undefined, after: OpenedNetwork): boolean =>
  JSON.stringify(before?.rpcUrls) !== JSON.stringify(after.rpcUrls);
