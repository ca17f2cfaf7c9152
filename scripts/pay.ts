import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { NATIVE_DECIMALS, toUnits } from '../src/chain/networks/rules';
import { readConfig } from '../src/kernel/config/config';
import { DECIMAL_TEXT, Decimal } from '../src/kernel/money/money';
import { asHex, checkedAddress } from '../src/parties/chain/addresses';
import { localChainUrl } from '../src/startup/embedded/chain/server';
import { payLocally, TEST_USDT_DECIMALS } from '../src/startup/embedded/chain/token';

/**
 * `npm run pay -- --to ADDRESS --amount 25`, beside a running `npm start`, pays test USDT or ETH on the local chain and
 * prints the transaction's hash. The node's own account pays, or any address by `--from`. Exits with 1 when the chain is absent or refuses, 2 when it was called wrongly.
 */

const DECIMALS = { USDT: TEST_USDT_DECIMALS, ETH: NATIVE_DECIMALS.evm } as const;
type Asset = keyof typeof DECIMALS;

interface Payment {
  to: string;
  amount: Decimal;
  asset: Asset;
  from?: string;
}

async function main(argv: readonly string[]): Promise<void> {
  const { to, amount, asset, from } = read(argv);
  const url = await localChainUrl(readConfig().dataDir);
  if (url === undefined)
    throw new Error('There is no local chain: run `npm start` in another terminal first.');
  const hash = await payLocally(
    url,
    asset,
    asHex(to),
    toUnits(amount, DECIMALS[asset]),
    from === undefined ? undefined : asHex(from),
  ).catch((error: Error) => {
    throw error instanceof TypeError ? new Error(`The local chain does not answer at ${url}.`) : error;
  });
  process.stdout.write(`${hash}\n`);
}

function read(argv: readonly string[]): Payment {
  const command = new Command('pay')
    .description('pays on the local chain with newly created money')
    .requiredOption('--to <address>', 'an address of the local chain', addressOf)
    .requiredOption('--amount <amount>', 'in the asset, such as 25 or 0.5', amountOf)
    .option('--asset <symbol>', 'USDT or ETH', assetOf, 'USDT')
    .option('--from <address>', 'the payer, any address of the local chain', addressOf)
    .exitOverride()
    .parse(argv, { from: 'user' });
  const payment = command.opts<Payment>();
  if (payment.amount.decimalPlaces() > DECIMALS[payment.asset])
    command.error(`${payment.asset} has ${DECIMALS[payment.asset]} decimals.`);
  return payment;
}

function addressOf(text: string): string {
  const address = checkedAddress('evm', text);
  if (address === undefined) throw new InvalidArgumentError('An address: 0x and 40 hexadecimal digits.');
  return address;
}

function amountOf(text: string): Decimal {
  if (!DECIMAL_TEXT.test(text) || new Decimal(text).isZero())
    throw new InvalidArgumentError('A decimal above zero.');
  return new Decimal(text);
}

function assetOf(text: string): Asset {
  if (!Object.hasOwn(DECIMALS, text)) throw new InvalidArgumentError('USDT or ETH.');
  return text as Asset;
}

main(process.argv.slice(2)).catch((error: Error) => {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2);
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
