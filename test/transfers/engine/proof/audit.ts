import type { Database } from '../../../../src/kernel/db/database';
import { checkLedger, trialBalance } from '../../../../src/kernel/ledger/check';
import { Decimal, ZERO } from '../../../../src/kernel/money/money';
import { checkRunningSums } from '../../../../src/transfers/check';
import { componentsOf, entryOf, type Holding, keyOf } from '../../../../src/transfers/engine/books/position';
import { effective } from '../../../../src/transfers/engine/conclusion';
import { canonical, follow } from '../../../../src/transfers/engine/follow';
import type { AnyKind } from '../../../../src/transfers/engine/kind';
import type { PartyWord, Situation } from '../../../../src/transfers/engine/record';
import { readSituation } from '../../../../src/transfers/engine/store';
import type { Client, TestApi } from '../../../support/api';
import { fold, type Told } from '../../deposits/support';
import { booksOf, heldByParty } from '../books';
import type { KindProof } from './kind-proof';
import type { PostgresProof } from './stage';
import type { WordDouble } from './word-double';

export interface Audited<Terms, Word extends PartyWord> {
  api: TestApi;
  given: Pick<PostgresProof<Terms, Word>, 'proof' | 'mustBeFound' | 'heard'>;
  double: WordDouble<Word>;
  clients: readonly Client[];
  all: readonly { id: string | null; ref: string }[];
}

/** Checks all invariants of the stored transfers. @returns the problems */
export async function auditTransfers<Terms, Word extends PartyWord>(
  stage: Audited<Terms, Word>,
): Promise<string[]> {
  const { api, clients, all } = stage;
  const wrong: string[] = [];
  for (const played of all) wrong.push(...(await wrongWith(stage, played)));
  wrong.push(...(await checkLedger(api.database)).map((problem) => JSON.stringify(problem)));
  wrong.push(...(await checkRunningSums(api.database)).map((problem) => JSON.stringify(problem)));
  for (const { currency, sum } of await trialBalance(api.database))
    if (!new Decimal(sum).isZero()) wrong.push(`the trial balance of ${currency} is ${sum}`);
  for (const client of clients) wrong.push(...(await wrongWithEvents(api, client)));
  return wrong;
}

async function wrongWith<Terms, Word extends PartyWord>(
  { api, given: { proof, mustBeFound, heard }, double }: Audited<Terms, Word>,
  { id, ref }: { id: string | null; ref: string },
): Promise<string[]> {
  const { kind } = proof;
  const situation = id === null ? undefined : await readSituation(api.database, kind, id, new Date());
  const said = double.now(ref);
  if (!situation) return said && mustBeFound?.(said) ? [`${ref}: it was not found`] : [];
  const counting = effective(kind, situation);
  const books = booksOf(kind, counting);
  const stored = await storedOf(api, situation.transfer.id);
  const { word, status } = situation.transfer;
  const ought = said && word && heard ? heard(said, word, double.history(ref)) : said;
  const differs = (what: string, is: unknown, wanted: unknown) =>
    JSON.stringify(is) === JSON.stringify(wanted)
      ? []
      : [`${id} (${status}), ${what}: ${JSON.stringify(is)}, not ${JSON.stringify(wanted)}`];
  return [
    ...(ought
      ? differs('the word', canonical(word), canonical(kind.word.parse(JSON.parse(canonical(ought)))))
      : []),
    ...differs('what is left to do', leftToDo(kind, counting), []),
    ...failed(() => proof.also?.(counting, books, follow(kind, counting).impossible !== null)).map(
      (message) => `${id} (${status}): ${message}`,
    ),
    ...differs('components', stored.components, lines(books.map((each) => [keyOf(each), each.amount]))),
    ...differs('ledger', stored.legs, legsOf(books, proof)),
    ...proof.currencies.flatMap((currency) =>
      differs(
        `the party's ${currency}`,
        heldByParty(proof.kind, books, currency).toFixed(),
        proof.positionOfParty(counting.transfer, currency, counting.decisions).toFixed(),
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

/** The decisions and transitions that another step would make. */
function leftToDo(kind: AnyKind, counting: Situation): string[] {
  const { chosen, path } = follow(kind, counting);
  return [...chosen.map((decision) => decision.kind), ...path.map(({ on }) => on)];
}

function failed(assert: () => void): string[] {
  try {
    assert();
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

/** `name amount`, sorted, without zeros. */
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
  const entries = books.map((holding) => entryOf({ ...holding, reference: 'ref' }, componentsOf(kind)));
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

/** Checks that the webhooks add up to the balances, and that none repeats another. */
async function wrongWithEvents({ database }: TestApi, { clientId }: Client): Promise<string[]> {
  const told = await eventsOf(database, clientId);
  const folded = fold(told);
  const wrong: string[] = [];
  const accounts = await database.query<{ id: string; balance: string; is_short: boolean }>(
    `select id, available + pending as balance, available < 0 and not exists (
              select from breaks where kind = 'transfer_below_zero' and detail = a.id and resolved_at is null) as is_short
       from ledger_accounts a where tenant_id = $1 and kind <> 'card'`,
    [clientId],
  );
  for (const { id, balance, is_short } of accounts) {
    if (!(folded.get(id) ?? ZERO).eq(balance))
      wrong.push(`the account ${id} has ${balance}, its events say ${folded.get(id)?.toFixed()}`);
    if (is_short) wrong.push(`the account ${id} has ${balance}, and nobody is told`);
  }
  return [...wrong, ...toldTwice(told)];
}

const eventsOf = async (database: Database, tenantId: string): Promise<Told[]> => {
  const rows = await database.query<{ event: string; data: string; key: string | null }>(
    'select event, whole_text(data) as data, idempotency_key as key from events where tenant_id = $1 order by number',
    [tenantId],
  );
  return rows.map(({ event, data, key }) => ({ event, data: JSON.parse(data), key }));
};

/** Finds repeated account transactions, and status changes that do not follow the status before. */
function toldTwice(told: readonly Told[]): string[] {
  const wrong: string[] = [];
  const seen = new Set<string>();
  const last = new Map<string, string>();
  for (const { event, data } of told) {
    if (event === 'account_transaction') {
      const name = ['referenceId', 'type', 'subtype'].map((field) => data[field]).join(' ');
      if (seen.has(name)) wrong.push(`told twice: ${name}`);
      seen.add(name);
      continue;
    }
    const { status, previousStatus, id, recordId = id } = data;
    const before = last.get(recordId);
    if (before === status || (previousStatus && before && before !== previousStatus))
      wrong.push(`${recordId} was ${before}, then told ${previousStatus} → ${status}`);
    last.set(recordId, status);
  }
  return wrong;
}
