import { z } from 'zod';
import { findMasterAccount, type OpenedAccount } from '../../accounts/accounts/operations';
import { openedBeside } from '../../accounts/desk-decisions';
import type { Sql, Tx } from '../../kernel/db/database';
import { identifier } from '../../kernel/wire/schemas';
import { type Decision, decision, type Facts, type SubjectSpec } from '../../process/desk/decision';
import { type Desk, defineDesk } from '../../process/desk/desk';
import { columnsOf, list } from '../../process/desk/list';
import type { Services } from '../../services';
import { requireTenant } from '../../tenants/clients/operations';
import {
  binOf,
  capacityField,
  type LimitsInput,
  limitsFields,
  limitsOf,
  limitsShown,
  type ProgrammeInput,
  programmeFields,
} from './desk-input';
import {
  addBin,
  admitToBin,
  assertCapacity,
  assertLimits,
  assertProgramme,
  type Bin,
  type BinChange,
  binExists,
  changeBin,
  listBins,
  lockBin,
  readBins,
  setProgrammeLimits,
} from './operations';
import { binView } from './view';

const columns = columnsOf<Bin>();
const feeColumn = (title: string, name: Exclude<keyof Bin['fees'], 'settlePercent'>) =>
  columns.money(title, ({ fees, currency }) => ({ amount: fees[name], currency }));

/** BINs sort by their numbers alone. */
const AT_ONCE = new Date(0);

/** The desk of BINs and the programmes that run on them. */
export function binDesk({ database }: Pick<Services, 'database'>): Desk {
  return defineDesk({
    name: 'bin',
    title: 'BINs and the programmes that run on them',
    lists: [
      list({
        name: 'bins',
        title: 'all BINs with their fees',
        filters: z.object({}),
        columns: {
          bin: columns.text('bin', ({ bin }) => bin),
          scheme: columns.text('scheme', ({ scheme }) => scheme),
          currency: columns.text('currency', ({ currency }) => currency),
          model: columns.text('model', ({ model }) => model),
          status: columns.status('status', ({ status }) => status),
          issueFee: feeColumn('issue fee', 'issue'),
          topUpFee: feeColumn('top-up fee', 'topUp'),
          settleFee: feeColumn('settle fee', 'settleFixed'),
          settlePercent: columns.text('+ percent', ({ fees }) => `${fees.settlePercent.toFixed()} %`),
          declineFee: feeColumn('decline fee', 'decline'),
          capacity: columns.text('capacity', ({ capacityPerCardholder }) => capacityPerCardholder),
        },
        // Reads every BIN, because an installation has few.
        async rows({ after, limit }) {
          const all = (await listBins(database)).sort((one, other) => (one.bin < other.bin ? -1 : 1));
          return all.filter(({ bin }) => after === undefined || bin > after.id).slice(0, limit);
        },
        place: ({ bin }) => ({ since: AT_ONCE, id: bin }),
      }),
    ],
    decisions: [
      adding,
      admission,
      change('open', 'issues on it again', 'active'),
      change('close', 'nothing new is issued on it; its cards go on', 'closed'),
      capacity,
      limits,
    ],
  });
}

const bins: SubjectSpec<Bin> = {
  noun: 'bin',
  kinds: [],
  read: async (sql, id) => (await readBins(sql, [id]))[0],
  lock: lockBin,
  tenantOf: () => null,
};

/** A BIN that may not exist yet. */
const newBins: SubjectSpec<{ existing: Bin | undefined }> = {
  noun: 'bin',
  kinds: [],
  read: async (sql, id) => ({ existing: await bins.read(sql, id) }),
  lock: async (tx, id) => ({ existing: await lockBin(tx, id) }),
  tenantOf: () => null,
};

/** The facts of a BIN that an operator judges by. */
const factsOf = (bin: Bin): Facts => ({
  status: bin.status,
  capacity: bin.capacityPerCardholder,
  ...Object.fromEntries(Object.entries(limitsShown(bin)).map(([name, value]) => [name, textOf(value)])),
});

const textOf = (value: string | boolean | readonly string[] | null): string | null =>
  value === null ? null : typeof value === 'object' ? value.join(' ') || null : String(value);

