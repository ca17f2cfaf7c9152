import { createHash, createPublicKey, verify } from 'node:crypto';
import { z } from 'zod';
import { SIGNATURES, type SignerOperator } from '../../kernel/config/signer-operators';
import { Decimal } from '../../kernel/money/money';
import { checkedAddress } from '../../parties/chain/addresses';
import { isChainName } from '../networks/record';
import { NATIVE_DECIMALS, toUnits } from '../networks/rules';
import { NATIVE } from './outflow';
import type { AllowedNetwork } from './rules';

/**
 * The allow-list: one list for all networks, signed by two operators over its canonical bytes. A new list has a higher
 * sequence and replaces the earlier one whole.
 */

const MAX_ADDRESSES = 200;

const address = z.string().transform((text, context) => {
  const checked = checkedAddress('evm', text);
  if (checked === undefined) context.addIssue('must be an address: 0x and 40 hexadecimal digits');
  return checked ?? text;
});
const addresses = z
  .array(address)
  .max(MAX_ADDRESSES)
  .transform((given) => [...new Set(given)].sort());

/** A source must say who has confirmed the address, and how. */
const LEAST_SOURCE = 10;
const MAX_SOURCE = 300;

const sources = z
  .record(
    address,
    z.string().trim().min(LEAST_SOURCE, 'must say who has confirmed the address, and how').max(MAX_SOURCE),
  )
  .meta({
    description:
      "Where an address comes from, by the address: the decision with the operators' names, or the treasury's own confirmation.",
  });

const dailySum = z
  .strictObject({
    asset: z
      .union([z.literal(NATIVE), address])
      .meta({ description: '`native`, or the address of a token.' }),
    decimals: z.int().min(0).max(36),
    amount: z
      .string()
      .regex(/^(0|[1-9]\d{0,17})(\.\d{1,36})?$/, 'must be an amount of the asset, such as "250000"'),
  })
  .refine(({ amount, decimals }) => new Decimal(amount).decimalPlaces() <= decimals, {
    message: 'amount must not have more decimals than the asset',
  })
  .transform(({ asset, decimals, amount }) => ({ asset, decimals, amount }));

const dailySums = z
  .array(dailySum)
  .min(1)
  .max(MAX_ADDRESSES)
  .refine((given) => new Set(given.map(({ asset }) => asset)).size === given.length, {
    message: 'must not name an asset twice',
  })
  .transform((given) => [...given].sort((one, other) => (one.asset < other.asset ? -1 : 1)))
  .meta({ description: 'Most that may leave own wallets in a UTC day, by asset. Absent: no limit.' });

const network = z
  .strictObject({
    chain: z.string().refine(isChainName, 'must be the name of a network'),
    chainId: z.int().min(1).meta({ description: 'EIP-155.' }),
    dailyFees: z
      .string()
      .regex(/^(0|[1-9]\d{0,8})(\.\d{1,18})?$/, 'must be an amount of the native coin, such as "0.25"')
      .meta({ description: 'Most that transactions of a UTC day may cost in gas, in the native coin.' }),
    treasuries: addresses,
    tokens: addresses,
    delegates: addresses,
    dailySums: dailySums.optional(),
    sources: sources.optional(),
  })
  .transform(({ sources: given = {}, dailySums: sums, ...terms }, context) => {
    const listed = new Set([...terms.treasuries, ...terms.tokens, ...terms.delegates]);
    const named = Object.entries(given).sort(([one], [other]) => (one < other ? -1 : 1));
    for (const [each] of named)
      if (!listed.has(each)) context.addIssue(`sources names ${each}, which is not in the list`);
    return {
      ...terms,
      ...(sums ? { dailySums: sums } : {}),
      ...(named.length > 0 ? { sources: Object.fromEntries(named) } : {}),
    };
  });

const allowList = z.strictObject({
  version: z.literal(1),
  /** Address of the first wallet. A list of another installation has another one, and is void here. */
  firstAddress: address,
  /** Above that of the list before. */
  sequence: z.int().min(1),
  expiresAt: z.iso.datetime().transform((text) => new Date(text).toISOString()),
  networks: z
    .array(network)
    .max(50)
    .refine((given) => new Set(given.map(({ chainId }) => chainId)).size === given.length, {
      message: 'must not name a chain id twice',
    })
    .transform((given) => [...given].sort((one, other) => one.chainId - other.chainId)),
});

export type AllowList = z.output<typeof allowList>;

