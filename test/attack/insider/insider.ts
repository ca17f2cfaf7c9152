import { type EveryWorld, everyWorld } from '../../desk/every-decision/world';
import { key, type Told } from '../../desk/support';
import { adminOf } from '../../support/admins';
import type { Answer, Client } from '../../support/api';
import { setLimits } from '../../support/operator';

/** Outcome of a trial, in the words of `docs/security.md`. */
export type Outcome = 'waits' | 'rests' | 'refused' | 'alone';

/** Ida, who has every permission, acts alone: at the desk, and by her own admin credential. */
export interface Insider {
  world: EveryWorld;
  /** Her credential of the HTTP contract. */
  admin: Client;
  /** Asks for a decision at the desk. */
  decide(name: string, subject: string | undefined, input?: object): Promise<Told>;
  /** Approves a waiting decision at the desk. */
  approve(approvalId: string): Promise<Told>;
  /** The newest entry of the audit log about a subject. */
  audited(subject: string): Promise<{ actor: string; action: string; after: any } | undefined>;
}

/** Two people decide as in live, while one of them tries alone. */
export async function insider(): Promise<Insider> {
  const world = await everyWorld();
  const { ida, api, chain } = world;
  const admin = await adminOf(api, 'ida');
  // The address as a request would store it. The world has stored another spelling.
  const nodes = { rpcUrls: [`${chain.chain.url}/`], version: chain.network.version };
  const told = await admin.call('PUT', '/v1/networks/local', nodes);
  expect([told.status, told.text]).toEqual([200, expect.anything()]);
  await setLimits(api.database, { dualControl: 'on' });
  return {
    world,
    admin,
    decide: (name, subject, input = {}) =>
      ida('POST', `decisions/${name}`, { subject, input, reason: 'because' }, key()),
    approve: (id) => ida('POST', `approvals/${id}/approve`, {}, key()),
    async audited(subject) {
      const [newest] = await api.database.query<{ actor: string; action: string; after: any }>(
        'select actor, action, after from audit_log where subject = $1 order by id desc limit 1',
        [subject],
      );
      return newest;
    },
  };
}

/** The outcome of an answer of the desk or of the API. */
export function outcomeOf({ status, body, text }: Told | Answer): Outcome {
  if (status === 202 && (body.approval ?? body.approvalId)) return 'waits';
  if (status >= 200 && status < 300) return 'alone';
  if (status >= 400 && status < 500 && status !== 400 && status !== 404) return 'refused';
  throw new Error(`${status} ${text}`);
}

/** Id of the approval in an answer. */
export const approvalIn = ({ body }: Told | Answer): string => body.approvalId ?? body.approval.id;

/** Checks that the audit log names her. */
export async function underHerName(
  { audited }: Insider,
  subject: string,
  outcome: Outcome,
): Promise<Outcome> {
  expect((await audited(subject))?.actor).toBe('operator:ida');
  return outcome;
}