const adding: Decision = decision<{ existing: Bin | undefined }, ProgrammeInput>({
  name: 'bin.add',
  title: "adds a BIN and its programme; fees are in the BIN's currency",
  permission: 'security',
  subject: newBins,
  reason: 'optional',
  input: programmeFields,
  restsOn: ({ existing }) => ({ status: existing?.status ?? null }),
  async preview(tx, { id, subject, input }) {
    const wanted = binOf(id, input);
    assertProgramme(wanted);
    if (subject.existing) throw binExists();
    const { fees, ...shown } = binView(wanted);
    const admitted = await Promise.all(input.admit.map((client) => admissionEffects(tx, wanted, client)));
    return [
      ...Object.entries({ ...shown, ...fees }).map(([field, to]) => ({ field, from: null, to: String(to) })),
      ...admitted.flat(),
    ];
  },
  async execute(tx, { id, input }) {
    const wanted = await addBin(tx, binOf(id, input));
    const opened: OpenedAccount[] = [];
    for (const client of input.admit) opened.push(await admit(tx, client, id));
    return {
      after: { ...binView(wanted), admitted: input.admit },
      also: opened.flatMap(openedBeside),
      result: binView(wanted),
    };
  },
});

async function admit(tx: Tx, tenantId: string, bin: string): Promise<OpenedAccount> {
  await requireTenant(tx, tenantId);
  return admitToBin(tx, tenantId, bin);
}

/** @throws Problem 404 for an unknown tenant */
async function admissionEffects(sql: Sql, { currency }: Bin, client: string) {
  await requireTenant(sql, client);
  const master = await findMasterAccount(sql, client, currency);
  const open = master?.status === 'active' ? master.id : null;
  return [
    { field: 'may issue', from: null, to: client },
    { field: `account in ${currency} of ${client}`, from: open, to: open ?? 'a new one' },
  ];
}

const admission: Decision = decision<Bin, { client: string }>({
  name: 'bin.admit',
  title: "lets a tenant issue on a BIN; opens its account in the BIN's currency where it has none",
  permission: 'security',
  subject: bins,
  reason: 'optional',
  input: z.strictObject({
    client: identifier('cli_01jz0000000000000000000000').meta({ description: 'Id of the tenant.' }),
  }),
  restsOn: ({ status }) => ({ status }),
  preview: (tx, { subject, input }) => admissionEffects(tx, subject, input.client),
  async execute(tx, { id, input: { client } }) {
    const opened = await admit(tx, client, id);
    return {
      about: { id, tenantId: client },
      after: { client },
      also: openedBeside(opened),
      result: { bin: id, clientId: client },
    };
  },
});

const change = (verb: 'open' | 'close', title: string, status: Bin['status']): Decision =>
  decision<Bin>({
    name: `bin.${verb}`,
    title,
    permission: 'security',
    subject: bins,
    restsOn: factsOf,
    preview: async (_, { subject }) => [{ field: 'status', from: subject.status, to: status }],
    execute: (tx, { id }) => changed(tx, id, { status }),
  });

const capacity: Decision = decision<Bin, { capacity: number }>({
  name: 'bin.set',
  title: 'changes how many cards a cardholder may have on it',
  permission: 'security',
  subject: bins,
  reason: 'optional',
  input: z.strictObject({ capacity: capacityField() }),
  restsOn: factsOf,
  async preview(_, { subject, input }) {
    assertCapacity({ ...subject, capacityPerCardholder: input.capacity });
    const from = String(subject.capacityPerCardholder);
    return [{ field: 'capacity', from, to: String(input.capacity) }];
  },
  execute: (tx, { id, input }) => changed(tx, id, { capacityPerCardholder: input.capacity }),
});

async function changed(tx: Tx, bin: string, wanted: BinChange) {
  const { before, after } = await changeBin(tx, bin, wanted);
  return { before: changeable(before), after: changeable(after), result: binView(after) };
}

const changeable = ({ status, capacityPerCardholder }: Bin) => ({ status, capacityPerCardholder });

const limits: Decision = decision<Bin, LimitsInput>({
  name: 'bin.limits',
  title: 'replaces what the programme allows each of its cards: what is not given is not bounded',
  permission: 'security',
  subject: bins,
  reason: 'optional',
  input: z.strictObject(limitsFields),
  restsOn: factsOf,
  async preview(_, { subject, input }) {
    const wanted = limitsOf(input);
    assertLimits(wanted, subject.currency);
    const before = limitsShown(subject);
    return Object.entries(limitsShown(wanted))
      .map(([field, to]) => ({
        field,
        from: textOf(before[field as keyof typeof before]),
        to: textOf(to),
      }))
      .filter(({ from, to }) => from !== to);
  },
  async execute(tx, { id, input }) {
    const { before, after } = await setProgrammeLimits(tx, id, limitsOf(input));
    const [was, is] = [limitsShown(before), limitsShown(after)];
    return { before: was, after: is, result: { bin: id, limits: is, before: was } };
  },
});
