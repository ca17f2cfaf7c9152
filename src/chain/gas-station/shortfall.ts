import type { Tx } from '../../kernel/db/database';
import { isCurrency } from '../../kernel/money/currencies';
import { openBreaksOf, syncBreaks, type WantedBreak } from '../../process/breaks/operations';
import type { Network } from '../networks/record';
import { ledgerAmount } from '../networks/rules';
import type { ChainServices, Held } from '../services';
import type { Wallet } from '../wallets/record';
import { lastSweepOf } from './operations/read';

const KIND = 'chain_holding_below_zero';

/**
 * Shows where sweeps have taken more off a wallet than has come to it, by the books: a deposit was taken back after it was swept. What
 * comes next would only make good for that, until the sweep is taken back too. It passes by itself. The caller holds the wallet.
 */
export async function syncShortfall(
  { heldByBooks, now }: Pick<ChainServices, 'heldByBooks' | 'now'>,
  tx: Tx,
  network: Network,
  wallet: Wallet,
): Promise<void> {
  const held = await heldByBooks(tx, wallet.chain, [wallet.address]);
  const short = held.filter(({ units }) => units < 0n);
  const wanted: WantedBreak[] = [];
  for (const each of short) wanted.push(await breakOf(tx, network, each));
  const open = (await openBreaksOf(tx, wallet.id)).filter(({ kind }) => kind === KIND);
  await syncBreaks(tx, { tenantId: null, subject: wallet.id, open, wanted, notices: [], at: now() });
}

async function breakOf(
  tx: Tx,
  { chain, assets }: Pick<Network, 'chain' | 'assets'>,
  { address, token, units }: Held,
): Promise<WantedBreak> {
  const asset = assets.find(({ contract }) => contract === token);
  const sweep = await lastSweepOf(tx, { chain, address, token });
  const money =
    asset && isCurrency(asset.symbol)
      ? { amount: ledgerAmount(-units, asset.decimals, asset.symbol).amount, currency: asset.symbol }
      : {};
  const named = asset?.symbol ?? token ?? 'native coin';
  return { kind: KIND, detail: `${named} on ${address}, swept by ${sweep ?? 'nobody'}`, ...money };
}
