import { type TOTP, URI } from 'otpauth';
import { PERMISSIONS } from '../../../src/kernel/permissions';
import { type Ask, asOperator, calling, key, type Person } from '../../desk/support';
import type { Insider } from './insider';

/** Asks for a decision at the desk. */
export const ask = (by: Ask, name: string, subject: string | undefined, input: object = {}) =>
  by('POST', `decisions/${name}`, { subject, input, reason: 'because' }, key());

interface Invited {
  id: string;
  /** Signs in with the next code. */
  signIn(): Promise<Ask>;
}

/** Another name, whose secret and code generator the insider has set. Nobody has admitted it. */
export async function invited({ world: { desk } }: Insider, by: Ask, name: string): Promise<Invited> {
  const { body } = await ask(by, 'operator.invite', undefined, { name, permissions: [...PERMISSIONS] });
  const { token, operatorId: id } = body.result;
  const link = (path: string, more: object) => calling(desk.url)('POST', `links/${path}`, { token, ...more });
  const generator = URI.parse((await link('look', {})).body.codeGenerator) as TOTP;
  const secret = `secret of ${name}, long enough`;
  const code = generator.generate({ timestamp: Date.now() - 30_000 });
  const used = await link('use', { token, secret, code });
  expect([used.status, used.text]).toEqual([201, expect.anything()]);
  return {
    id,
    signIn: () => asOperator(desk.url, { name, secret, code: generator.generate() } as Person),
  };
}

/** Another name, which bob was deceived to admit. */
export async function anotherName(insider: Insider, by: Ask, name: string): Promise<Ask> {
  const { id, signIn } = await invited(insider, by, name);
  const told = await ask(insider.world.bob, 'operator.admit', id);
  expect(told.body.result).toMatchObject({ status: 'admitted' });
  return signIn();
}
