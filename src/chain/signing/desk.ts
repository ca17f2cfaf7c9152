import { z } from 'zod';
import { SIGNATURES } from '../../kernel/config/signer-operators';
import type { Database } from '../../kernel/db/database';
import { conflict, forbidden, invalid } from '../../kernel/errors';
import { type Approval, approvedAbout } from '../../process/approvals/operations';
import { type DecisionSpec, decision, installation, type SubjectSpec } from '../../process/desk/decision';
import { type Desk, defineDesk } from '../../process/desk/desk';
import { columnsOf, list, pageOfAll } from '../../process/desk/list';
import { type AllowList, bodyOf, digestOfBody, jsonOfBody, listOfBody, readAllowList } from './allow-list';
import { configuredNetworks } from './configured';
import { raiseSum } from './raise';
import type { AllowedNetwork } from './rules';
import { highestSequence, insertSigned, newestLists, type ShownList } from './store';

/** Name of the decision by which an operator's signature reaches the desk. */
export const SUBMIT = 'allow-list.submit';

/** Lists that the desk shows, the newest first. */
const SHOWN = 100;

const columns = columnsOf<ShownList>();
const placeOf = ({ createdAt, digest }: ShownList) => ({ since: createdAt, id: digest });

/** The allow-lists that operators sign, and what the signing process says about them. */
export const signingDesk = ({ database }: { database: Database }): Desk =>
  defineDesk({
    name: 'allow-list',
    title: 'What the signing process may sign, under the signatures of two operators',
    lists: [
      list({
        name: 'allow-lists',
        title: 'the lists with their signatures, the newest first, and which one is in force',
        filters: z.object({}),
        columns: {
          sequence: columns.text('sequence', ({ sequence }) => sequence),
          status: columns.status(
            'status',
            ({ verdict, signatures }) => verdict ?? waitingFor(signatures.length),
          ),
          signedBy: columns.text('signed by', ({ signatures }) =>
            signatures.map(({ operator }) => operator).join(' '),
          ),
          createdAt: columns.time('made', ({ createdAt }) => createdAt),
          judgedAt: columns.time('judged', ({ judgedAt }) => judgedAt),
          digest: columns.text('digest', ({ digest }) => digest.slice(0, 16)),
        },
        rows: async (page) => pageOfAll(await newestLists(database, SHOWN), placeOf, page),
        place: placeOf,
        decisions: [SUBMIT],
      }),
      entryList(database),
      textList(database),
      configuredList(database),
    ],
    decisions: [decision(submitSignature), decision(raiseSum)],
  });

const waitingFor = (count: number): string =>
  count < SIGNATURES ? `waits for ${SIGNATURES - count} more` : 'waits for the signing process';

interface Entry {
  of: ShownList;
  chain: string;
  chainId: number;
  role: 'treasury' | 'token' | 'delegate' | 'daily fees' | 'daily sum';
  value: string;
}

const entryColumns = columnsOf<Entry>();
const entryPlace = ({ of, chainId, role, value }: Entry) => ({
  since: of.createdAt,
  id: `${of.digest}/${chainId}/${role}/${value}`,
});

/** What each list admits. */
const entryList = (database: Database) =>
  list({
    name: 'allow-list-entries',
    verb: 'entries',
    title: 'what each list admits, the newest list first',
    filters: SEQUENCE,
    columns: {
      sequence: entryColumns.text('sequence', ({ of }) => of.sequence),
      chain: entryColumns.text('chain', ({ chain }) => chain),
      chainId: entryColumns.text('chain id', ({ chainId }) => chainId),
      role: entryColumns.status('role', ({ role }) => role),
      value: entryColumns.text('address or amount', ({ value }) => value),
    },
    rows: async (page) =>
      pageOfAll((await chosenLists(database, page.filters)).flatMap(entriesOf), entryPlace, page),
    place: entryPlace,
  });

const SEQUENCE = z.object({
  sequence: z
    .string()
    .regex(/^\d{1,15}$/)
    .optional(),
});

const chosenLists = async (
  database: Database,
  { sequence }: z.output<typeof SEQUENCE>,
): Promise<ShownList[]> =>
  (await newestLists(database, SHOWN)).filter(
    (each) => sequence === undefined || each.sequence === Number(sequence),
  );

function entriesOf(of: ShownList): Entry[] {
  const networks = listOfBody(of.body)?.networks ?? [];
  return networks.flatMap(({ chain, chainId, dailyFees, dailySums = [], treasuries, tokens, delegates }) => {
    const row = (role: Entry['role']) => (value: string) => ({ of, chain, chainId, role, value });
    return [
      ...treasuries.map(row('treasury')),
      ...tokens.map(row('token')),
      ...delegates.map(row('delegate')),
      ...[dailyFees].map(row('daily fees')),
      ...dailySums.map(({ asset, amount }) => `${amount} of ${asset}`).map(row('daily sum')),
    ];
  });
}

const textColumns = columnsOf<ShownList>();

/** The lists as JSON, for the second operator, who signs the same bytes. */
const textList = (database: Database) =>
  list({
    name: 'allow-list-texts',
    verb: 'text',
    title: 'the lists as JSON, as "operator allow-list sign" takes them',
    filters: SEQUENCE,
    columns: {
      sequence: textColumns.text('sequence', ({ sequence }) => sequence),
      digest: textColumns.text('digest', ({ digest }) => digest),
      list: textColumns.text('list', ({ body }) => jsonOfBody(body)),
      verdict: textColumns.text('verdict', ({ verdict }) => verdict),
      signatures: textColumns.text('signatures', ({ signatures }) =>
        signatures.map(({ signature }) => signature).join(' '),
      ),
    },
    rows: async (page) => pageOfAll(await chosenLists(database, page.filters), placeOf, page),
    place: placeOf,
  });

