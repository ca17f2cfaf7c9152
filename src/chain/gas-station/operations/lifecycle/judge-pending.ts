import { erc20TransferOf } from '../../../../parties/chain/evm/calls';
import type { SentTransaction } from '../../../../parties/chain/port';
import type { Attempt } from '../nonces/record';
import type { GasOperation } from '../record';
import { type Difference, isSame, senderOf } from '../rules';

type Planned = Pick<GasOperation, 'fromAddress' | 'stationAddress' | 'toAddress' | 'token' | 'units'>;

/**
 * Judges a pending transaction by its signed fields. It must surely be the operation's, because following it ends the
 * exports.
 * @param attempts exported attempts of the operation, at any prices
 * @returns undefined when it is the operation's; `unclear` when only its execution shows what it moves
 */
export function judgePending(
  operation: Planned,
  sent: SentTransaction | undefined,
  attempts: readonly Pick<Attempt, 'recipient' | 'value' | 'data'>[],
): Difference | 'unclear' | undefined {
  if (!sent) return 'unclear';
  if (!isSame(sent.from, senderOf(operation))) return 'sender';
  const isExported = attempts.some(
    ({ recipient, value, data }) =>
      isSame(recipient, sent.to) && value === sent.value && isSame(data, sent.data),
  );
  if (isExported) return undefined;
  if (operation.stationAddress !== null) return 'unclear';
  return operation.token === null ? wrongInCoin(operation, sent) : wrongInToken(operation, sent);
}

function wrongInCoin({ toAddress, units }: Planned, { to, value }: SentTransaction): Difference | undefined {
  if (!isSame(to, toAddress)) return 'recipient';
  return value < units ? 'amount' : undefined;
}

function wrongInToken(
  { token, toAddress, units }: Planned,
  { to, data }: SentTransaction,
): Difference | 'unclear' | undefined {
  const moved = erc20TransferOf(data);
  if (data !== '0x' && !moved) return 'unclear';
  if (!moved || !isSame(to, token)) return 'token';
  if (!isSame(moved.to, toAddress)) return 'recipient';
  return moved.units < units ? 'amount' : undefined;
}
