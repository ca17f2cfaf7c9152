import { checkLedger, trialBalance } from '../../../../src/kernel/ledger/check';
import { Decimal, ZERO } from '../../../../src/kernel/money/money';
import { effective } from '../../../../src/transfers/engine/conclusion';
import { canonical } from '../../../../src/transfers/engine/follow';
import type { PartyWord } from '../../../../src/transfers/engine/kind';
import { entryOf, type Holding, keyOf } from '../../../../src/transfers/engine/position';
import { readSituation } from '../../../../src/transfers/engine/store';
import type { Client, TestApi } from '../../../support/api';
import { fold, toldOf } from '../../deposits/support';
import { booksOf, heldByParty } from './books';
import { type KindProof, tableOf } from './kind-proof';
import type { WordDouble } from './word-double';

export interface Audited<Terms, Word extends PartyWord> {
  api: TestApi;
  given: { proof: KindProof<Terms, Word> };
  double: WordDouble<Word>;
  clients: readonly Client[];
  all: readonly { id: string | null; ref: string }[];
}

/** All that must hold of what is stored, whatever has happened. @returns what does not */
export async function auditTransfers<Terms, Word extends PartyWord>(
  stage: Audited<Terms, Word>,
): Promise<string[]> {
  const { api, clients, all } = stage;
  const wrong: string[] = [];
  for (const played of all) wrong.push(...(await wrongWith(stage, played)));
  wrong.push(...(await checkLedger(api.database)).map((problem) => JSON.stringify(problem)));
  for (const { currency, sum } of await trialBalance(api.database))
    if (!new Decimal(sum).isZero()) wrong.push(`the trial balance of ${currency} is ${sum}`);
  for (const client of clients) wrong.push(...(await wrongWithEvents(api, client)));
  return wrong;
}

async function wrongWith<Terms, Word extends PartyWord>(
  { api, given: { proof }, double }: Audited<Terms, Word>,
  { id, ref }: { id: string | null; ref: string },
): Promise<string[]> {
  const { kind } = proof;
  const situation = id === null ? undefined : await readSituation(api.database, kind, id, new Date());
  const said = double.now(ref);
  if (!situation)
    return said && !proof.currencies.every((currency) => proof.positionOfParty(said, currency).isZero())
      ? [`${ref}: nobody has found it`]
      : [];
  const counting = effective(kind, situation);
  const books = booksOf(kind, counting);
  const stored = await storedOf(api, situation.transfer.id);
  const { word, status } = situation.transfer;
  const differs = (what: string, is: unknown, ought: unknown) =>
    JSON.stringify(is) === JSON.stringify(ought)
      ? []
      : [`${id} (${status}), ${what}: ${JSON.stringify(is)}, not ${JSON.stringify(ought)}`];
  return [
    ...(said
      ? differs('the word', canonical(word), canonical(kind.word.parse(JSON.parse(canonical(said)))))
      : []),
    ...differs('components', stored.components, lines(books.map((each) => [keyOf(each), each.amount]))),
    ...differs('ledger', stored.legs, legsOf(books, proof)),
    ...proof.currencies.flatMap((currency) =>
      differs(
        `the party's ${currency}`,
        heldByParty(books, proof.partyComponent, currency).toFixed(),
        proof.positionOfParty(counting.transfer.word, currency).toFixed(),
      ),
    ),
    ...differs(
      'suspense shown',
      stored.breaks,
      lines(
        books.filter(({ component }) => component === 'suspense').map((each) => [each.currency, each.amount]),
      ),
    ),
  ];
}

/** `name amount`, sorted; nothing of what is zero. */
function lines(all: readonly (readonly [string, Decimal])[]): string[] {
  const sums = new Map<string, Decimal>();
  for (const [name, amount] of all) sums.set(name, (sums.get(name) ?? ZERO).plus(amount));
  return [...sums]
    .filter(([, amount]) => !amount.isZero())
    .map(([name, amount]) => `${name} ${amount.toFixed()}`)
    .sort();
}

function legsOf<Terms, Word extends PartyWord>(
  books: readonly Holding[],
  { kind }: KindProof<Terms, Word>,
): string[] {
  const entries = books.map((holding) => entryOf({ ...holding, reference: 'ref' }, tableOf(kind)));
  return lines(
    entries.flatMap(({ account, available, pending }) => [
      [`${account} available`, available] as const,
      [`${account} pending`, pending] as const,
    ]),
  );
}

async function storedOf({ database }: TestApi, id: string) {
  const [entries, legs, breaks] = await Promise.all([
    database.query<{ component: string; part: string; account: string; currency: string; amount: string }>(
      `select component, part, account_id as account, currency, sum(amount) as amount from transfer_entries
        where transfer_id = $1 group by 1, 2, 3, 4`,
      [id],
    ),
    database.query<{ account: string; available: string; pending: string }>(
      `select account_id as account, sum(available) as available, sum(pending) as pending from ledger_legs
        where reference_id in (select reference_id from transfer_entries where transfer_id = $1) group by 1`,
      [id],
    ),
    database.query<{ currency: string; amount: string }>(
      `select currency, amount from breaks where subject = $1 and kind = 'transfer_suspense' and resolved_at is null`,
      [id],
    ),
  ]);
  return {
    components: lines(entries.map(({ amount, ...rest }) => [keyOf(rest), new Decimal(amount)])),
    legs: lines(
      legs.flatMap(({ account, available, pending }) => [
        [`${account} available`, new Decimal(available)] as const,
        [`${account} pending`, new Decimal(pending)] as const,
      ]),
    ),
    breaks: lines(breaks.map(({ currency, amount }) => [currency, new Decimal(amount)])),
  };
}

/** Folding the stream gives the balances, and nothing in it is told twice. */
async function wrongWithEvents(api: TestApi, client: Client): Promise<string[]> {
  const told = await toldOf(api, client);
  const folded = fold(told);
  const wrong: string[] = [];
  const accounts = await client.call('GET', '/v1/accounts?limit=100');
  for (const { id, balance } of accounts.body.data) {
    const is = new Decimal(balance.available).plus(balance.pending);
    if (!is.eq(folded.get(id) ?? 0))
      wrong.push(`the account ${id} has ${is.toFixed()}, its events say ${folded.get(id)?.toFixed()}`);
  }
  const seen = new Set<string>();
  const last = new Map<string, string>();
  for (const { event, data } of told) {
    const isMoney = event === 'account_transaction';
    const name = [event, data['referenceId'], data['type'], data['subtype']].join(' ');
    if (isMoney && seen.has(name)) wrong.push(`told twice: ${name}`);
    seen.add(name);
    if (isMoney) continue;
    if (last.get(data['id']) === event) wrong.push(`told twice in a row: ${event} of ${data['id']}`);
    last.set(data['id'], event);
  }
  return wrong;
}
