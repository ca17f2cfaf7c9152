import { invalid } from '../../../kernel/errors';
import { newId } from '../../../kernel/ids';
import { accountEntry, type Entry, internalEntry } from '../../../kernel/ledger/entries';
import { type Decimal, shareOf } from '../../../kernel/money/money';
import type { Card } from '../../cards/record';
import { type CardTransaction, type Chain, type ProcessorMessage, remaining } from '../record';
import { grow, open } from './authorize';
import type { Board } from './board';
import { release } from './cancel';
import { billingRate, currencyOfMessage, toBilling } from './conversion';

/**
 * Settles what an authorization holds, in part or whole. It is never refused: what is not held (an excess, a settlement
 * after a cancel or an expiry, or without an authorization) is authorized first, by force, so that the effects of
 * `interface.md 3.4` hold for every event.
 */
export function settle(board: Board, card: Card, message: ProcessorMessage): CardTransaction {
  const known = message.referenceId === undefined ? undefined : board.chain(card.id, message.referenceId);
  const currency = currencyOfMessage(message, known, card.currency);
  const amount = message.amount ?? (known ? remaining(known.own) : undefined);
  if (!amount?.gt(0)) throw invalid('amount is required where nothing is held.', 'amount');
  const chain = known ?? forcePost(board, card, message, amount, currency);
  const excess = amount.minus(remaining(chain.own));
  if (excess.gt(0)) {
    const billing = toBilling(excess, chain.rate, card.currency);
    grow(
      board,
      card,
      chain,
      { amount: excess, currency, rate: chain.rate, billing, merchant: message.merchant },
      true,
    );
  }
  const settled = settlePart(board, card, chain, amount, message);
  if (message.final && remaining(chain.own).gt(0))
    release(board, card, chain, remaining(chain.own), 'settlement');
  return settled;
}

function forcePost(
  board: Board,
  card: Card,
  message: ProcessorMessage,
  amount: Decimal,
  currency: string,
): Chain {
  const rate = billingRate(board, currency, card.currency, board.programme(card.bin));
  const billing = toBilling(amount, rate, card.currency);
  const forced = open(board, card, { amount, currency, rate, billing, merchant: message.merchant }, true);
  const chain = 'refusedBy' in forced ? undefined : board.chainById(forced.id);
  if (!chain) throw new Error('a forced authorization was refused');
  return chain;
}

function settlePart(
  board: Board,
  card: Card,
  chain: Chain,
  amount: Decimal,
  message: ProcessorMessage,
): CardTransaction {
  const held = remaining(chain.own);
  const billing = shareOf(remaining(chain.billing), amount, held, card.currency);
  const fee = shareOf(chain.feeHeld, amount, held, card.currency);
  const referenceId = chain.own.settled.isZero() ? chain.referenceId : newId('reference');
  const settled = board.mustRecord(card, {
    type: 'settle',
    amount,
    currency: chain.currency,
    billingAmount: billing,
    referenceId,
    linkedId: chain.id,
    chain,
    fee,
    merchant: message.merchant,
    beside: settleFee(card, fee, referenceId),
  });
  chain.own.settled = chain.own.settled.plus(amount);
  chain.billing.settled = chain.billing.settled.plus(billing);
  chain.feeHeld = chain.feeHeld.minus(fee);
  chain.lastSettleId = settled.id;
  board.keepChain(chain);
  return settled;
}

function settleFee(card: Card, fee: Decimal, referenceId: string): Entry[] {
  if (fee.isZero()) return [];
  return [
    accountEntry(card.masterAccountId, 'fee/settle_fee', fee, referenceId),
    internalEntry('fees', card.currency, fee, referenceId),
  ];
}