/** Reads a list in any spelling. @returns the list, or a sentence about each fault */
export function readAllowList(text: string): { list: AllowList } | { wrong: string[] } {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return { wrong: ['must be JSON'] };
  }
  const { success, data, error } = allowList.safeParse(given);
  if (success) return { list: data };
  return { wrong: error.issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`) };
}

/** Before the JSON, so that no other signature of an operator's key can be taken for one on a list. */
const PREFIX = 'cardwright/allow-list/1\n';

/** The text that operators sign: fields in one order, addresses checksummed and sorted, no white space. */
export function bodyOf({ version, firstAddress, sequence, expiresAt, networks }: AllowList): string {
  const ordered = networks.map(({ chain, chainId, dailyFees, treasuries, tokens, delegates, ...more }) => ({
    chain,
    chainId,
    dailyFees,
    treasuries,
    tokens,
    delegates,
    ...more,
  }));
  return PREFIX + JSON.stringify({ version, firstAddress, sequence, expiresAt, networks: ordered });
}

/** The JSON of a text that was signed. */
export const jsonOfBody = (body: string): string => body.slice(PREFIX.length);

/** Reads a text that was signed. Undefined for a text in any other spelling. */
export function listOfBody(body: string): AllowList | undefined {
  if (!body.startsWith(PREFIX)) return undefined;
  const read = readAllowList(jsonOfBody(body));
  return 'list' in read && bodyOf(read.list) === body ? read.list : undefined;
}

export const digestOfBody = (body: string): string => createHash('sha256').update(body).digest('hex');

export interface ListSignature {
  operator: string;
  /** Base64. */
  signature: string;
}

/** The operators who have signed a text. Two names with one key count once. */
export function signersOf(
  body: string,
  signatures: readonly ListSignature[],
  operators: readonly SignerOperator[],
): string[] {
  const bytes = Buffer.from(body);
  const keys = new Set<string>();
  return operators
    .filter(({ name, publicKey }) =>
      signatures.some(
        ({ operator, signature }) => operator === name && isSignedBy(publicKey, bytes, signature),
      ),
    )
    .filter(({ publicKey }) => {
      const key = publicKey.toString('hex');
      const isNew = !keys.has(key);
      keys.add(key);
      return isNew;
    })
    .map(({ name }) => name);
}

function isSignedBy(publicKey: Buffer, bytes: Buffer, signature: string): boolean {
  const key = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') },
    format: 'jwk',
  });
  return verify(null, bytes, key, Buffer.from(signature, 'base64'));
}

/** The list that a signing process has accepted last. It keeps this where no other process can write. */
export interface SeenList {
  sequence: number;
  digest: string;
}

/** A stored list with its signatures. Any process can have written them. */
export interface StoredList {
  digest: string;
  body: string;
  signatures: readonly ListSignature[];
}

/** How lists are judged. */
export interface Judging {
  operators: readonly SignerOperator[];
  /** Of the installation's first wallet, as the seed gives it. */
  firstAddress: string;
  seen: SeenList | undefined;
  at: Date;
}

/** A list by a judgement: accepted, or a sentence why not. */
export type JudgedList = { list: AllowList } | { refused: string };

/** Judges one list for itself. */
export function judgeList({ body, digest, signatures }: StoredList, judging: Judging): JudgedList {
  const { operators, firstAddress, seen, at } = judging;
  const list = listOfBody(body);
  if (!list || digestOfBody(body) !== digest) return { refused: 'It is not in the canonical form.' };
  if (list.firstAddress !== firstAddress) return { refused: 'It is for another installation.' };
  const signers = signersOf(body, signatures, operators);
  if (signers.length < SIGNATURES)
    return { refused: `It needs ${SIGNATURES} signatures and has ${signers.length} that are valid.` };
  if (seen && list.sequence < seen.sequence) return { refused: `The list ${seen.sequence} has replaced it.` };
  if (seen && list.sequence === seen.sequence && digest !== seen.digest)
    return { refused: 'Another list has the same sequence.' };
  if (new Date(list.expiresAt) <= at) return { refused: 'It has expired.' };
  return { list };
}

/** The networks of a list, for the judgement of transactions. */
export const networksOf = ({ networks }: AllowList): AllowedNetwork[] =>
  networks.map(({ chain, chainId, dailyFees, dailySums: sums = [], treasuries, tokens, delegates }) => ({
    chain,
    chainId,
    dailySums: new Map(
      sums.map(({ asset, decimals, amount }) => [
        asset,
        { units: toUnits(new Decimal(amount), decimals), decimals },
      ]),
    ),
    dailyFees: toUnits(new Decimal(dailyFees), NATIVE_DECIMALS.evm),
    treasuries: new Set(treasuries),
    tokens: new Set(tokens),
    delegates: new Set(delegates),
  }));
