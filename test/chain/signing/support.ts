import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import pino from 'pino';
import { delegateAddress } from '../../../src/chain/gas-station/strategies/delegate';
import { type AllowList, bodyOf, digestOfBody, type SeenList } from '../../../src/chain/signing/allow-list';
import { configuredNetworks } from '../../../src/chain/signing/configured';
import { servingOf } from '../../../src/chain/signing/process';
import { serveSigning } from '../../../src/chain/signing/serve';
import type { StationKeySetting } from '../../../src/kernel/config/station-keys';
import { table } from '../../../src/kernel/db/build';
import type { Sql } from '../../../src/kernel/db/database';
import { createRemoteSigner } from '../../../src/parties/signer/remote';
import { testDatabase } from '../../support/database';
import { seedKeys, testKeyring } from '../../support/keyring';
import { testStation } from '../gas-station/operations/support';

/** An operator with his key. */
export interface Signing {
  name: string;
  publicKey: Buffer;
  privateKey: KeyObject;
}

export function signingOperator(name: string): Signing {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return { name, publicKey: Buffer.from(x, 'base64url'), privateKey };
}

export const signatureOf = ({ name, privateKey }: Signing, body: string) => ({
  operator: name,
  signature: sign(null, Buffer.from(body), privateKey).toString('base64'),
});

/** Writes a list and signatures as any process can that reaches the database. */
export async function storeList(
  sql: Sql,
  body: string,
  sequence: number,
  signatures: readonly { operator: string; signature: string }[],
): Promise<void> {
  const digest = digestOfBody(body);
  const createdAt = new Date();
  await sql.run(table('allow_lists').insert({ digest, sequence, body, createdAt }));
  for (const each of signatures)
    await sql.run(table('allow_list_signatures').insert({ ...each, digest, createdAt }));
}

export type SigningWorld = Awaited<ReturnType<typeof signingWorld>>;

/** A gas station whose signatures come from a signing process of its own, which asks for lists of ida and bob. */
export async function signingWorld(stationKeys: readonly StationKeySetting[] = []) {
  const db = await testDatabase();
  const keyring = testKeyring();
  const [ida, bob] = [signingOperator('ida'), signingOperator('bob')];
  const kept: { seen?: SeenList } = {};
  const serving = await servingOf({
    database: db.database,
    log: pino({ level: 'silent' }),
    ...seedKeys(keyring),
    operators: [ida, bob],
    stationKeys,
    seen: {
      read: async () => kept.seen,
      write: async (seen) => void (kept.seen = seen),
    },
    now: () => new Date(),
  });
  const signer = createRemoteSigner({ database: db.database, keyring });
  const [firstAddress = ''] = await signer.addresses('evm', [0]);
  const station = await testStation({
    config: { autoSweep: true },
    wiring: { on: db, keyring, parties: { signer } },
  });
  let running: ReturnType<typeof serveSigning> | undefined;
  let sequence = 0;

  /** The list of honest operators, who know their treasury and do not sign what the configuration says. */
  async function draft(change: Partial<AllowList> = {}): Promise<AllowList> {
    sequence += 1;
    const networks = (await configuredNetworks(db.database)).map(({ chain, chainId, tokens }) => ({
      chain,
      chainId,
      dailyFees: '5',
      treasuries: [station.treasury],
      tokens: [...tokens].sort(),
      delegates: [delegateAddress(station)],
    }));
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
    return { version: 1, firstAddress, sequence, expiresAt, networks, ...change };
  }

  return {
    ...station,
    db,
    keyring,
    kept,
    serving,
    signer,
    ida,
    bob,
    draft,
    /** Puts the list, or a change of it, under both signatures. */
    async allow(change: Partial<AllowList> = {}) {
      const list = await draft(change);
      const body = bodyOf(list);
      await storeList(
        db.database,
        body,
        list.sequence,
        [ida, bob].map((each) => signatureOf(each, body)),
      );
      await looksAgain();
    },
    serve() {
      running = serveSigning(serving);
    },
    async stopServing() {
      await running?.stop();
      running = undefined;
    },
    async close() {
      await running?.stop();
      await station.close();
      await db.drop();
    },
  };
}

/** The signing process takes a list for the present one for a second. */
export const looksAgain = () => new Promise((resolve) => setTimeout(resolve, 1_050));
