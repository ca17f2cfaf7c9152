import { blockCardsOf, countOpenCards } from '../../cards/cards/operations';
import type { Sql } from '../../kernel/db/database';
import { requireUser, setOperatorBlock, type User } from '../../people/users/operations';
import { type Decision, decision, type SubjectSpec } from '../../process/desk/decision';
import { assertNoStop, assertStopped, stopsOf } from '../../process/stops/operations';
import type { StopKind } from '../../process/stops/record';
import { stoppingOf } from './stopping';

interface StoppableUser
  extends Pick<User, 'id' | 'tenantId' | 'status' | 'clientStatus' | 'operatorBlocked'> {
  stops: StopKind[];
}

const users: SubjectSpec<StoppableUser> = {
  noun: 'user',
  kinds: ['user'],
  read: (sql, id) => withStops(sql, requireUser(sql, null, id)),
  lock: (tx, id) => withStops(tx, requireUser(tx, null, id, { lock: 'update' })),
  tenantOf: ({ tenantId }) => tenantId,
};

async function withStops(sql: Sql, reading: Promise<User>): Promise<StoppableUser> {
  const { id, tenantId, status, clientStatus, operatorBlocked } = await reading;
  return { id, tenantId, status, clientStatus, operatorBlocked, stops: await stopsOf(sql, ['user'], id) };
}

const blockOrUnblock = (verb: 'block' | 'unblock', title: string): Decision =>
  decision<StoppableUser>({
    name: `user.${verb}`,
    title,
    permission: 'security',
    subject: users,
    restsOn: ({ status, operatorBlocked }) => ({ status, operatorBlocked }),
    async preview(tx, { id, subject: { status, clientStatus, operatorBlocked, stops } }) {
      if (verb === 'block') assertNoStop(stops, 'user', id);
      else assertStopped(stops, id);
      const open = String(await countOpenCards(tx, { userId: id }));
      const left = verb === 'block' ? 'blocked' : clientStatus;
      return [
        { field: 'status', from: status, to: left },
        {
          field: 'blocked by an operator',
          from: yesNo(operatorBlocked),
          to: yesNo(verb === 'block'),
        },
        {
          field: 'open cards that decline',
          from: status === 'blocked' ? open : '0',
          to: left === 'blocked' ? open : '0',
        },
      ];
    },
    async execute(tx, { id, at }, by) {
      const { before, after } = await setOperatorBlock(
        { blockCardsOf },
        tx,
        id,
        verb === 'block',
        stoppingOf(by, at),
      );
      const { status, operatorBlocked, clientStatus } = after;
      return {
        before: { status: before.status, operatorBlocked: before.operatorBlocked },
        after: { status, operatorBlocked },
        result: { userId: id, status, operatorBlocked, clientStatus },
      };
    },
  });

const yesNo = (is: boolean): string => (is ? 'yes' : 'no');

export const userDecisions: readonly Decision[] = [
  blockOrUnblock('block', 'their cards decline, nothing new is issued or funded'),
  blockOrUnblock('unblock', "ends the operator's block; the client's own stays"),
];
