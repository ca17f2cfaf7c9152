import { z } from 'zod';
import type { Sql } from '../../kernel/db/database';
import { forbidden, invalid } from '../../kernel/errors';
import type { Keyring } from '../../kernel/security/keyring';
import { type Decision, decision, type Judged } from '../../process/desk/decision';
import { deleteAddress, hasAddress, saveAddress } from './mail-store';
import { actorOf, type Operator } from './operations';
import { operatorByName, statusOf } from './subject';

interface MailInput {
  address?: string | undefined;
  off?: boolean | undefined;
}

/** An operator's own choice of hourly mails about waiting rows. The audit log and the answer never hold the address. */
export const mailDecision = ({ keyring }: { keyring: Keyring }): Decision =>
  decision<Operator, MailInput>({
    name: 'operator.mail',
    title: 'tells you by mail, once an hour, what waits for you; only for yourself',
    permission: 'view',
    reason: 'optional',
    subject: operatorByName,
    input: z.strictObject({
      address: z.email().max(254).optional().meta({ description: 'Your address.' }),
      off: z.boolean().optional().meta({ description: 'No mails any more.' }),
    }),
    restsOn: (operator) => ({ status: statusOf(operator) }),
    async preview(tx, judged) {
      judgeMail(judged);
      const { subject, input } = judged;
      return [{ field: 'mail', from: await stateOf(tx, subject.id), to: input.off ? 'off' : 'once an hour' }];
    },
    async execute(tx, judged) {
      judgeMail(judged);
      const { id: operatorId, input } = judged;
      const before = await stateOf(tx, operatorId);
      const { address } = input;
      if (address === undefined) await deleteAddress(tx, operatorId);
      else await saveAddress(tx, keyring, { operatorId, address });
      const mail = await stateOf(tx, operatorId);
      return { before: { mail: before }, after: { mail }, result: { operatorId, mail } };
    },
  });

/** @throws Problem 403 for another operator; 400 without an address, or with both */
function judgeMail({ subject, actor, input }: Judged<Operator, MailInput>): void {
  if (actorOf(subject) !== actor) throw forbidden('An operator chooses his own mails.');
  if ((input.address === undefined) !== (input.off === true))
    throw invalid('Give either an address or off.', 'address');
}

const stateOf = async (sql: Sql, id: string): Promise<string> =>
  (await hasAddress(sql, id)) ? 'once an hour' : 'off';
