import { z } from 'zod';
import { type StatementDownloadServices, statementDownload } from '../../accounts/statements/download';
import { accountLines, referencesOf, type StoryServices } from '../../accounts/stories';
import type { IbanRange } from '../../kernel/config/virtual-ibans';
import { type Locking } from '../../kernel/db/build';
import type { Sql } from '../../kernel/db/database';
import { conflict, notFound } from '../../kernel/errors';
import { readBalances } from '../../kernel/ledger/accounts';
import { formatAmount } from '../../kernel/money/money';
import { commonLists } from '../../process/desk/common-lists';
import { type Decision, decision, type SubjectSpec } from '../../process/desk/decision';
import { type Desk, defineDesk } from '../../process/desk/desk';
import { finder } from '../../process/desk/finder';
import { columnsOf, type List, list } from '../../process/desk/list';
import { record } from '../../process/desk/record';
import { type Story, storyOf } from '../../process/desk/story';
import type { Services } from '../../services';
import { tenantExists } from '../../tenants/clients/operations';
import { type IbanFee, unpaidFees } from './fees/operations';
import {
  disableIban,
  enableIban,
  findVirtualIban,
  findVirtualIbanById,
  foundVirtualIbans,
  listVirtualIbans,
  type VirtualIban,
} from './virtual-ibans/capability';

export type IbanDeskServices = StoryServices &
  StatementDownloadServices &
  Pick<Services, 'now' | 'ibanRange'>;

/** The desk of virtual IBANs. An operator gives them to companies, and takes them away. */
export function ibanDesk(services: IbanDeskServices): Desk {
  return defineDesk({
    name: 'iban',
    title: 'Virtual IBANs of companies',
    lists: [ibansList(services), feesList(services)],
    records: [
      record({
        kind: 'virtualIban',
        title: 'A virtual IBAN',
        story: (id, limit) => ibanStory(services, id, limit),
        download: statementDownload(services, 'iban', 'money'),
      }),
    ],
    decisions: [switching(services, 'enable'), switching(services, 'disable')],
    finds: [
      finder({
        name: 'virtual-iban-by-iban',
        title: 'a virtual IBAN of ours',
        pattern: /^[A-Z]{2}\d{2}[A-Z0-9 ]{11,40}$/i,
        find: (text, limit) => foundVirtualIbans(services.database, text, limit),
      }),
    ],
  });
}

const ibans = columnsOf<VirtualIban>();

const ibansList = ({ database }: IbanDeskServices): List =>
  list({
    name: 'virtual-ibans',
    title: 'all virtual IBANs, newest first',
    filters: z.object({
      client: z.string().max(200).optional().meta({ description: 'Id of the company.' }),
    }),
    columns: {
      id: ibans.id('id', ({ id }) => id),
      company: ibans.id('company', ({ tenantId }) => tenantId),
      iban: ibans.text('iban', ({ iban }) => iban),
      bic: ibans.text('bic', ({ bic }) => bic),
      status: ibans.status('status', ({ status }) => status),
      created: ibans.time('created', ({ createdAt }) => createdAt),
    },
    rows: ({ filters: { client = null }, after, limit }) =>
      listVirtualIbans(database, client, { after: after?.id, rows: limit }),
    place: ({ id, createdAt }) => ({ id, since: createdAt }),
  });

const fees = columnsOf<IbanFee>();

const feesList = ({ database }: IbanDeskServices): List =>
  list({
    name: 'iban-fees',
    title: 'monthly fees that are unpaid, oldest first',
    verb: 'fees',
    filters: z.object({}),
    columns: {
      iban: fees.id('iban', ({ virtualIbanId }) => virtualIbanId),
      company: fees.id('company', ({ tenantId }) => tenantId),
      month: fees.text('month', ({ month }) => month),
      amount: fees.money('amount', ({ amount }) => ({ amount, currency: 'EUR' })),
      attempts: fees.text('attempts', ({ attempts }) => attempts),
    },
    rows: ({ after, limit }) =>
      unpaidFees(
        database,
        after ? { month: after.since.toISOString().slice(0, 7), virtualIbanId: after.id } : null,
        limit,
      ),
    place: ({ month, virtualIbanId }) => ({ since: new Date(`${month}-01T00:00:00Z`), id: virtualIbanId }),
  });

/** A company with its virtual IBAN, where it has had one. */
interface Company {
  tenantId: string;
  iban: VirtualIban | undefined;
}

async function readCompany(sql: Sql, id: string, locking: Locking = {}): Promise<Company | undefined> {
  if (!(await tenantExists(sql, id))) return undefined;
  return { tenantId: id, iban: await findVirtualIban(sql, id, locking) };
}

const companies: SubjectSpec<Company> = {
  noun: 'company',
  kinds: ['tenant'],
  read: (sql, id) => readCompany(sql, id),
  lock: (tx, id) => readCompany(tx, id, { lock: 'update' }),
  tenantOf: ({ tenantId }) => tenantId,
};

function switching({ ibanRange, now }: IbanDeskServices, verb: 'enable' | 'disable'): Decision {
  const status = verb === 'enable' ? 'active' : 'disabled';
  /** @throws Problem 409 */
  const requireRange = (): IbanRange => {
    if (ibanRange) return ibanRange;
    throw conflict('invalid_transition', 'No bank has given a range of IBANs (VIRTUAL_IBAN_PREFIX).');
  };
  /** @throws Problem 404, 409 */
  const assertPossible = ({ iban }: Company): void => {
    if (verb === 'enable') requireRange();
    else if (!iban) throw notFound('virtual IBAN');
  };
  return decision<Company>({
    name: `iban.${verb}`,
    title:
      verb === 'enable'
        ? 'gives a company its virtual IBAN, or gives it back'
        : 'takes it away: calls answer 403, what comes in waits in suspense',
    permission: 'money',
    subject: companies,
    reason: 'optional',
    restsOn: ({ iban }) => ({ status: iban?.status ?? null }),
    async preview(_, { subject }) {
      assertPossible(subject);
      return [{ field: 'status', from: subject.iban?.status ?? null, to: status }];
    },
    async execute(tx, { id, subject }) {
      assertPossible(subject);
      const { iban, changed } =
        verb === 'enable'
          ? await enableIban(tx, requireRange(), id, now())
          : await disableIban(tx, id, now());
      return {
        about: { id: iban.id, tenantId: id },
        after: { status: iban.status, changed },
        result: viewOf(iban),
      };
    },
  });
}

const viewOf = ({ id, tenantId, iban, bic, status }: VirtualIban) => ({
  id,
  companyId: tenantId,
  iban,
  bic,
  status,
});

async function ibanStory(services: StoryServices, id: string, limit: number): Promise<Story | undefined> {
  const { database } = services;
  const found = await findVirtualIbanById(database, null, id);
  if (!found) return undefined;
  const { tenantId, status, iban, bic, createdAt, updatedAt } = found;
  const balance = (await readBalances(database, [id])).get(id);
  const transactions = await accountLines(services, id, limit);
  return storyOf(
    id,
    {
      what: 'virtual IBAN',
      tenantId,
      status,
      since: updatedAt.toISOString(),
      record: {
        iban,
        bic,
        createdAt: createdAt.toISOString(),
        currency: 'EUR',
        ...(balance ? { available: formatAmount(balance.available, 'EUR') } : {}),
      },
    },
    { ...(await commonLists(database, { id, references: referencesOf(transactions) }, limit)), transactions },
    limit,
  );
}
