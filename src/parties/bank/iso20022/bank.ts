import type { Sql } from '../../../kernel/db/database';
import { type Decimal, sumOf } from '../../../kernel/money/money';
import { PartyRefused } from '../../../process/party-errors';
import { answerRecall } from '../../iso20022/apply/recalls';
import type { FileExchange } from '../../iso20022/exchange';
import { type GivenOrder, takeOrder } from '../../iso20022/orders';
import { type BankFilesServices, SEALED_UNDER } from '../../iso20022/services';
import { changesAfter } from '../../iso20022/store/changes';
import { type BankCredit, findCredit, lockCredit, recallsOf } from '../../iso20022/store/credits';
import { type BankOrder, type OrderReturn, returnsOf, returnsOfOrders } from '../../iso20022/store/orders';
import type { Bank, BankCreditReport } from '../port';
import { type BankRemitter, remitter as remitterSchema } from '../word';

/**
 * Adapter of the bank that reports by `camt.053` and `camt.054`. A payment goes back as a transfer of ours (`pain.001`)
 * that names the payment, because banks take no `pacs.004` of their customers.
 */
export function createFileBank(services: BankFilesServices, exchange: FileExchange): Bank {
  const { database } = services;
  return {
    async ask(creditId) {
      const credit = await findCredit(database, creditId);
      return credit ? reportOf(services, credit) : 'unknown_to_party';
    },
    async giveBack({ key, creditId, amount }) {
      const credit = await findCredit(database, creditId);
      if (!credit) throw new PartyRefused('not_found');
      const payer = payerOf(services, credit);
      if (payer?.iban === undefined) throw new PartyRefused('payer_account_unknown');
      const order: GivenOrder = {
        key,
        purpose: 'return',
        creditId,
        service: credit.currency === 'EUR' ? 'sepa' : 'swift',
        amount,
        currency: credit.currency,
        payee: { name: payer.name, iban: payer.iban },
        text: `RETURN ${credit.endToEndId ?? credit.transactionId ?? credit.id}`,
      };
      await takeOrder(services, order, async (tx) => {
        // Locked, so that two returns do not exceed the payment together.
        const locked = await lockCredit(tx, creditId);
        if (!locked || amount.gt(locked.amount.minus(await goneOf(tx, locked, key))))
          throw new PartyRefused('amount_too_large');
      });
      if (!credit.recallAsked) return;
      await database.transaction(async (tx) => {
        const locked = await lockCredit(tx, creditId);
        if (locked) await answerRecall(services, tx, locked);
      });
    },
    async changes(after) {
      await exchange.turn();
      return changesAfter(database, 'bank', after);
    },
    verify: () => undefined,
  };
}

function payerOf({ keyring }: BankFilesServices, { id, payer }: BankCredit): BankRemitter | undefined {
  if (!payer) return undefined;
  const opened: unknown = JSON.parse(keyring.sealer(SEALED_UNDER).open(payer, id).toString());
  const parsed = remitterSchema.safeParse(opened);
  return parsed.success ? parsed.data : undefined;
}

/** Amounts that were recalled, and other returns that have not failed. */
async function goneOf(sql: Sql, { id }: BankCredit, except: string): Promise<Decimal> {
  const orders = (await returnsOf(sql, id)).filter(({ key }) => key !== except);
  const recalls = await recallsOf(sql, id);
  const keys = orders.map(({ key }) => key);
  const returned = await returnsOfOrders(sql, keys);
  return sumOf([...recalls, ...orders.filter((order) => statusOf(order, returned) !== 'failed')]);
}

async function reportOf(services: BankFilesServices, credit: BankCredit): Promise<BankCreditReport> {
  const { database } = services;
  const orders = await returnsOf(database, credit.id);
  const [recalls, returned] = [
    await recallsOf(database, credit.id),
    await returnsOfOrders(
      database,
      orders.map(({ key }) => key),
    ),
  ];
  const { id, version, iban, amount, currency } = credit;
  return {
    word: {
      id,
      version,
      iban,
      amount,
      currency,
      recalls: recalls.map((recall) => ({ id: recall.id, amount: recall.amount })),
      returns: orders.map((order) => ({
        id: order.endToEndId,
        key: order.key,
        amount: order.amount,
        status: statusOf(order, returned),
      })),
    },
    remitter: payerOf(services, credit),
  };
}

/** A return has failed as well when its transfer has come back whole. */
function statusOf(order: BankOrder, returned: readonly OrderReturn[]): 'pending' | 'succeeded' | 'failed' {
  const { key, stage, sent, amount } = order;
  if (stage === 'failed') return 'failed';
  const back = sumOf(returned.filter(({ orderKey }) => orderKey === key));
  if (sent.gt(0) && back.gte(amount)) return 'failed';
  return stage === 'sent' || stage === 'completed' ? 'succeeded' : 'pending';
}
