import { createInterface } from 'node:readline';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { isIban } from '../src/kernel/iban';
import { isCurrency } from '../src/kernel/money/currencies';
import { DECIMAL_TEXT } from '../src/kernel/money/money';
import { createSandboxFileBank, type SandboxFileBank } from '../src/parties/iso20022/sandbox/bank';
import { createXmlReader } from '../src/parties/iso20022/xml/reader';

/**
 * `npm run bank -- --folder FOLDER --account EUR=IBAN` plays the bank of `BANK_FILES_FOLDER`: it answers orders, and
 * takes commands from the terminal until they end. Exits with 2 when it was called wrongly.
 */

const HELP = 'receive IBAN AMOUNT [CURRENCY], statement [CURRENCY], or quit';
const TURN_MS = 1_000;

interface Options {
  folder: string;
  account: { currency: string; iban: string }[];
}

async function main(argv: readonly string[]): Promise<void> {
  const { folder, account: accounts } = read(argv);
  const reader = createXmlReader();
  const bank = await createSandboxFileBank({ folder, accounts, reader, now: () => new Date() });
  const tell = (error: Error) => void process.stderr.write(`${error.message}\n`);
  const timer = setInterval(() => void bank.turn().catch(tell), TURN_MS);
  process.stdout.write(`The bank reads ${folder}. ${HELP}\n`);
  for await (const line of createInterface({ input: process.stdin })) {
    const words = line.trim().split(/\s+/);
    if (words[0] === 'quit') break;
    await obey(bank, words).catch(tell);
  }
  clearInterval(timer);
  process.stdin.destroy(); // a terminal that stays open would keep the process
  await bank.turn().catch(tell);
  await reader.close();
}

async function obey(bank: SandboxFileBank, [command, ...given]: string[]): Promise<void> {
  if (command === 'receive' && isIban(given[0] ?? '') && DECIMAL_TEXT.test(given[1] ?? '')) {
    const [iban = '', amount = '', currency = 'EUR'] = given;
    process.stdout.write(`${await bank.receive({ iban, amount, currency })}\n`);
  } else if (command === 'statement') {
    process.stdout.write(`statement ${await bank.closeStatement(given[0] ?? 'EUR')}\n`);
  } else if (command !== '') {
    process.stderr.write(`${HELP}\n`);
  }
}

const read = (argv: readonly string[]): Options =>
  new Command('bank')
    .description('plays a bank by files of ISO 20022')
    .requiredOption('--folder <folder>', 'the folder that BANK_FILES_FOLDER names')
    .requiredOption('--account <account...>', 'an account of ours, as EUR=IBAN', accountOf)
    .exitOverride()
    .parse(argv, { from: 'user' })
    .opts<Options>();

function accountOf(text: string, before: Options['account'] = []): Options['account'] {
  const [currency = '', iban = ''] = text.split('=');
  if (!isCurrency(currency) || !isIban(iban)) throw new InvalidArgumentError('As EUR=IBAN.');
  return [...before, { currency, iban }];
}

main(process.argv.slice(2)).catch((error: Error) => {
  if (!(error instanceof CommanderError)) process.stderr.write(`${error.message}\n`);
  process.exitCode = error instanceof CommanderError ? 2 : 1;
});
