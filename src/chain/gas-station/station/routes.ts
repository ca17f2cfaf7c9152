import { z } from 'zod';
import { type Route, route } from '../../../http/route';
import { audit } from '../../../kernel/audit/audit';
import { invalid } from '../../../kernel/errors';
import { idPage, pageById } from '../../../kernel/wire/id-pages';
import { pageQuery, pageSchema, whole } from '../../../kernel/wire/pages';
import { identifier, text } from '../../../kernel/wire/schemas';
import { checkedAddress } from '../../../parties/chain/addresses';
import type { Services } from '../../../services';
import { listNetworks, requireNetwork } from '../../networks/operations';
import { deriveWallets, listWallets, shownAddress } from '../../wallets/operations';
import { WALLET_STATUSES } from '../../wallets/record';
import { GUARDED, GUARDED_READ } from '../guarded';
import { generateStation, headOf, setStation } from './operations';
import { readStatus } from './status';
import { statusSchema, statusView } from './status-view';
import { generatedStationSchema, poolWalletSchema, poolWalletView, stationSchema, stationView } from './view';

const MAX_WALLETS = 100;
const chain = () => identifier('local');
const STATION = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

/** Routes of the station and of pool wallets (`interface.md 4.1`, Gas station). */
export const stationRoutes = (services: Services): Route[] => [
  statusRoute(services),
  listRoute(services),
  generateRoute(services),
  setRoute(services),
  generateStationRoute(services),
];

const statusRoute = (services: Services): Route =>
  route({
    method: 'GET',
    path: '/v1/gas-station/status/{chain}',
    ...GUARDED_READ,
    summary: 'Gas station status',
    description: 'The station’s balance and the gas price are read from the chain now.',
    response: statusSchema,
    problems: ['unavailable'],
    read: async ({ params }) =>
      statusView(await readStatus(services, services.database, params['chain'] ?? '')),
  });

const listRoute = ({ database, keyring, now }: Services): Route =>
  route({
    method: 'GET',
    path: '/v1/gas-station/wallets',
    ...GUARDED_READ,
    summary: 'List all wallets in the pool',
    description: 'Includes station wallets; filter by `purpose`.',
    query: z.object({
      ...pageQuery,
      chain: text(100).optional(),
      status: z.enum(WALLET_STATUSES).optional(),
      purpose: z.enum(['pool', 'station']).optional(),
      address: text(100).optional().describe('In any spelling.'),
    }),
    response: pageSchema(poolWalletSchema),
    async read({ query }) {
      const { page, limit, filter: given } = idPage(query, 'wallet');
      const filter = { ...given, address: given.address && spelled(given.address) };
      const kinds = new Map((await listNetworks(database)).map(({ chain, kind }) => [chain, kind]));
      const found = await listWallets(database, filter, page, now());
      return pageById(found, limit, (wallet) => {
        const address = shownAddress(keyring, wallet);
        return poolWalletView({ ...wallet, address }, kinds.get(wallet.chain));
      });
    },
  });

/**
 * Checksums an address.
 * @throws Problem 400 naming `address`
 */
function spelled(address: string): string {
  const checked = checkedAddress('evm', address);
  if (checked === undefined) throw invalid('address must be an address of a chain.', 'address');
  return checked;
}

const generateRoute = (services: Services): Route =>
  route({
    method: 'POST',
    path: '/v1/gas-station/generate',
    scope: 'manage',
    ...GUARDED,
    status: 201,
    summary: 'Generate new wallets',
    description: 'The pool also grows automatically when an allocation finds no free wallet.',
    body: z.strictObject({
      chain: chain(),
      count: z
        .int('must be a whole number')
        .min(1)
        .max(MAX_WALLETS)
        .describe('Number of wallets to generate.')
        .meta({ examples: [10] }),
    }),
    response: pageSchema(poolWalletSchema),
    async write(tx, request) {
      const { count } = request.body;
      const network = await requireNetwork(tx, request.body.chain, { field: 'chain' });
      const made = await deriveWallets(services, tx, { ...network, count, purpose: 'pool' });
      await audit(tx, {
        ...request,
        action: 'gas-station.generate',
        subject: network.chain,
        tenantId: null,
        after: { wallets: made.map(({ id }) => id) },
      });
      return whole(made.map((wallet) => poolWalletView(wallet)));
    },
  });

const setRoute = (services: Services): Route =>
  route({
    method: 'PUT',
    path: '/v1/gas-station/wallet',
    scope: 'manage',
    ...GUARDED,
    summary: 'Set the gas station wallet',
    description:
      'Our own station wallet signs automatically, and so does a key of `STATION_KEYS` (AWS KMS, Web3Signer). For any other address, its owner executes exported transactions. The address ' +
      'must not be a pool wallet, nor a present or former treasury. Open operations keep their sender.',
    body: z.strictObject({ chain: chain(), address: text(100).meta({ examples: [STATION] }) }),
    response: stationSchema,
    problems: ['invalid_transition'],
    async prepare({ body }) {
      await requireNetwork(services.database, body.chain, { field: 'chain' });
      return headOf(services, body.chain);
    },
    async write(tx, request, head) {
      const network = await requireNetwork(tx, request.body.chain, { field: 'chain' });
      const { before, after } = await setStation(services, tx, network, {
        address: request.body.address,
        head,
      });
      await audit(tx, {
        ...request,
        action: 'gas-station.wallet',
        subject: network.chain,
        tenantId: null,
        before: stationView(before),
        after: stationView(after),
      });
      return stationView(after);
    },
  });

const generateStationRoute = (services: Services): Route =>
  route({
    method: 'POST',
    path: '/v1/gas-station/wallet/generate',
    scope: 'manage',
    ...GUARDED,
    status: 201,
    summary: 'Generate a gas station wallet',
    description: 'The wallet becomes the station when the chain has none; otherwise set it as the station.',
    body: z.strictObject({ chain: chain() }),
    response: generatedStationSchema,
    async prepare({ body }) {
      await requireNetwork(services.database, body.chain, { field: 'chain' });
      return headOf(services, body.chain);
    },
    async write(tx, request, head) {
      const network = await requireNetwork(tx, request.body.chain, { field: 'chain' });
      const { wallet, before, after } = await generateStation(services, tx, network, head);
      await audit(tx, {
        ...request,
        action: 'gas-station.wallet.generate',
        subject: network.chain,
        tenantId: null,
        before: stationView(before),
        after: { ...stationView(after), generated: wallet.id },
      });
      return { ...poolWalletView(wallet), isStation: after.stationWalletId === wallet.id };
    },
  });
