import { z } from 'zod';
import { type Route, route } from '../../../http/route';
import { notFound } from '../../../kernel/errors';
import { pageQuery, pageSchema } from '../../../kernel/wire/pages';
import { text } from '../../../kernel/wire/schemas';
import type { Services } from '../../../services';
import { findWalletById } from '../../wallets/operations';
import { GUARDED } from '../guarded';
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
  'Read from the chain now: wallets of the pool that are not allocated, not disabled and not being swept. Without `chain` of every ' +
  'enabled network; the newest wallet first, `from` and `to` are of its `createdAt`.';
const query = z.object({ ...pageQuery, chain: text(100).optional(), asset: text(20).optional() });

/** Routes of sweep and top-up candidates (`interface.md 4.1`, Gas station). */
export const candidateRoutes = (services: Services): Route[] => [
  sweepCandidatesRoute(services),
  preflightRoute(services),
  topupCandidatesRoute(services),
];

const sweepCandidatesRoute = (services: Services): Route =>
  route({
    ...{ method: 'GET', path: '/v1/gas-station/sweep-candidates', ...GUARDED },
    summary: 'Wallets eligible for sweeping',
    description: `${WHICH} An asset counts from its \`minSweepAmount\` on. Station wallets of ours that are the station no more are among them.`,
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
    ...{ method: 'GET', path: '/v1/gas-station/topup-candidates', ...GUARDED },
    summary: 'Wallets needing gas refill',
    description: `${WHICH} They have something to be swept, and less gas than \`gasThreshold\`.`,
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
    ...{ method: 'GET', path: '/v1/gas-station/sweep-preflight/{walletId}', ...GUARDED },
    summary: 'Preflight check for a sweep',
    description:
      'What an operation for the wallet would be refused for, by the name of each check. `auto_sweep_rest` refuses nothing: it says until ' +
      'when automatic sweeps leave the asset alone after a sweep has failed.',
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
