import { z } from 'zod';
import { listReadPositions } from '../../chain/holdings/read-position';
import { listUnlisted, type UnlistedToken, unlistedKey } from '../../chain/holdings/unlisted';
import { restingOnChains } from '../../chain/reconciliation/books';
import { type ComparedNow, compareNow } from '../../chain/reconciliation/compare-now';
import type { Compared } from '../../chain/reconciliation/record';
import type { WaitingPlace } from '../../kernel/db/waiting';
import { type Desk, defineDesk } from '../../process/desk/desk';
import { gauge } from '../../process/desk/figure';
import { columnsOf, type List, list, pageOfAll } from '../../process/desk/list';
import type { Services } from '../../services';

type ChainDeskServices = Pick<Services, 'database' | 'keyring' | 'parties' | 'now'>;

/** The desk of what chains and our books say: blocks read, tokens that nobody lists, and differences. */
export const chainDesk = (services: ChainDeskServices): Desk =>
  defineDesk({
    name: 'chain',
    title: 'Money of ours on chains, and what was found there',
    lists: [positionList(services), tokenList(services), reconcileList(services)],
    figures: [
      gauge({
        name: 'money-on-chains',
        title: 'money of ours on chains by the books, by network, place and asset',
        unit: 'assets',
        values: async () =>
          (await restingOnChains(services.database)).map(({ chain, place, asset, amount }) => ({
            labels: { network: chain, place, asset },
            value: amount.toFixed(),
          })),
      }),
    ],
  });

type Position = Awaited<ReturnType<typeof listReadPositions>>[number];
const positions = columnsOf<Position>();
const tokens = columnsOf<UnlistedToken>();
const rows = columnsOf<ComparedNow>();

/** Rows that are all read keep their order, so their place has no moment. */
const placeAt = (id: string): WaitingPlace => ({ since: new Date(0), id });

const ofChain = { chain: z.string().max(100).optional().meta({ description: 'For instance local.' }) };

const positionList = ({ database }: ChainDeskServices): List =>
  list({
    name: 'chains',
    title: 'how far the blocks of each chain are read',
    filters: z.object({}),
    columns: {
      chain: positions.text('chain', ({ chain }) => chain),
      blockNumber: positions.text('block', ({ blockNumber }) => blockNumber),
      readAt: positions.time('read at', ({ readAt }) => readAt),
    },
    rows: async (page) => pageOfAll(await listReadPositions(database), ({ chain }) => placeAt(chain), page),
    place: ({ chain }) => placeAt(chain),
  });

const tokenList = ({ database }: ChainDeskServices): List =>
  list({
    name: 'chain-tokens',
    verb: 'tokens',
    title: 'what came to us of tokens that no network lists: it is never posted; the newest first',
    filters: z.object(ofChain),
    columns: {
      chain: tokens.text('chain', ({ chain }) => chain),
      token: tokens.text('token', ({ token }) => token),
      address: tokens.text('address', ({ address }) => address),
      units: tokens.text('units', ({ units }) => units),
      txHash: tokens.text('transaction', ({ txHash }) => txHash),
      blockNumber: tokens.text('block', ({ blockNumber }) => blockNumber),
      more: tokens.text('more of the transaction, in the sums only', ({ more }) => more),
      seenAt: tokens.time('seen', ({ seenAt }) => seenAt),
    },
    rows: ({ filters: { chain }, after, limit }) => listUnlisted(database, { chain, after, limit }),
    decisions: ['stray.recover'],
    place: (token) => ({ since: token.seenAt, id: unlistedKey(token) }),
  });

const reconcileList = (services: ChainDeskServices): List =>
  list({
    name: 'chain-reconcile',
    verb: 'reconcile',
    title:
      'pool, station and treasury on a chain beside the books, both read now; "known" is on the chain and not in the books yet, or not to be held by them',
    filters: z.object(ofChain),
    columns: {
      chain: rows.text('chain', ({ chain }) => chain),
      blockNumber: rows.text('block', ({ blockNumber }) => blockNumber),
      place: rows.text('place', ({ compared }) => compared?.place),
      asset: rows.text('asset', ({ asset }) => asset),
      // Text, because the chain may have more decimals than the ledger.
      reported: rows.text('chain has', exact('reported')),
      booked: rows.text('books have', exact('booked')),
      known: rows.text('known', exact('unbooked')),
      difference: rows.text('difference', exact('difference')),
      differsSince: rows.since('since', ({ differsSince }) => differsSince),
      status: rows.status('status', statusOf),
    },
    rows: async (page) => pageOfAll(await compareNow(services, page.filters.chain), placeOf, page),
    place: placeOf,
  });

const placeOf = (row: ComparedNow): WaitingPlace => placeAt(accountOf(row));

/** The ledger account: `pool@local:USDT`. */
const accountOf = ({ chain, asset, compared, forged }: ComparedNow): string =>
  [
    `${forged === undefined ? (compared?.place ?? '') : 'wallets'}@${chain}`,
    ...(asset === null ? [] : [asset]),
  ].join(':');

const exact =
  (field: Exclude<keyof Compared, 'place' | 'asset'>) =>
  ({ compared }: ComparedNow): string | undefined =>
    compared?.[field].toFixed();

function statusOf({ blockNumber, compared, isGasBooked, forged }: ComparedNow): string {
  if (forged !== undefined) return `${forged} wallets are not derived from our seed: see the breaks`;
  if (blockNumber === null) return 'not compared: the chain cannot be reached just now';
  if (compared === null) return 'not compared: its contract does not answer';
  const said = compared.difference.isZero() ? 'same' : 'differs';
  return isGasBooked ? said : `${said}; gas not booked: no currency for the coin`;
}
