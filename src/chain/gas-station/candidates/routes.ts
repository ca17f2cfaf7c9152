import { z } from 'zod';
import { type Route, route } from '../../../http/route';
import { notFound } from '../../../kernel/errors';
import { pageQuery, pageSchema } from '../../../kernel/wire/pages';
import { text } from '../../../kernel/wire/schemas';
import type { Services } from '../../../services';
import { findWalletById } from '../../wallets/operations';
import { GUARDED_READ } from '../guarded';
import { sweepCandidates, topupCandidates } from './lists';
import { candidatePage } from './pages';
import { preflight } from './preflight';
import {
  preflightSchema,
  preflightView,
  sweepCandidateSchema,
  sweepCandidateView,
  topupCandidateSchema,
  topupCandidateView,
} from './view';

const WHICH =
  'Read from the chain now: pool wallets that are not allocated, disabled or being swept. Without `chain`, of every enabled ' +
  'network. Newest wallet first; `from` and `to` compare its `createdAt`.';
const query = z.object({ ...pageQuery, chain: text(100).optional(), asset: text(20).optional() });

/** Routes of sweep and top-up candidates (`interface.md 4.1`, Gas station). */
export const candidateRoutes = (services: Services): Route[] => [
  sweepCandidatesRoute(services),
  preflightRoute(services),
  topupCandidatesRoute(services),
];

const sweepCandidatesRoute = (services: Services): Route =>
  route({
    method: 'GET',
    path: '/v1/gas-station/sweep-candidates',
    ...GUARDED_READ,
    summary: 'Wallets eligible for sweeping',
    description: `${WHICH} An asset is listed from its \`minSweepAmount\` on. Includes former stations that are our wallets.`,
    query,
    response: pageSchema(sweepCandidateSchema),
    problems: ['not_found', 'unavailable'],
    read: ({ query: { chain, asset, ...page } }) =>
      candidatePage(
        page,
        () => sweepCandidates(services, services.database, { chain, asset }),
        (candidate) => sweepCandidateView(candidate, services.now()),
      ),
  });

const topupCandidatesRoute = (services: Services): Route =>
  route({
    method: 'GET',
    path: '/v1/gas-station/topup-candidates',
    ...GUARDED_READ,
    summary: 'Wallets needing gas refill',
    description: `${WHICH} Wallets with something to sweep and less gas than \`gasThreshold\`.`,
    query,
    response: pageSchema(topupCandidateSchema),
    problems: ['not_found', 'unavailable'],
    read: ({ query: { chain, asset, ...page } }) =>
      candidatePage(
        page,
        () => topupCandidates(services, services.database, { chain, asset }),
        (candidate) => topupCandidateView(candidate, services.now()),
      ),
  });

const preflightRoute = (services: Services): Route =>
  route({
    method: 'GET',
    path: '/v1/gas-station/sweep-preflight/{walletId}',
    ...GUARDED_READ,
    summary: 'Preflight check for a sweep',
    description:
      'The checks of a sweep, each with its result. `auto_sweep_rest` refuses nothing: it tells until when automatic sweeps' +
      ' of the asset pause after a failed sweep.',
    query: z.object({ asset: text(20).optional().describe("Absent: the network's first token.") }),
    response: preflightSchema,
    problems: ['unavailable'],
    async read({ params, query: { asset } }) {
      const wallet = await findWalletById(services.database, params['walletId'] ?? '');
      if (!wallet) throw notFound('wallet');
      const found = await preflight(services, services.database, { wallet, asset });
      return preflightView(wallet, found, services.now());
    },
  });