interface Wanted {
  network: AllowedNetwork;
  role: 'treasury' | 'token' | 'delegate';
  address: string;
  /** The newest decision of operators that names the address. In a forged database the decision proves nothing. */
  decision: Approval | undefined;
}

const wantedColumns = columnsOf<Wanted>();
const wantedPlace = ({ network: { chain }, role, address }: Wanted) => ({
  since: new Date(0),
  id: `${chain}/${role}/${address}`,
});

/** What the configuration needs in the list, as a start for a new one. */
const configuredList = (database: Database) =>
  list({
    name: 'allow-list-configured',
    verb: 'configured',
    title:
      'what the configuration of networks and gas stations needs in the list; compare it with your own records',
    filters: z.object({}),
    columns: {
      chain: wantedColumns.text('chain', ({ network }) => network.chain),
      chainId: wantedColumns.text('chain id', ({ network }) => network.chainId),
      role: wantedColumns.status('role', ({ role }) => role),
      address: wantedColumns.text('address', ({ address }) => address),
      decidedBy: wantedColumns.text('decided by', ({ decision: made }) => made && decidersOf(made)),
      decidedAt: wantedColumns.time('decided', ({ decision: made }) => made?.decidedAt),
      approvalId: wantedColumns.text('approval', ({ decision: made }) => made?.id),
    },
    rows: async (page) => pageOfAll(await wantedIn(database), wantedPlace, page),
    place: wantedPlace,
  });

async function wantedIn(database: Database): Promise<Wanted[]> {
  const networks = await configuredNetworks(database);
  const wanted = networks.map(async (network) =>
    wantedOf(network, await approvedAbout(database, network.chain, DECISIONS)),
  );
  return (await Promise.all(wanted)).flat();
}

/** Decisions about a network in which an address is looked for. */
const DECISIONS = 100;

function wantedOf(network: AllowedNetwork, decisions: readonly Approval[]): Wanted[] {
  const texts = decisions.map((made) => [made, JSON.stringify(made.terms).toLowerCase()] as const);
  const row = (role: Wanted['role']) => (address: string) => {
    const [found] = texts.filter(([, text]) => text.includes(address.toLowerCase()));
    return { network, role, address, decision: found?.[0] };
  };
  return [
    ...[...network.treasuries].map(row('treasury')),
    ...[...network.tokens].map(row('token')),
    ...[...network.delegates].map(row('delegate')),
  ];
}

/** The operators who have asked for a decision and approved it. */
const decidersOf = ({ requestedBy, firstBy, decidedBy }: Approval): string =>
  [requestedBy, firstBy, decidedBy].filter((name) => name !== null).join(', ');

const input = z.strictObject({
  list: z
    .string()
    .max(100_000)
    .meta({ description: 'The list as JSON: version, firstAddress, sequence, expiresAt, networks.' }),
  signature: z
    .string()
    .regex(/^[A-Za-z0-9+/]{86}==$/, 'must be a signature of 64 bytes in base64')
    .meta({ description: "Ed25519, by your signing key, over the list's canonical bytes; base64." }),
});

/** The lists that there are. */
interface Lists {
  highest: number;
}

const lists: SubjectSpec<Lists> = {
  ...installation,
  read: async (sql) => ({ highest: await highestSequence(sql) }),
  lock: async (tx) => ({ highest: await highestSequence(tx) }),
};

/**
 * Stores an operator's signature. The desk knows no public keys and proves nothing: the signing process does. Two
 * signatures are two operators' decisions, so no approval is asked for beside.
 */
const submitSignature: DecisionSpec<Lists, z.output<typeof input>> = {
  name: SUBMIT,
  title: 'stores your signature on an allow-list ("operator allow-list sign" makes it)',
  permission: 'chain',
  reason: 'optional',
  subject: lists,
  input,
  restsOn: () => ({}),
  async preview(_, { input: { list: text } }) {
    const given = requireList(text);
    return [
      { field: 'sequence', from: null, to: String(given.sequence) },
      { field: 'expiresAt', from: null, to: given.expiresAt },
      ...given.networks.flatMap(({ chain, dailySums = [], treasuries, tokens, delegates }) => [
        ...dailySums.map(({ asset, amount }) => ({
          field: `${chain} daily sum of ${asset}`,
          from: null,
          to: amount,
        })),
        { field: `${chain} treasuries`, from: null, to: treasuries.join(' ') },
        { field: `${chain} tokens`, from: null, to: tokens.join(' ') },
        { field: `${chain} delegates`, from: null, to: delegates.join(' ') },
      ]),
    ];
  },
  async execute(tx, { subject: { highest }, input: { list: text, signature }, actor }) {
    const given = requireList(text);
    const { sequence } = given;
    if (sequence < highest)
      throw conflict(
        'invalid_transition',
        `sequence must be at least ${highest}, that of the newest list.`,
        'list',
      );
    const operator = nameOf(actor);
    const body = bodyOf(given);
    const digest = digestOfBody(body);
    await insertSigned(tx, { digest, sequence, body }, { operator, signature });
    const result = { digest, sequence, operator };
    return { after: result, result };
  },
};

function nameOf(actor: string): string {
  const [, name] = /^operator:(.+)$/.exec(actor) ?? [];
  if (name === undefined) throw forbidden('Only an operator signs an allow-list.');
  return name;
}

/** @throws Problem 400 naming `list` */
function requireList(text: string): AllowList {
  const read = readAllowList(text);
  if ('list' in read) return read.list;
  throw invalid(`list: ${read.wrong[0]}.`, 'list');
}
